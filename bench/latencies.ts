import { percentile } from './measures.ts'

/** Figures of one kind of request; latencies count from the moment it was due. `sortedMs` holds them all, ascending. */
export interface KindReport {
  kind: string
  requests: number
  perSecond: number
  p50Ms: number
  p90Ms: number
  p99Ms: number
  maxMs: number
  meanMs: number
  sortedMs: Float64Array
}

/** Latencies by the kind of their requests; every one is kept, so percentiles are exact. */
export interface Latencies {
  add: (kind: string, ms: number) => void
  /** What came in so many seconds; called once, at the end. */
  report: (seconds: number) => KindReport[]
}

interface Samples {
  values: Float64Array
  length: number
}

export function openLatencies(): Latencies {
  const kinds = new Map<string, Samples>()
  return {
    add: (kind, ms) => {
      let samples = kinds.get(kind)
      if (samples === undefined) {
        samples = { values: new Float64Array(1 << 16), length: 0 }
        kinds.set(kind, samples)
      }
      if (samples.length === samples.values.length) {
        const wider = new Float64Array(samples.length * 2)
        wider.set(samples.values)
        samples.values = wider
      }
      samples.values[samples.length++] = ms
    },
    report: (seconds) => [...kinds].map(([kind, samples]) => figuresOf(kind, samples, seconds)),
  }
}

function figuresOf(kind: string, { values, length }: Samples, seconds: number): KindReport {
  const sorted = values.subarray(0, length).sort()
  return {
    kind,
    requests: length,
    perSecond: length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p90Ms: percentile(sorted, 0.9),
    p99Ms: percentile(sorted, 0.99),
    maxMs: sorted.at(-1) ?? 0,
    meanMs: sorted.reduce((sum, value) => sum + value, 0) / Math.max(1, length),
    sortedMs: sorted,
  }
}
