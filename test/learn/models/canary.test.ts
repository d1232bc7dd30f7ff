import { expect, it } from 'vitest'
import { judgeCanary } from '../../../src/learn/models/canary.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'
import type { TrialUnit } from '../../../src/schema/model-record.ts'

const random = seeded(5)

/** All searches of its users were ranked by the model. */
const judge = (units: readonly TrialUnit[], searchesMin: number) => {
  const own = units.filter(({ arm }) => arm === 'CANARY')
  return judgeCanary(units, {
    ranked: own.reduce((sum, { searches }) => sum + searches, 0),
    searchesMin,
  })
}

/** Users with four searches each, of which so large a share gets a click at a mean rank. */
function units(arm: TrialUnit['arm'], count: number, ctr: number, rank = 1): TrialUnit[] {
  return Array.from({ length: count }, () => {
    const clicked = Array.from({ length: 4 }, () => (random() < ctr ? 1 : 0)).filter(Boolean).length
    return { arm, searches: 4, clicked, reciprocalRank: clicked / rank }
  })
}

it('a model that does as well as the other passes with enough searches, and not before', () => {
  const both = [...units('CONTROL', 900, 0.4), ...units('CANARY', 100, 0.4)]
  expect(judge(both, 400)).toMatchObject({ outcome: 'pass', figures: { searches: 400 } })
  expect(judge(both, 401).outcome).toBe('not_yet')
})

it('searches that it did not rank let no model pass', () => {
  const both = [...units('CONTROL', 900, 0.4), ...units('CANARY', 100, 0.4)]
  expect(judgeCanary(both, { ranked: 199, searchesMin: 200 })).toMatchObject({
    ...{ outcome: 'not_yet', figures: { searches: 400, ranked: 199 } },
  })
  expect(judgeCanary(both, { ranked: 200, searchesMin: 200 }).outcome).toBe('pass')
})

it('searches of too few users say nothing', () => {
  const few = [...units('CONTROL', 900, 0.4), ...units('CANARY', 40, 0.4)]
  expect(judge(few, 1).outcome).toBe('not_yet')
  expect(judge([], 1)).toMatchObject({ outcome: 'not_yet', figures: { ctr: null } })
})

it('certain harm to clicks refuses, long before there are enough searches', () => {
  const harmed = [...units('CONTROL', 600, 0.6), ...units('CANARY', 80, 0.2)]
  const { outcome, figures } = judge(harmed, 100_000)
  expect(outcome).toBe('refuse')
  expect(figures.ctr).toMatchObject({ users: { canary: 80 } })
})

it('certain harm to the places of clicks refuses too', () => {
  const harmed = [...units('CONTROL', 600, 0.6, 1), ...units('CANARY', 80, 0.6, 5)]
  expect(judge(harmed, 100_000).outcome).toBe('refuse')
})

it.each(['CONTROL', 'CANARY'] as const)(
  'one busy user of %s lets nothing pass that could not be refused',
  (arm) => {
    const harmed = [...units('CONTROL', 400, 0.6), ...units('CANARY', 400, 0.3)]
    expect(judge(harmed, 400).outcome).toBe('refuse')
    const busy: TrialUnit = { arm, searches: 20_000, clicked: 9000, reciprocalRank: 9000 }
    const { outcome, figures } = judge([...harmed, busy], 400)
    expect(outcome).toBe('not_yet')
    expect(figures.reason).toMatch(/One user/)
    const same = [...units('CONTROL', 400, 0.4), ...units('CANARY', 400, 0.4)]
    const often: TrialUnit = { arm, searches: 80, clicked: 30, reciprocalRank: 30 }
    expect(judge([...same, often], 400).outcome).toBe('pass')
  },
)

it.each([
  [1520, 'pass'],
  [1700, 'not_yet'],
])('a user of %d searches beside 1600 of others: %s', (searches, outcome) => {
  const same = [...units('CONTROL', 400, 0.4), ...units('CANARY', 400, 0.4)]
  const clicked = searches * 0.4
  const busy: TrialUnit = { arm: 'CANARY', searches, clicked, reciprocalRank: clicked }
  expect(judge([...same, busy], 400).outcome).toBe(outcome)
})

it('users without a search count for nothing', () => {
  const idle: TrialUnit = { arm: 'CANARY', searches: 0, clicked: 0, reciprocalRank: 0 }
  const same = judge([...units('CONTROL', 9, 0.4), idle], 1)
  expect(same.figures).toMatchObject({ searches: 0, controlSearches: 36 })
})
