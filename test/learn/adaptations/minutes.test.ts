import { expect, it } from 'vitest'
import { countSearch, emptyArm } from '../../../src/learn/adaptations/figures.ts'
import { type Arms, openMinutes, readTotals } from '../../../src/learn/adaptations/minutes.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'
import { processorMs } from '../../processor-time.ts'
import { temporaryStore } from '../../store/open.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60
/** Any time that is no whole hour. */
const START_MS = 29_000_017 * MINUTE_MS

it('counts that a row of an earlier version lacks go on from 0', async () => {
  const store = temporaryStore()
  const { latency: _, zeroResults: __, ...earlier } = { ...emptyArm(), searches: 3 }
  const row = { with: earlier, without: earlier } as Arms
  await store.write(() => store.tables.adaptationFigures.put(['change', 0], row))
  expect(readTotals(store, 'change').with).toEqual({ ...emptyArm(), searches: 3 })
  const { totals } = openMinutes(store, 'change')
  countSearch(totals().with, { total: 0 }, 0)
  expect(totals().with).toEqual({ ...emptyArm(), searches: 4, zeroResults: 1, latency: [1] })
})

it('a window has what was counted in its minutes, wherever it begins and however late that came', () => {
  const minutes = openMinutes(temporaryStore(), 'change')
  const counted = new Map<number, number>()
  const random = seeded(7)
  const below = (most: number): number => Math.floor(random() * most)
  for (let step = 0; step < 3000; step += 1) {
    const at = below(300)
    counted.set(at, (counted.get(at) ?? 0) + 1)
    countSearch(minutes.minute(START_MS + at * MINUTE_MS).without, { total: 0 }, below(90))
    const [first, end] = [below(330) - 15, below(330) - 15]
    const { without } = minutes.since(START_MS + first * MINUTE_MS, START_MS + end * MINUTE_MS)
    let expected = 0
    for (const [minute, searches] of counted)
      if (minute >= first && minute < end) expected += searches
    const buckets = without.latency.reduce((sum, searches) => sum + searches, 0)
    expect([without.searches, without.zeroResults, buckets]).toEqual(Array(3).fill(expected))
  }
  expect(minutes.since(START_MS).without.searches).toBe(3000)
})

it('forgets what no trigger may look at any more, on the disk, too', async () => {
  const store = temporaryStore()
  const minutes = openMinutes(store, 'change')
  const count = (minute: number) =>
    store.write(() => {
      countSearch(minutes.minute(START_MS + minute * MINUTE_MS).with, { total: 1 }, 0)
      minutes.save()
    })
  for (const minute of [0, 1, 30, DAY_MINUTES]) await count(minute)
  expect(minutes.since(0).with.searches).toBe(4)
  await count(DAY_MINUTES + 1)
  expect(minutes.since(0).with.searches).toBe(4)
  await count(DAY_MINUTES + 31)
  expect(minutes.since(0).with.searches).toBe(3)
  expect(openMinutes(store, 'change').since(0).with.searches).toBe(3)
})

it('looks at windows of a whole day for a hundred changes in some ms', () => {
  const minutes = openMinutes(temporaryStore(), 'change')
  for (let minute = 0; minute < DAY_MINUTES; minute += 1)
    for (const arm of Object.values(minutes.minute(START_MS + minute * MINUTE_MS)))
      countSearch(arm, { total: 1 }, 100)
  const endMs = START_MS + DAY_MINUTES * MINUTE_MS
  // Each of them is counted in between two looks, as where searches go on.
  const looks = processorMs(() => {
    for (let change = 0; change < 100; change += 1) {
      minutes.minute(endMs - MINUTE_MS)
      minutes.since(START_MS, endMs)
    }
  })
  expect(looks).toBeLessThan(200)
})
