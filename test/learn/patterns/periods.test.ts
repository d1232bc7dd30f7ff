import { expect, it } from 'vitest'
import { oldestKept, readWindow } from '../../../src/learn/patterns/periods.ts'
import { openWorkshop } from '../adaptations/workshop.ts'
import { DAY_MS, MINUTE_MS } from '../learner.ts'

const HOUR_MS = 60 * MINUTE_MS

it.each(['1h', '24h', '7d', '30d', '24H'])('what a window of %s asks for is kept', (name) => {
  const nowMs = Date.UTC(2026, 4, 10, 23, 59)
  const { level, first, last } = readWindow(name, nowMs)
  expect(first).toBeGreaterThanOrEqual(oldestKept(level, Math.floor(nowMs / HOUR_MS)))
  expect(last).toBe(Math.floor(nowMs / (level * HOUR_MS)))
})

it.each([
  ['hours two days', 1, 48, HOUR_MS],
  ['days a month', 24, 31, DAY_MS],
] as const)('%s ago are the oldest that stay', async (_what, level, kept, periodMs) => {
  const shop = openWorkshop()
  const searched = shop.clock.nowMs
  const periods = async () => {
    shop.searchIn(undefined, { timeMs: shop.clock.nowMs })
    await shop.loop.caughtUp()
    const keys = [...shop.store.tables.queryPatterns.keys()]
    return keys.filter(([each]) => each === level).map(([, period]) => period)
  }
  const [oldest] = [...(await periods()), Math.floor(searched / periodMs)]
  await shop.pass(HOUR_MS)
  await periods()
  shop.clock.nowMs = searched + kept * periodMs
  expect(await periods()).toContain(oldest)
  shop.clock.nowMs = searched + (kept + 1) * periodMs
  expect(await periods()).not.toContain(oldest)
})
