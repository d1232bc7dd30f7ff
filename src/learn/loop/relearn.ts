import { performance } from 'node:perf_hooks'
import type { Store } from '../../store/store.ts'
import type { Consumer, Doomed } from '../facts.ts'
import { type Fold, isFoldedAnew, RELEARNING } from './fold.ts'
import type { Pauses } from './pauses.ts'
import { type Taker, takeStretch } from './slice.ts'

/*
 * Two ways to take somebody out of what was learned, both while the processor stands still:
 *
 * - `relearn` empties what can be emptied and folds the log, which no longer holds them, into it from the beginning.
 *   It wants the log whole.
 * - `unlearn` takes out what they taught, where retention has cut the log, or where it stays as it is otherwise.
 */

/** The processor while it takes nothing new: all that was taken is saved. */
export interface Still extends Taker {
  store: Store
  consumers: readonly Consumer[]
  pauses: Pauses
  closed: boolean
  /** Back to what is on the disk, after a while. */
  recover: (cause: unknown) => Promise<void>
}

/** Time that one step may hold the main thread, and leaves to others behind it. */
const SLICE_MS = 2
const REST_MS = 2
/** Steps that are saved together: a commit takes longer than one of them. */
const SAVED_SLICES = 8

/**
 * Folds the whole log into those consumers anew that can be emptied. What a crash cuts short is begun again. It takes no
 * more room than it gives back, and goes on in a full store: retention, which would make room, waits for it.
 */
export async function relearn(still: Still): Promise<void> {
  const { store, fold } = still
  const { meta } = store.tables
  const consumers = still.consumers.filter(({ reset }) => reset !== undefined)
  const until = fold.saved()
  const begin = () =>
    store.release(() => {
      for (const consumer of consumers) consumer.reset?.()
      meta.put(RELEARNING, 0)
    })
  if (isFoldedAnew(store)) await insist(still, begin)
  else await begin().catch((cause) => refuse(fold, cause))
  await foldAnew(still, consumers, until)
  if (still.closed) return
  await insist(still, () =>
    store.release(() => {
      meta.remove(RELEARNING)
      fold.moveToWithin(until, consumers)
    }),
  )
  for (const consumer of consumers) consumer.publish?.()
}

/** Nothing was begun, and whoever asked for it is told; what was emptied in memory comes back. */
function refuse(fold: Fold, cause: unknown): never {
  fold.load()
  throw cause
}

/**
 * Tries again after a while what fails, until it is done or the process closes. The disk is full, say: half a fold is
 * worse than one that waits, and as long as its mark is there nothing is decided by what was learned.
 */
async function insist(still: Still, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await work()
      return
    } catch (cause) {
      if (still.closed) return
      await still.recover(cause)
    }
  }
}

/** Up to the end, unless the process closes meanwhile; a stretch that fails is taken again. */
async function foldAnew(still: Still, consumers: readonly Consumer[], until: number) {
  const { store } = still
  let after = 0
  while (after < until && !still.closed)
    await insist(still, async () => {
      const end = await foldStretch(still, consumers, { after, until })
      await store.release(() => {
        for (const consumer of consumers) consumer.save()
        store.tables.meta.put(RELEARNING, end)
      })
      after = end
    })
}

/** As much as is saved together; returns up to where that is. */
async function foldStretch(
  still: Still,
  consumers: readonly Consumer[],
  { after, until }: { after: number; until: number },
): Promise<number> {
  let end = after
  for (let slice = 0; slice < SAVED_SLICES && end < until; slice += 1) {
    end = takeStretch(still, { after: end, until, sliceMs: SLICE_MS }, (fact) => {
      for (const consumer of consumers) consumer.take(fact)
    })
    await still.pauses.rest(REST_MS)
  }
  return end
}

/** Says what somebody taught, of entries up to that one. */
export type FindTaught = (until: number) => Promise<Doomed>

/** Which consumers forget: all of them, or only those that `relearn` leaves as they are. */
export type Unlearned = 'all' | 'kept'

/**
 * Takes out of the learned state what somebody taught it by now: what was not taken yet can't be taken out. `within`
 * runs in the same transaction.
 */
export async function unlearn(
  still: Still,
  find: FindTaught,
  within: () => void,
  which: Unlearned = 'all',
): Promise<void> {
  const { store, fold } = still
  const consumers = still.consumers.filter(({ reset }) => which === 'all' || reset === undefined)
  const doomed = await find(fold.taken())
  try {
    await untake({ ...still, consumers }, doomed)
    await store.release(() => {
      for (const consumer of consumers) {
        consumer.forget?.(doomed)
        consumer.save()
      }
      within()
    })
  } catch (cause) {
    fold.load()
    throw cause
  }
  for (const consumer of consumers) consumer.publish?.()
}

/** In memory, and in slices. */
async function untake({ consumers, pauses }: Still, doomed: Doomed): Promise<void> {
  let startedMs = performance.now()
  for (const consumer of consumers)
    for (const _ of consumer.untake?.(doomed) ?? []) {
      if (performance.now() - startedMs < SLICE_MS) continue
      await pauses.rest(REST_MS)
      startedMs = performance.now()
    }
}
