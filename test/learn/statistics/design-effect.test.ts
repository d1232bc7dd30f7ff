import { describe, expect, it } from 'vitest'
import { designEffect } from '../../../src/learn/statistics/design-effect.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'
import { addUnit, NO_UNITS, type UnitCounts } from '../../../src/learn/statistics/sums.ts'

const sumsOf = (units: readonly UnitCounts[]) => units.reduce(addUnit, NO_UNITS)
const units = (count: number, of: (at: number) => UnitCounts) =>
  sumsOf(Array.from({ length: count }, (_, at) => of(at)))

describe('the design effect', () => {
  it('is 1 where searches of one unit are no more alike than others', () => {
    const random = seeded(1)
    const clicks = () => Array.from({ length: 5 }, () => random() < 0.3).filter(Boolean).length
    const sums = units(4000, () => ({ x: clicks(), y: 5 }))
    expect(designEffect({ sums, searches: 20_000, variance: 0.21 })).toBeLessThan(1.1)
    expect(designEffect({ sums: NO_UNITS, searches: 100, variance: 0.21 })).toBe(1)
  })

  it('is the number of searches of a unit where these are all the same', () => {
    const sums = units(400, (at) => ({ x: at % 2 ? 5 : 0, y: 5 }))
    expect(designEffect({ sums, searches: 2000, variance: 0.25 })).toBeCloseTo(5, 1)
  })

  it('takes searches of few units for the same', () => {
    const busy = sumsOf([{ x: 30, y: 91 }, ...Array.from({ length: 9 }, () => ({ x: 1, y: 1 }))])
    const searches = 100
    const effect = designEffect({ sums: busy, searches, variance: 0.25 })
    // As much as n² / Σm² searches of their own.
    expect(searches / effect).toBeCloseTo(100 ** 2 / (91 ** 2 + 9), 6)
  })

  it('counts each search of nobody as one of its own', () => {
    const sums = sumsOf([{ x: 0, y: 10 }])
    expect(designEffect({ sums, searches: 10, variance: 0.25 })).toBe(10)
    expect(designEffect({ sums, searches: 100, variance: 0.25 })).toBeCloseTo(1.9, 9)
  })
})
