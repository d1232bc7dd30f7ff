import { performance } from 'node:perf_hooks'
import type { Store } from '../../store/store.ts'
import type { Consumer, Fact } from '../facts.ts'
import type { FailureReports, Failures } from './failures.ts'
import type { Saved } from './fold.ts'
import type { Log } from './log.ts'
import type { Still } from './relearn.ts'
import { endOf, nothingTaken, type Pace, paceFor, readSome, type Taken, takeRows } from './slice.ts'

/* How the processor takes what has come, a slice at a time, and saves it; what fails is tried again. */

/** What the processor works with. */
export interface LoopOptions extends FailureReports {
  store: Store
  log: Log
  consumers: readonly Consumer[]
  clock: () => number
  /** Resolves when it disturbs searches least to hold the main thread. */
  lull: () => Promise<void>
  /** Seconds from the receipt of a feedback entry until searches see it. */
  onLag: (seconds: number) => void
  /** Facts that were given up are left out; one that made a consumer throw is counted, and tried again. */
  dead: {
    isDead: (fact: Fact) => boolean
    failed: (fact: Fact, cause: unknown) => Promise<void>
  }
}

/** The processor's own state, shared by its functions. */
export type Processor = LoopOptions &
  Still & {
    running: Promise<void> | undefined
    /** How many wait to see what was learned: nothing is put off for them. */
    readers: number
    /** How many of them are to remove something: until then what is taken is saved in a full store, too. */
    removers: number
    /** How many want the processor to stand still: until then nothing more is taken. */
    stills: number
    failures: Failures
  }

/** Time that one slice may hold the main thread while somebody waits to see what it takes. */
const AWAITED_MS = 2
const RETRY_MS = 1000

/** Starts to take what has come, unless that is under way. */
export function wake(processor: Processor): void {
  if (processor.closed || processor.stills > 0 || processor.running !== undefined) return
  processor.running = takeAll(processor).finally(() => {
    processor.running = undefined
    if (processor.fold.taken() < processor.log.journal.last()) wake(processor)
  })
}

async function takeAll(processor: Processor): Promise<void> {
  const { fold, clock, pauses } = processor
  let pace = paceFor(0)
  await pauses.gather()
  while (!processor.closed && processor.stills === 0) {
    const until = processor.log.journal.last()
    if (fold.taken() >= until && !fold.isDue('all')) return
    if (fold.taken() >= until && !fold.isDue(wanted(processor))) {
      await pauses.gather()
      continue
    }
    try {
      await pauses.lull()
      const { received, oldestMs } = await takeSome(processor, until, pace)
      if (fold.isDue(wanted(processor))) await save(processor, wanted(processor))
      else fold.publish()
      const nowMs = clock()
      for (const timeMs of received) processor.onLag(Math.max(0, nowMs - timeMs) / 1000)
      pace = paceFor(nowMs - (oldestMs ?? nowMs))
      await pauses.rest(pace.restMs)
    } catch (cause) {
      await recoverFrom(processor, cause)
      return
    }
  }
}

/** What is read at once, a slice at a time. What was begun is ended: half an entry must not be saved. */
async function takeSome(processor: Processor, until: number, pace: Pace): Promise<Taken> {
  const taken = nothingTaken(processor.fold.taken())
  const rows = readSome(processor.log, taken.end, pace.sliceMs)
  let startedMs = performance.now()
  for (const _ of takeRows(processor, rows, taken, processor.fold.take)) {
    const limitMs = processor.readers > 0 ? Math.max(AWAITED_MS, pace.sliceMs) : pace.sliceMs
    if (performance.now() - startedMs < limitMs) continue
    await processor.pauses.rest(pace.restMs)
    await processor.pauses.lull()
    startedMs = performance.now()
  }
  processor.fold.advance(await endOf(processor.log, rows, { end: taken.end, until }))
  return taken
}

/** Readers want to find all that was taken. */
const wanted = ({ readers }: Processor): Saved => (readers > 0 ? 'all' : 'due')

async function save(processor: Processor, which: Saved): Promise<void> {
  const { store, fold, removers, stills } = processor
  // Who makes the processor stand still is about to remove something.
  const write = removers + stills > 0 ? store.release : store.write
  await write(() => fold.save(which))
  processor.failures.end()
  fold.settle()
  fold.publish()
}

/**
 * Back to what is on the disk; a fact that made a consumer throw is counted, and given up in the end. What else goes on
 * failing is tried less often, and nobody waits for it.
 */
export async function recoverFrom(processor: Processor, cause: unknown): Promise<void> {
  const { taking } = processor
  processor.taking = undefined
  processor.failures.tell('take', cause)
  processor.fold.load()
  if (taking !== undefined && (await noteFailed(processor, taking, cause))) return
  processor.failures.note(cause, processor.removers > 0)
  await processor.pauses.rest(RETRY_MS)
}

async function noteFailed(
  { dead, failures }: Processor,
  fact: Fact,
  cause: unknown,
): Promise<boolean> {
  try {
    await dead.failed(fact, cause)
    return true
  } catch (refusal) {
    failures.tell('count', refusal)
    return false
  }
}

export async function saveAll(processor: Processor): Promise<void> {
  if (processor.fold.isDue('all')) await save(processor, 'all')
}
