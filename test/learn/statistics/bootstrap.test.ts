import { describe, expect, it } from 'vitest'
import { GROUPS_MAX, groupUnits, resample } from '../../../src/learn/statistics/bootstrap.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'
import { normal } from './normal.ts'

/** A ratio's numerator and denominator by unit. */
function columnsOf(units: number, seed: number): [Float64Array, Float64Array] {
  const random = seeded(seed)
  const below = Float64Array.from({ length: units }, () => 1 + Math.floor(5 * random()))
  const above = below.map((count) => count * 0.4 + normal(random))
  return [above, below]
}

function ratioOf([above = 0, below = 0]: readonly number[]): number {
  return above / below
}

describe('the bootstrap', () => {
  it("is as wide as the delta method's interval", () => {
    const { low, high } = resample(columnsOf(1000, 1), 1, ratioOf)
    // Per unit the deviation from the ratio is standard normal noise, over a mean denominator of 3.
    const width = (2 * 1.96) / 3 / Math.sqrt(1000)
    expect(Math.abs((high - low) / width - 1)).toBeLessThan(0.15)
    expect(low).toBeLessThan(0.4 + width / 2)
    expect(high).toBeGreaterThan(0.4 - width / 2)
  })

  it('leaves as many resamples on either side of its interval', () => {
    let drawn = 0
    const inTurn = () => drawn++
    expect(resample([Float64Array.of(1, 2)], 1, inTurn)).toEqual({ low: 25, high: 999 - 25 })
  })

  it('over groups of units is as wide as over the units', () => {
    const columns = columnsOf(10 * GROUPS_MAX, 2)
    const groups = groupUnits(columns)
    expect(groups.map((group) => group.length)).toEqual([GROUPS_MAX, GROUPS_MAX])
    const sumOf = (column: Float64Array) => column.reduce((sum, value) => sum + value, 0)
    for (const [at, group] of groups.entries())
      expect(sumOf(group)).toBeCloseTo(sumOf(columns[at] as Float64Array), 6)
    const coarse = resample(groups, 3, ratioOf)
    const fine = resample(columns, 3, ratioOf)
    const ratio = (coarse.high - coarse.low) / (fine.high - fine.low)
    expect(Math.abs(ratio - 1)).toBeLessThan(0.15)
  })

  it('leaves few units as they are', () => {
    const columns = columnsOf(50, 3)
    expect(groupUnits(columns)).toEqual(columns)
  })
})
