import { expect, it } from 'vitest'
import { openLastSearches } from '../../../src/learn/patterns/last-searches.ts'
import { temporaryStore } from '../../store/open.ts'

const KEPT = 20_000
const NOW_MS = Date.UTC(2026, 0, 1)

/** Notes that a session searched at a moment. */
function putOf(last: ReturnType<typeof openLastSearches>) {
  return (session: number, timeMs: number) =>
    last.put(`s${session}`, {
      ...{ queryId: `q${timeMs}`, queryHash: 'h', query: 'w', timeMs },
      ...{ clicked: false, zeroResults: false },
    })
}

it('keeps the sessions that searched last, whenever they first did, also behind a restart', async () => {
  const store = temporaryStore()
  const last = openLastSearches(store)
  last.load()
  const put = putOf(last)
  for (let session = 0; session < KEPT; session++) put(session, NOW_MS + session)
  put(0, NOW_MS + KEPT)
  expect(last.get('s1')).toBeDefined()
  put(KEPT, NOW_MS + KEPT + 1)
  const kept = () => Array.from({ length: KEPT + 1 }, (_, n) => last.get(`s${n}`) !== undefined)
  const before = kept()
  // A hundredth goes at once: sessions 1 to 201, the first one having come back.
  expect(before.filter(Boolean)).toHaveLength(KEPT * 0.99)
  expect([0, 1, 201, 202, KEPT].map((n) => before[n])).toEqual([true, false, false, true, true])
  await store.write(() => last.save())
  last.load()
  expect(kept()).toEqual(before)
})

it('keeps no more characters than fit, of whatever length searches are, also behind a restart', async () => {
  const store = temporaryStore()
  const last = openLastSearches(store)
  last.load()
  const long = 'x'.repeat(4096)
  const put = (session: number, query: string) =>
    last.put(`s${session}`, {
      ...{ queryId: `q${session}`, queryHash: 'h', query, timeMs: NOW_MS + session },
      ...{ clicked: false, zeroResults: false },
    })
  const fit = 2 ** 24 / long.length
  for (let session = 0; session < fit; session++) put(session, long)
  // Again, and forgotten: neither takes room.
  put(fit - 1, long)
  last.forget(['s7'])
  put(fit, long)
  expect(last.get('s0')).toBeDefined()
  put(fit + 1, 'w')
  const kept = () => Array.from({ length: fit + 2 }, (_, n) => last.get(`s${n}`) !== undefined)
  const before = kept()
  expect(before.filter(Boolean)).toHaveLength(Math.floor(fit * 0.99) + 1)
  expect([0, 41, 42, fit + 1].map((n) => before[n])).toEqual([false, false, true, true])
  await store.write(() => last.save())
  last.load()
  expect(kept()).toEqual(before)
  let session = fit + 2
  for (; last.get('s42') !== undefined; session++) put(session, long)
  expect(session - fit).toBeLessThan(100)
})

it('keeps none longer than retention lets it, also when nobody searches any more', async () => {
  const store = temporaryStore()
  const last = openLastSearches(store)
  last.load()
  const put = putOf(last)
  for (let session = 0; session < 1500; session++) put(session, NOW_MS + session)
  await store.write(() => last.save())
  const swept = last.sweep(NOW_MS + 1400)
  put(3, NOW_MS + 2000)
  await swept
  await last.sweep(NOW_MS + 1400)
  const kept = () => ['s0', 's3', 's1399', 's1400'].map((id) => last.get(id) !== undefined)
  expect(kept()).toEqual([false, true, false, true])
  expect(store.tables.lastSearches.count()).toBe(101)
  await store.write(() => last.save())
  last.load()
  expect(kept()).toEqual([false, true, false, true])
  expect(last.get('s3')?.timeMs).toBe(NOW_MS + 2000)
})

it('keeps none longer than a day after the clock was set back, also behind a restart', async () => {
  const DAY_MS = 86_400_000
  const store = temporaryStore()
  const last = openLastSearches(store)
  last.load()
  const put = putOf(last)
  put(0, NOW_MS)
  put(1, NOW_MS + 60 * DAY_MS)
  put(2, NOW_MS + 60_000)
  await store.write(() => last.save())
  last.load()
  put(3, NOW_MS + 2 * DAY_MS)
  put(4, NOW_MS + 4 * DAY_MS)
  expect([0, 2, 3, 4].map((n) => last.get(`s${n}`) !== undefined)).toEqual([
    ...[false, false, false, true],
  ])
})
