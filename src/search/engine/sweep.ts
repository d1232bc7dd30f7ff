import type { Logger } from 'pino'
import { native } from '../../native.ts'
import { steadyMs } from '../../shared-clock.ts'
import type { Store } from '../../store/store.ts'
import { decodeId } from '../record.ts'

/** How long a replaced record stays readable after the last view that shows it: longer than any search under way. */
const SUPERSEDED_MS = 120_000
/** Rows that one transaction clears, so that no write waits long behind it. */
const STEP_ROWS = 2000

/** Forgets which documents were removed up to `sequence`: the index's files know it durably. */
export async function forgetRemovals(
  store: Store,
  indexId: number,
  sequence: number,
): Promise<void> {
  const { removals } = store.tables
  for (;;) {
    const keys = [
      ...removals.keys({ start: [indexId, 0], end: [indexId, sequence + 1], limit: STEP_ROWS }),
    ]
    if (keys.length === 0) return
    await store.release(() => {
      removals.removeAll(keys)
    })
  }
}

/**
 * Clears records that a newer version replaced, once no search can still want them; `nowMs` by `steadyMs`, since a clock
 * that is set ahead makes no page older.
 */
export async function clearSuperseded(store: Store, nowMs = steadyMs()): Promise<void> {
  const { superseded, records, vectors } = store.tables
  await dateBack(store, nowMs)
  const end: [number, number, number] = [nowMs - native.heldMs() - SUPERSEDED_MS, 0, 0]
  for (;;) {
    const keys = [...superseded.keys({ start: [0, 0, 0], end, limit: STEP_ROWS })]
    if (keys.length === 0) return
    await store.release(() => {
      for (const key of keys) {
        const [, indexId, ord] = key
        forgetOrd(store, indexId, ord)
        records.remove([indexId, ord])
        vectors.remove([indexId, ord])
        superseded.remove(key)
      }
    })
  }
}

/** What was replaced while the clock was ahead, before this start, would wait until it shows that time again. */
async function dateBack(store: Store, nowMs: number): Promise<void> {
  const { superseded } = store.tables
  for (;;) {
    const ahead = [...superseded.keys({ start: [nowMs + SUPERSEDED_MS, 0, 0], limit: STEP_ROWS })]
    if (ahead.length === 0) return
    await store.release(() => {
      superseded.removeAll(ahead)
      for (const [, indexId, ord] of ahead) superseded.put([nowMs, indexId, ord], true)
    })
  }
}

/** The document of a replaced record is no longer known by its number, which only the record tells. */
function forgetOrd({ tables }: Store, indexId: number, ord: number): void {
  const { records, earlierOrds } = tables
  const bytes = records.peek([indexId, ord])
  if (bytes === undefined) return
  const key: [number, string] = [indexId, decodeId(bytes)]
  const earlier = earlierOrds.get(key)
  if (!earlier?.includes(ord)) return
  // What is older went before.
  const left = earlier.filter((one) => one > ord)
  if (left.length > 0) earlierOrds.put(key, left)
  else earlierOrds.remove(key)
}

/** Clears everything that a deleted index left, step by step; begun again after a restart. */
export async function clearIndex(store: Store, indexId: number): Promise<void> {
  const { documents, earlierOrds, records, removals, vectors, unvectorized, indices } = store.tables
  for (const table of [records, removals, vectors])
    await clearRange(store, table, [indexId, 0], [indexId + 1, 0])
  for (const table of [documents, earlierOrds, unvectorized])
    await clearRange(store, table, [indexId, ''], [indexId + 1, ''])
  await store.release(() => indices.remove(indexId))
}

/** Goes on with deletions of indices that a crash cut short. */
export function clearDropped(store: Store, log: Pick<Logger, 'error'>): void {
  for (const { key, value } of [...store.tables.indices.range()])
    if (value.dropped === true)
      clearIndex(store, key).catch((err: unknown) => log.error({ err }, 'clearing a deleted index'))
}

interface Clearable<Key> {
  keys: (range: { start: Key; end: Key; limit: number }) => Iterable<Key>
  removeAll: (keys: readonly Key[]) => number
}

async function clearRange<Key>(
  store: Store,
  table: Clearable<Key>,
  start: Key,
  end: Key,
): Promise<void> {
  for (;;) {
    const keys = [...table.keys({ start, end, limit: STEP_ROWS })]
    if (keys.length === 0) return
    await store.release(() => {
      table.removeAll(keys)
    })
  }
}
