import { describe, expect, it } from 'vitest'
import { guardrail, limitGuardrail } from '../../../src/learn/statistics/always-valid.ts'
import { compare } from '../../../src/learn/statistics/compare.ts'
import { designEffect } from '../../../src/learn/statistics/design-effect.ts'
import { estimateOf } from '../../../src/learn/statistics/estimate.ts'
import { preferenceOf } from '../../../src/learn/statistics/interleaving.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'
import { addUnit, NO_UNITS, type UnitSums } from '../../../src/learn/statistics/sums.ts'

type Unit = [x: number, y: number]

function sumsOf(units: readonly Unit[]): UnitSums {
  return units.reduce((sums, [x, y]) => addUnit(sums, { x, y }), NO_UNITS)
}

/** Every third of them clicked in its only search. */
const people = (count: number): Unit[] =>
  Array.from({ length: count }, (_, unit) => [unit % 3 === 0 ? 1 : 0, 1])

describe.each([60, 200, 1000])('one unit beside %d others', (count) => {
  it.each([100, 1000, 100_000])('decides nothing by %d searches of its own', (searches) => {
    const control = sumsOf(people(count))
    const treatment = sumsOf([...people(count), [searches, searches]])
    const { alwaysValid } = compare({ control, treatment })!
    expect(alwaysValid!.p).toBeGreaterThan(0.2)
    const [before, after] = [estimateOf(control)!, estimateOf(treatment)!]
    const asked = { control: before, treatment: after, harm: 'increase' as const }
    expect(guardrail(asked)!.breached).toBe(false)
    expect(limitGuardrail({ ...asked, limit: 0.5 })!.breached).toBe(false)
    // Every other one prefers b, and one of them says so again and again.
    const even = people(count).map((_, unit): Unit => [unit % 2 === 0 ? 1 : -1, 1])
    expect(preferenceOf(sumsOf([...even, [searches, searches]]))!.significant).toBe(false)
  })

  it('leaves the sums of others as sure as they were', () => {
    const all = sumsOf(people(count))
    expect(estimateOf(all)!.leverage).toBe(1)
    const one = sumsOf([...people(count), [1, 1]])
    expect(estimateOf(one)!.leverage).toBe(1)
  })
})

it('searches of one busy unit say less than as many of different units', () => {
  const sums = sumsOf([...people(60), [1000, 1000]])
  const share = sums.x / sums.y
  const effect = designEffect({ sums, searches: sums.y, variance: share * (1 - share) })
  expect(sums.y / effect).toBeLessThan(2)
})

it('is at least what leaving out each unit in turn says, and little more where nobody stands out', () => {
  const random = seeded(11)
  for (let round = 0; round < 200; round += 1) {
    // As many searches as people have: most few, some many.
    const units = Array.from({ length: 60 + (round % 7) * 100 }, (): Unit => {
      const y = 1 + Math.floor(-4 * Math.log(1 - random()))
      return [Math.min(y, Math.floor(y * random() * 1.2)), y]
    })
    const sums = sumsOf(units)
    const { variance, leverage = 1 } = estimateOf(sums)!
    const own = (leverage * variance) / sums.units
    const left = units.map(([x, y]) => (sums.x - x) / (sums.y - y))
    const mean = left.reduce((sum, value) => sum + value, 0) / sums.units
    const spread = left.reduce((sum, value) => sum + (value - mean) ** 2, 0)
    const jackknife = (spread * (sums.units - 1)) / sums.units
    expect(own).toBeGreaterThan(0.999 * jackknife)
    expect(Math.sqrt(own / jackknife)).toBeLessThan(1.2)
  }
})
