import { expect, it } from 'vitest'
import { COUNTS } from '../../../src/learn/experiments/metrics.ts'

it('what is counted of a unit keeps its place: stored rows are read by it, so new ones go to the end', () => {
  expect(COUNTS).toEqual([
    'searches',
    'clicked',
    'reciprocal',
    'empty',
    'converted',
    'tookMs',
    'ratings',
    'rated',
    'decided',
    'wins',
  ])
})
