/** One histogram of a metrics page, all its label sets together. */
export interface Histogram {
  count: number
  /** Interpolated within its bucket, as PromQL's histogram_quantile; NaN when nothing was observed. */
  quantile: (share: number) => number
}

/** Reads the histogram `name` from a page in Prometheus text form. */
export function readHistogram(page: string, name: string): Histogram {
  const buckets = new Map<number, number>()
  for (const line of page.split('\n')) {
    const [, bound, value] =
      new RegExp(`^${name}_bucket\\{.*?le="([^"]+)".*?\\} (\\S+)`).exec(line) ?? []
    if (bound === undefined) continue
    const upTo = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound)
    buckets.set(upTo, (buckets.get(upTo) ?? 0) + Number(value))
  }
  const sorted = [...buckets].sort(([a], [b]) => a - b)
  const count = sorted.at(-1)?.[1] ?? 0
  return { count, quantile: (share) => quantileOf(sorted, share * count) }
}

function quantileOf(buckets: [number, number][], wanted: number): number {
  let [from, below] = [0, 0]
  for (const [bound, upTo] of buckets) {
    if (upTo >= wanted && upTo > below)
      return bound === Number.POSITIVE_INFINITY
        ? from
        : from + ((bound - from) * (wanted - below)) / (upTo - below)
    from = bound
    below = upTo
  }
  return Number.NaN
}
