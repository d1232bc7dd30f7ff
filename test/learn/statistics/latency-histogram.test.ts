import { describe, expect, it } from 'vitest'
import {
  LATENCY_BUCKETS,
  LATENCY_ERROR,
  latencyBucket,
  latencyQuantile,
} from '../../../src/learn/statistics/latency-histogram.ts'
import { gumbel, seeded } from '../../../src/learn/statistics/random.ts'

function countsOf(latencies: number[]): number[] {
  const counts = new Array<number>(LATENCY_BUCKETS).fill(0)
  for (const tookMs of latencies) counts[latencyBucket(tookMs)]! += 1
  return counts
}

describe('the latency histogram', () => {
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

  it('of two machines is the sum of theirs', () => {
    const [first, second] = [
      [1, 2, 3],
      [40, 50],
    ].map(countsOf)
    const sum = first!.map((count, bucket) => count + second![bucket]!)
    expect(latencyQuantile(sum, 0.95)).toBe(latencyQuantile(countsOf([1, 2, 3, 40, 50]), 0.95))
  })
})
