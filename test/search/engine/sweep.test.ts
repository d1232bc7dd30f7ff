import { expect, it, vi } from 'vitest'
import { native } from '../../../src/native.ts'
import type { IndexRecord } from '../../../src/schema/indices.ts'
import {
  clearDropped,
  clearIndex,
  clearSuperseded,
  forgetRemovals,
} from '../../../src/search/engine/sweep.ts'
import { encodeRecord } from '../../../src/search/record.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { waitUntil } from '../../wait-until.ts'

it('a document goes on being known by those of its earlier numbers whose records are kept', async () => {
  const store = temporaryStore()
  const { records, superseded, earlierOrds } = store.tables
  await store.write(() => {
    for (const ord of [1, 2]) {
      const source = JSON.stringify({ title: `version ${ord}` })
      const record = { id: 'a', version: ord, createdMs: 0, updatedMs: 0, source }
      records.put([1, ord], encodeRecord(record))
      superseded.put([1000 * ord, 1, ord], true)
    }
    earlierOrds.put([1, 'a'], [2, 1])
  })
  const keptMs = 120_000 + native.heldMs()
  await clearSuperseded(store, 1500 + keptMs)
  expect([...records.keys()]).toEqual([[1, 2]])
  expect(earlierOrds.get([1, 'a'])).toEqual([2])
  await clearSuperseded(store, 2500 + keptMs)
  expect(records.count() + superseded.count() + earlierOrds.count()).toBe(0)
})

it('what was replaced while the clock was years ahead goes once it is right, as soon as anything', async () => {
  const store = temporaryStore()
  const { records, superseded } = store.tables
  const [nowMs, aheadMs] = [1_000_000_000, 300_000_000_000]
  await store.write(() => {
    for (const ord of [1, 2, 3]) {
      const record = { id: 'a', version: ord, createdMs: 0, updatedMs: 0, source: '{}' }
      records.put([1, ord], encodeRecord(record))
      superseded.put([nowMs + aheadMs * (ord - 1), 1, ord], true)
    }
  })
  await clearSuperseded(store, nowMs)
  expect(records.count()).toBe(3)
  await clearSuperseded(store, nowMs + 120_001 + native.heldMs())
  expect(records.count() + superseded.count()).toBe(0)
})

const ROWS = 5000
/** What a write that waits behind a sweep waits for. */
const ROWS_MAX = 2000

/** Rows that each transaction of the sweeps to come takes out of the records and removals. */
function removedByEach(store: Store): number[] {
  const { records, removals } = store.tables
  const count = () => records.count() + removals.count()
  const removed: number[] = []
  const release = store.release.bind(store)
  vi.spyOn(store, 'release').mockImplementation((work) =>
    release(() => {
      const before = count()
      const done = work()
      removed.push(before - count())
      return done
    }),
  )
  return removed
}

it.each([
  ['of replaced records', (store: Store) => clearSuperseded(store, Date.now())],
  ['of removals', (store: Store) => forgetRemovals(store, 1, ROWS)],
  ['of a deleted index', (store: Store) => clearIndex(store, 1)],
])(
  'a sweep %s clears a bounded number of rows in one transaction, and all in the end',
  async (what, sweep) => {
    const store = temporaryStore()
    const { records, removals, superseded } = store.tables
    await store.write(() => {
      for (let ord = 1; ord <= ROWS; ord += 1) {
        const record = { id: `d${ord}`, version: 1, createdMs: 0, updatedMs: 0, source: '{}' }
        if (what !== 'of removals') records.put([1, ord], encodeRecord(record))
        if (what === 'of removals') removals.put([1, ord], [ord])
        superseded.put([1, 1, ord], true)
      }
    })
    const removed = removedByEach(store)
    await sweep(store)
    expect(Math.max(...removed)).toBeLessThanOrEqual(ROWS_MAX)
    expect(records.count() + removals.count()).toBe(0)
  },
)

it('a deletion that a crash cut short goes on, and other indices keep what they have', async () => {
  const store = temporaryStore()
  const { indices, records } = store.tables
  const declared = (id: number): IndexRecord => ({
    ...{ id, engineId: id, name: `i${id}`, createdMs: 0 },
    ...{ settings: {}, mappings: {} },
  })
  await store.write(() => {
    indices.put(1, declared(1))
    indices.put(2, { ...declared(2), dropped: true })
    const record = { id: 'a', version: 1, createdMs: 0, updatedMs: 0, source: '{}' }
    for (const id of [1, 2]) records.put([id, 7], encodeRecord(record))
  })
  clearDropped(store, { error: (...said: unknown[]) => expect.fail(String(said)) })
  await waitUntil(() => indices.get(2) === undefined)
  expect([...records.keys()]).toEqual([[1, 7]])
  expect([...indices.keys()]).toEqual([1])
})
