import { expect, it } from 'vitest'
import { openLastSearches } from '../../../src/learn/patterns/last-searches.ts'
import { temporaryStore } from '../../store/open.ts'

const KEPT = 20_000
const NOW_MS = Date.UTC(2026, 0, 1)

it('keeps the sessions that searched last, whenever they first did, also behind a restart', async () => {
  const store = temporaryStore()
  const last = openLastSearches(store)
  last.load()
  const put = (session: number, timeMs: number) =>
    last.put(`s${session}`, {
      ...{ queryId: `q${timeMs}`, queryHash: 'h', query: 'w', timeMs },
      ...{ clicked: false, zeroResults: false },
    })
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
