import { LATENCY_BUCKETS, latencyBucket, latencyQuantile } from '../statistics/latency-histogram.ts'

/** How soon feedback counts, since the start. */
export interface Lag {
  observe: (seconds: number) => void
  /** Milliseconds, within 2 %; null before the first. */
  figures: () => { count: number; p50: number | null; p95: number | null; p99: number | null }
}

export function openLag(): Lag {
  const counts = new Float64Array(LATENCY_BUCKETS)
  let count = 0
  const quantile = (share: number): number | null => {
    const ms = latencyQuantile(counts, share)
    return ms === undefined ? null : Math.round(ms * 10) / 10
  }
  return {
    observe: (seconds) => {
      const bucket = latencyBucket(seconds * 1000)
      counts[bucket] = (counts[bucket] ?? 0) + 1
      count += 1
    },
    figures: () => ({ count, p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) }),
  }
}
