import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  assign,
  bucketsOfArms,
  bucketsOfShares,
} from '../../../src/learn/experiments/assignment.ts'
import { BUCKETS, bucketOf } from '../../../src/learn/statistics/buckets.ts'
import {
  ASSIGNMENT_SEEDS,
  ASSIGNMENT_VECTORS,
  type AssignmentInput,
} from '../../../src/schema/assignment.ts'

function assigned({ testId, unit, share, arms }: AssignmentInput) {
  return assign(testId, unit, bucketsOfShares(share, arms))
}

function chiSquareOf(counts: ArrayLike<number>, expected: number): number {
  let sum = 0
  for (let cell = 0; cell < counts.length; cell += 1)
    sum += (counts[cell]! - expected) ** 2 / expected
  return sum
}

describe('assignment', () => {
  it('gives the published vectors', () => {
    for (const { testId, unit, share, arms, ...answer } of ASSIGNMENT_VECTORS)
      expect(assigned({ testId, unit, share, arms })).toEqual(answer)
  })

  it('is murmur3 of test and unit, with seeds that never change', () => {
    expect(ASSIGNMENT_SEEDS).toEqual({ inclusion: 0x6a09e667, arm: 0xbb67ae85 })
    // mmh3.hash('prüfung:Zoë ☕', 0xbb67ae85, signed=False) % 10000 in Python, and with the other seed.
    expect(bucketOf('prüfung', 'Zoë ☕', 'arm')).toBe(3802)
    expect(bucketOf('prüfung', 'Zoë ☕', 'inclusion')).toBe(8556)
  })

  it('spreads a million units evenly over the buckets and independently over both purposes', () => {
    const units = 1_000_000
    const arm = new Float64Array(BUCKETS)
    const inclusion = new Float64Array(BUCKETS)
    const both = new Float64Array(100 * 100)
    for (let unit = 0; unit < units; unit += 1) {
      const first = bucketOf('test', `user-${unit}`, 'inclusion')
      const second = bucketOf('test', `user-${unit}`, 'arm')
      inclusion[first] = inclusion[first]! + 1
      arm[second] = arm[second]! + 1
      const cell = Math.floor(first / 100) * 100 + Math.floor(second / 100)
      both[cell] = both[cell]! + 1
    }
    // 9 999 degrees of freedom: mean 9 999, standard deviation 141; four of them to either side.
    for (const counts of [arm, inclusion, both]) {
      const chiSquare = chiSquareOf(counts, units / BUCKETS)
      expect(chiSquare).toBeGreaterThan(9999 - 4 * 141.4)
      expect(chiSquare).toBeLessThan(9999 + 4 * 141.4)
    }
  })

  it('tells nothing about the arm of the same unit in another test', () => {
    const cells = new Float64Array(4)
    for (let unit = 0; unit < 100_000; unit += 1) {
      const [first, second] = ['test-1', 'test-2'].map(
        (testId) => assigned({ testId, unit: `${unit}`, share: 1, arms: [0.5, 0.5] }).arm,
      )
      const cell = first! * 2 + second!
      cells[cell] = cells[cell]! + 1
    }
    // 3 degrees of freedom, .1 % point.
    expect(chiSquareOf(cells, 25_000)).toBeLessThan(16.27)
  })

  it('only ever adds units when the share grows, and moves none to another arm', () => {
    const arms = [0.2, 0.3, 0.5]
    fc.assert(
      fc.property(fc.string(), fc.double({ min: 0, max: 1, noNaN: true }), (unit, share) => {
        const narrow = assigned({ testId: 't', unit, share, arms })
        const wide = assigned({ testId: 't', unit, share: (1 + share) / 2, arms })
        if (narrow.inExperiment) expect(wide).toEqual(narrow)
        else expect(narrow.arm).toBe(0)
      }),
    )
  })

  it('takes as many of the buckets as its share says, to the bucket', () => {
    const inAt = (unit: string, buckets: number) =>
      assigned({ testId: 't', unit, share: buckets / BUCKETS, arms: [1] }).inExperiment
    for (const unit of ['ann', 'bob', 'cleo']) {
      const bucket = bucketOf('t', unit, 'inclusion')
      expect([inAt(unit, bucket), inAt(unit, bucket + 1)]).toEqual([false, true])
    }
  })

  it('lets everyone in at 1 and no one at 0', () => {
    for (let unit = 0; unit < 1000; unit += 1) {
      const asked = { testId: 't', unit: `${unit}`, arms: [0.5, 0.5] }
      expect(assigned({ ...asked, share: 1 }).inExperiment).toBe(true)
      expect(assigned({ ...asked, share: 0 }).inExperiment).toBe(false)
    }
  })
})

describe('the buckets of the arms', () => {
  it.each([
    [
      [0.5, 0.5],
      [5000, 5000],
    ],
    [
      [1 / 3, 1 / 3, 1 / 3],
      [3334, 3333, 3333],
    ],
    [
      [0.57, 0.43],
      [5700, 4300],
    ],
    [
      [0.00005, 0.99995],
      [1, 9999],
    ],
    [
      [1, 0],
      [10_000, 0],
    ],
  ])('of %j are %j', (arms, buckets) => {
    expect(bucketsOfArms(arms)).toEqual(buckets)
  })

  it('sum to all of them, each within one of its share', () => {
    const weights = fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 1 })
    fc.assert(
      fc.property(weights, (arms) => {
        const total = arms.reduce((sum, share) => sum + share, 0)
        const buckets = bucketsOfArms(arms)
        expect(buckets.reduce((sum, count) => sum + count, 0)).toBe(BUCKETS)
        buckets.forEach((count, arm) => {
          expect(Math.abs(count - (arms[arm]! / total) * BUCKETS)).toBeLessThan(1.000_01)
        })
      }),
    )
  })

  it('refuse shares that sum to nothing or are negative', () => {
    expect(() => bucketsOfArms([])).toThrow(RangeError)
    expect(() => bucketsOfArms([2, -1])).toThrow(RangeError)
  })
})
