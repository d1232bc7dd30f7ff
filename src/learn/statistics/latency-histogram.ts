/** A quantile read from the buckets is within this share of the exact one, between the two ends. */
export const LATENCY_ERROR = 0.02

const LOWEST_MS = 0.1
const HIGHEST_MS = 60_000
const GROWTH = (1 + LATENCY_ERROR) / (1 - LATENCY_ERROR)

/** Buckets of every histogram; counts of the same bucket add up across arms, machines and days. */
export const LATENCY_BUCKETS = bucketAbove(HIGHEST_MS) + 1

/**
 * The bucket of a latency in ms: log-spaced, bucket i ends at 0.1 · 1.0408^i ms. 0.1 ms and less is bucket
 * 0, a minute and more the last. As in DDSketch (Masson, Rim, Lee 2019).
 */
export function latencyBucket(tookMs: number): number {
  return tookMs > LOWEST_MS ? Math.min(bucketAbove(tookMs), LATENCY_BUCKETS - 1) : 0
}

/**
 * The latency in ms that a share `quantile` (0..1) of the counted ones doesn't exceed; `counts` by bucket.
 * Undefined when nothing is counted.
 */
export function latencyQuantile(counts: ArrayLike<number>, quantile: number): number | undefined {
  const bucket = quantileBucket(counts, quantile)
  return bucket === undefined ? undefined : latencyOf(bucket)
}

/** The bucket in which that latency lies; undefined when nothing is counted. */
export function quantileBucket(counts: ArrayLike<number>, quantile: number): number | undefined {
  const total = latencyCount(counts)
  if (total === 0) return undefined
  const rank = Math.max(1, Math.ceil(quantile * total))
  let below = 0
  let bucket = -1
  while (below < rank) {
    bucket += 1
    below += counts[bucket] ?? 0
  }
  return bucket
}

/** How many latencies are counted. */
export function latencyCount(counts: ArrayLike<number>): number {
  return countAbove(counts, -1)
}

/** How many latencies are counted in buckets above this one; a bucket below 0 leaves none out. */
export function countAbove(counts: ArrayLike<number>, bucket: number): number {
  let above = 0
  for (let at = Math.max(0, bucket + 1); at < counts.length; at += 1) above += counts[at] ?? 0
  return above
}

/** By how many buckets a latency grows that is multiplied by a factor; not whole, and −Infinity for none at all. */
export function bucketsOf(factor: number): number {
  return Math.log(Math.max(0, factor)) / Math.log(GROWTH)
}

/** The variance of one counted latency, in ms², to some 4 %; 0 when nothing is counted. */
export function latencyVariance(counts: ArrayLike<number>): number {
  let [total, sum, squares] = [0, 0, 0]
  for (let bucket = 0; bucket < counts.length; bucket += 1) {
    const count = counts[bucket] ?? 0
    if (count === 0) continue
    const tookMs = latencyOf(bucket)
    total += count
    sum += count * tookMs
    squares += count * tookMs * tookMs
  }
  return total === 0 ? 0 : Math.max(0, squares / total - (sum / total) ** 2)
}

/** Where a bucket ends, in ms: what is above it is slower. */
export function latencyEnd(bucket: number): number {
  return bucket < 0 ? 0 : LOWEST_MS * GROWTH ** bucket
}

/** The latency that is at most 2 % from every other one in the bucket. */
function latencyOf(bucket: number): number {
  return bucket === 0 ? LOWEST_MS : (2 * LOWEST_MS * GROWTH ** bucket) / (GROWTH + 1)
}

function bucketAbove(tookMs: number): number {
  return Math.ceil(Math.log(tookMs / LOWEST_MS) / Math.log(GROWTH))
}
