import { describe, expect, it } from 'vitest'
import { mean, ndcg, overlap, percentile, recall } from '../../bench/measures.ts'

describe('nDCG with linear gains', () => {
  it('is 1 for the ideal order and 0 when nothing relevant was found', () => {
    const labels = new Map([
      ['a', 2],
      ['b', 1],
    ])
    expect(ndcg(['a', 'b', 'x'], labels, 10)).toBe(1)
    expect(ndcg(['x', 'y'], labels, 10)).toBe(0)
    expect(ndcg(['a'], new Map(), 10)).toBe(0)
  })

  it('agrees with a value worked out by hand', () => {
    const labels = new Map([
      ['a', 3],
      ['b', 2],
      ['c', 1],
    ])
    const gained = 1 / Math.log2(2) + 3 / Math.log2(4)
    const ideal = 3 / Math.log2(2) + 2 / Math.log2(3) + 1 / Math.log2(4)
    expect(ndcg(['c', 'x', 'a', 'y'], labels, 10)).toBeCloseTo(gained / ideal, 12)
  })

  it('looks no deeper than asked and counts a repeated document once', () => {
    const labels = new Map([['a', 1]])
    expect(ndcg(['x', 'a'], labels, 1)).toBe(0)
    expect(ndcg(['a', 'a'], labels, 10)).toBe(1)
  })
})

describe('other measures', () => {
  it('counts the share of relevant documents found within the depth', () => {
    const labels = new Map([
      ['a', 1],
      ['b', 1],
      ['c', 0],
    ])
    expect(recall(['a', 'c', 'b'], labels, 2)).toBe(0.5)
    expect(recall(['a', 'c', 'b'], labels, 100)).toBe(1)
  })

  it('takes percentiles by the nearest rank', () => {
    const sorted = Float64Array.from({ length: 100 }, (_, index) => index + 1)
    expect(percentile(sorted, 0.5)).toBe(50)
    expect(percentile(sorted, 0.99)).toBe(99)
    expect(percentile(sorted, 1)).toBe(100)
    expect(percentile([], 0.5)).toBe(0)
  })

  it('measures overlap against the truth, whatever else was found', () => {
    expect(overlap(['a', 'x', 'b'], ['a', 'b', 'c', 'd'])).toBe(0.5)
    expect(overlap([], [])).toBe(1)
    expect(mean([1, 2, 6])).toBe(3)
    expect(mean([])).toBe(0)
  })
})
