import { describe, expect, it } from 'vitest'
import {
  bucketsOf,
  countAbove,
  LATENCY_BUCKETS,
  LATENCY_ERROR,
  latencyBucket,
  latencyQuantile,
  latencyVariance,
  quantileBucket,
} from '../../../src/learn/statistics/latency-histogram.ts'
import { gumbel, seeded } from '../../../src/learn/statistics/random.ts'

function countsOf(latencies: number[]): number[] {
  const counts = new Array<number>(LATENCY_BUCKETS).fill(0)
  for (const tookMs of latencies) counts[latencyBucket(tookMs)]! += 1
  return counts
}

describe('the latency histogram', () => {
  it('reads a quantile where so many latencies are reached, and not one before', () => {
    const counts = [1, 1, 1, 0, 1]
    expect(quantileBucket(counts, 0.5)).toBe(1)
    expect(quantileBucket(counts, 0.51)).toBe(2)
    expect(quantileBucket(counts, 0.75)).toBe(2)
    expect(quantileBucket(counts, 0.76)).toBe(4)
  })

  it('reads quantiles within its stated error, from a tenth of a millisecond to a minute', () => {
    const random = seeded(2)
    for (const middleMs of [0.3, 7, 900, 20_000]) {
      const latencies = Array.from({ length: 5000 }, () => middleMs * Math.exp(gumbel(random) / 5))
      const counts = countsOf(latencies)
      latencies.sort((a, b) => a - b)
      for (const quantile of [0.01, 0.5, 0.95, 0.99, 1]) {
        const exact = Math.min(60_000, latencies[Math.ceil(quantile * 5000) - 1]!)
        const read = latencyQuantile(counts, quantile)!
        expect(Math.abs(read / exact - 1)).toBeLessThanOrEqual(LATENCY_ERROR + 1e-9)
      }
    }
  })

  it('takes everything that a clock can say', () => {
    expect([-1, 0, 0.1].map(latencyBucket)).toEqual([0, 0, 0])
    expect(latencyBucket(60_000)).toBe(LATENCY_BUCKETS - 1)
    expect(latencyBucket(Number.POSITIVE_INFINITY)).toBe(LATENCY_BUCKETS - 1)
    expect(latencyQuantile([], 0.95)).toBeUndefined()
    expect(latencyQuantile(countsOf([0]), 0.95)).toBe(0.1)
  })

  it('counts what is slower than a quantile, and than a multiple of it', () => {
    const latencies = Array.from({ length: 1000 }, (_, n) => n + 1)
    const counts = countsOf(latencies)
    const middle = quantileBucket(counts, 0.5)!
    expect(middle).toBe(latencyBucket(500))
    expect(countAbove(counts, -1)).toBe(1000)
    expect(Math.abs(countAbove(counts, middle) - 500)).toBeLessThan(500 * 2 * LATENCY_ERROR)
    const further = Math.round(bucketsOf(1.5))
    expect(Math.abs(countAbove(counts, middle + further) - 250)).toBeLessThan(
      2 * 750 * LATENCY_ERROR,
    )
    expect(bucketsOf(1)).toBe(0)
    expect(bucketsOf(-1)).toBe(Number.NEGATIVE_INFINITY)
    expect(quantileBucket([], 0.5)).toBeUndefined()
  })

  it('knows the variance to some percent', () => {
    const latencies = Array.from({ length: 1000 }, (_, n) => n + 1)
    expect(latencyVariance(countsOf(latencies)) / ((1000 ** 2 - 1) / 12)).toBeCloseTo(1, 1)
    expect(latencyVariance(countsOf([7, 7]))).toBe(0)
    expect(latencyVariance([])).toBe(0)
  })

  it('of two machines is the sum of theirs', () => {
    const [first, second] = [
      [1, 2, 3],
      [40, 50],
    ].map(countsOf)
    const sum = first!.map((count, bucket) => count + second![bucket]!)
    expect(latencyQuantile(sum, 0.95)).toBe(latencyQuantile(countsOf([1, 2, 3, 40, 50]), 0.95))
  })
})
