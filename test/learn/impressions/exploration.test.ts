import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  EXPLORED_MAX,
  expectedExamination,
  explore,
  marginalRows,
  propensities,
} from '../../../src/learn/impressions/exploration.ts'
import { processorMs } from '../../processor-time.ts'

const scores = [0.91, 0.88, 0.7, 0.69, 0.5, 0.41, 0.4, 0.22, 0.1, 0.02]

/** The probability of hit i at position p, as `[i][p]`. */
function marginals(values: number[], temperature: number): number[][] {
  const rows = marginalRows(values, temperature)
  const places = Array.from({ length: Math.sqrt(rows.length) }, (_, place) => place)
  return places.map((hit) => places.map((position) => rows[position * places.length + hit]!))
}

/** All orders of 0..n-1, to sum the Plackett–Luce probabilities one by one. */
function ordersOf(items: number[]): number[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item) =>
    ordersOf(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  )
}

function marginalsByEnumeration(values: number[], temperature: number): number[][] {
  const weights = values.map((value) => Math.exp(value / temperature))
  const table = values.map(() => values.map(() => 0))
  for (const order of ordersOf(values.map((_, item) => item))) {
    let left = weights.reduce((sum, weight) => sum + weight, 0)
    let probability = 1
    for (const item of order) {
      probability *= weights[item]! / left
      left -= weights[item]!
    }
    for (const [position, item] of order.entries()) table[item]![position]! += probability
  }
  return table
}

describe('exploring a page', () => {
  it('is a permutation that leaves hits past the tenth alone, the same for the same seed', () => {
    const long = Array.from({ length: 25 }, (_, place) => 1 - place / 25)
    for (let seed = 0; seed < 50; seed += 1) {
      const order = explore(long, seed, 0.5)
      expect(order.toSorted((a, b) => a - b)).toEqual(long.map((_, place) => place))
      expect(order.slice(EXPLORED_MAX)).toEqual(
        Array.from({ length: 15 }, (_, place) => place + 10),
      )
      expect(explore(long, seed, 0.5)).toEqual(order)
    }
  })

  it('shows each hit at each position as often as the marginals say', () => {
    const draws = 100_000
    const counts = new Float64Array(100)
    for (let seed = 0; seed < draws; seed += 1)
      explore(scores, seed, 0.2).forEach((hit, position) => {
        counts[hit * 10 + position] = counts[hit * 10 + position]! + 1
      })
    const exact = marginals(scores, 0.2)
    for (let hit = 0; hit < 10; hit += 1)
      for (let position = 0; position < 10; position += 1) {
        const expected = exact[hit]![position]!
        const error = Math.sqrt((expected * (1 - expected)) / draws)
        expect(Math.abs(counts[hit * 10 + position]! / draws - expected)).toBeLessThan(5 * error)
      }
  })

  it('keeps the greedy order at a temperature next to nothing, and never leaves the doubles', () => {
    const order = scores.map((_, place) => place)
    expect(explore(scores, 1, 1e-9)).toEqual(order)
    const exact = marginals(scores, 1e-9)
    for (const hit of order) expect(exact[hit]![hit]).toBeCloseTo(1, 12)
  })

  it('refuses a temperature that is not above 0', () => {
    expect(() => explore(scores, 1, 0)).toThrow(RangeError)
  })
})

describe('marginals', () => {
  it('equal the sum over all orders', () => {
    const values = scores.slice(0, 6)
    const exact = marginals(values, 0.3)
    marginalsByEnumeration(values, 0.3).forEach((row, hit) => {
      row.forEach((probability, position) => {
        expect(exact[hit]![position]).toBeCloseTo(probability, 12)
      })
    })
  })

  it('are doubly stochastic whatever the scores', () => {
    const list = fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { maxLength: 12 })
    fc.assert(
      fc.property(list, fc.double({ min: 0.001, max: 10, noNaN: true }), (values, temperature) => {
        const table = marginals(values, temperature)
        expect(table).toHaveLength(Math.min(values.length, EXPLORED_MAX))
        table.forEach((row, hit) => {
          expect(row.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9)
          expect(table.reduce((sum, other) => sum + other[hit]!, 0)).toBeCloseTo(1, 9)
        })
      }),
    )
  })

  it('of a single hit and of no hit are known without drawing', () => {
    expect(marginals([3], 1)).toEqual([[1]])
    expect(marginals([], 1)).toEqual([])
    expect(explore([], 1, 1)).toEqual([])
  })

  it('of ten hits come in a fraction of a millisecond', () => {
    const tookMs = processorMs(() => {
      for (let run = 0; run < 100; run += 1) marginalRows(scores, 0.2)
    }, 20)
    expect(tookMs / 100).toBeLessThan(0.3)
  })
})

describe('propensities', () => {
  const long = [...scores, 0.01, 0.005]

  it('mix the greedy place with the marginals', () => {
    const order = [1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    const exact = marginals(long, 0.2)
    const shown = propensities({ scores: long, order, epsilon: 0.1, temperature: 0.2 })
    expect(shown[0]).toBeCloseTo(0.1 * exact[1]![0]!, 12)
    expect(shown[2]).toBeCloseTo(0.9 + 0.1 * exact[2]![2]!, 12)
    expect(shown.slice(10)).toEqual([1, 1])
  })

  it('without exploration are 1 in greedy order', () => {
    const order = long.map((_, place) => place)
    const shown = propensities({ scores: long, order, epsilon: 0, temperature: 0.2 })
    expect(shown).toEqual(order.map(() => 1))
  })

  it('give the expected examination of each hit', () => {
    const examination = long.map((_, place) => 1 / (place + 1))
    const epsilon = 0.3
    const expected = expectedExamination({ scores: long, epsilon, temperature: 0.2, examination })
    const exact = marginals(long, 0.2)
    exact.forEach((row, hit) => {
      const explored = row.reduce((sum, share, place) => sum + share * examination[place]!, 0)
      expect(expected[hit]).toBeCloseTo(0.7 * examination[hit]! + 0.3 * explored, 12)
    })
    expect(expected.slice(10)).toEqual(examination.slice(10))
  })
})
