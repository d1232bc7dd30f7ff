import { describe, expect, it } from 'vitest'
import { gumbel, seeded, xoshiro128 } from '../../../src/learn/statistics/random.ts'

/** Mean and variance of many draws. */
function momentsOf(draw: () => number, draws: number): { mean: number; variance: number } {
  let sum = 0
  let squares = 0
  for (let index = 0; index < draws; index += 1) {
    const value = draw()
    sum += value
    squares += value * value
  }
  return { mean: sum / draws, variance: squares / draws - (sum / draws) ** 2 }
}

describe('the seeded source', () => {
  it('is the published xoshiro128**', () => {
    const next = xoshiro128([1, 2, 3, 4])
    expect(Array.from({ length: 10 }, next)).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597,
      4258142804,
    ])
  })

  it('repeats itself for a seed and differs between seeds, small and large', () => {
    const seeds = [0, 1, 2, 2 ** 32, 2 ** 32 + 1, 2 ** 52 + 5]
    const runs = seeds.map((seed) => Array.from({ length: 5 }, seeded(seed)))
    expect(seeds.map((seed) => Array.from({ length: 5 }, seeded(seed)))).toEqual(runs)
    expect(new Set(runs.map(([first]) => first)).size).toBe(seeds.length)
  })

  it('fills the unit interval evenly, and so do the first numbers of successive seeds', () => {
    const random = seeded(7)
    let seed = 0
    for (const draw of [random, () => seeded(seed++)()]) {
      const cells = new Array<number>(100).fill(0)
      for (let index = 0; index < 100_000; index += 1) {
        const cell = Math.floor(draw() * 100)
        cells[cell] = cells[cell]! + 1
      }
      const chiSquare = cells.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
      // 99 degrees of freedom: .1 % points below and above.
      expect(chiSquare).toBeGreaterThan(60)
      expect(chiSquare).toBeLessThan(149)
    }
  })

  it('makes Gumbel draws with the right mean and variance, always finite', () => {
    const random = seeded(3)
    const draws = momentsOf(() => gumbel(random), 200_000)
    expect(draws.mean).toBeCloseTo(0.5772, 1)
    expect(Math.abs(draws.variance / (Math.PI ** 2 / 6) - 1)).toBeLessThan(0.03)
    for (const uniform of [0, 1 - 2 ** -53])
      expect(gumbel(() => uniform)).toSatisfy(Number.isFinite)
  })
})
