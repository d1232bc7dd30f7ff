import { expect, it } from 'vitest'
import { reciprocalRank } from '../../../src/learn/statistics/reciprocal-rank.ts'

it.each([
  [0, 0],
  [1, 1],
  [3, 1 / 3],
  [10, 0.1],
  [11, 0],
  [Number.POSITIVE_INFINITY, 0],
])('a click at place %d counts %d', (place, rank) => {
  expect(reciprocalRank(place)).toBe(rank)
})
