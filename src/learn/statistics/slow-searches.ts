import {
  ALWAYS_VALID_UNITS_MIN,
  type Guardrail,
  guardrail,
  limitGuardrail,
} from './always-valid.ts'
import { type Estimate, errorSquared, estimateOf } from './estimate.ts'
import {
  bucketsOf,
  countAbove,
  latencyBucket,
  latencyVariance,
  quantileBucket,
} from './latency-histogram.ts'
import type { UnitSums } from './sums.ts'

/** The latencies of an arm's searches. */
export interface Latencies {
  /** Searches by latency bucket. */
  counts: ArrayLike<number>
  /** By unit: x is the sum of its latencies in ms, y its searches. */
  sums: UnitSums
}

/** What is above the 95th percentile. */
const SLOW = 0.05

/**
 * Whether a treatment's 95th percentile is worse than control's and more than tolerated (a share, 0..1); undefined with
 * too few units. In place of the quantiles, the searches beyond them are compared: those of the treatment that are slower
 * than control's 95th percentile · (1 + tolerance), as a share, with control's own share above its percentile, 5 % or
 * what its bucket leaves of it. That control's percentile is estimated, too, is in control's part of the variance: where
 * both shares are the same, an error of the cut moves them alike, and what is left of it is the error of control's share
 * at the true cut (Bahadur: A note on quantiles in large samples, 1966). The tolerance is rounded up to whole buckets of 4 %.
 */
export function slowerThanControl(request: {
  control: Latencies
  treatment: Latencies
  harm: 'decrease' | 'increase'
  tolerance: number
}): Guardrail | undefined {
  const { control, treatment, harm, tolerance } = request
  const cut = quantileBucket(control.counts, 1 - SLOW)
  if (cut === undefined) return undefined
  const further =
    harm === 'increase' ? Math.ceil(bucketsOf(1 + tolerance)) : Math.floor(bucketsOf(1 - tolerance))
  const before = shareAbove(control, cut)
  const after = shareAbove(treatment, cut + further)
  return before && after && guardrail({ control: before, treatment: after, harm })
}

/**
 * Whether a 95th percentile lies beyond a fixed limit in ms; undefined with too few units. The share of searches that are
 * surely slower than the limit (by up to 4 %), or faster for a decrease, against 5 %.
 */
export function slowerThanLimit(request: {
  treatment: Latencies
  harm: 'decrease' | 'increase'
  limitMs: number
}): Guardrail | undefined {
  const { treatment, harm, limitMs } = request
  const own = latencyBucket(limitMs)
  const share = shareAbove(treatment, harm === 'increase' ? own : own - 1)
  if (share === undefined) return undefined
  // At the limit it has that much; where all searches are alike, its own would be certain of everything.
  const variance = Math.max(share.variance, SLOW * (1 - SLOW))
  return limitGuardrail({ treatment: { ...share, variance }, harm, limit: SLOW })
}

/**
 * The share of searches above a bucket. Searches of one unit are alike, so that they say less than as many of different
 * units: `units` is as many as would say the same, searches / design effect (Kish: Survey sampling, 1965).
 */
function shareAbove(latencies: Latencies, bucket: number): Estimate | undefined {
  const { counts } = latencies
  const searches = countAbove(counts, -1)
  const effect = designEffect(latencies, searches)
  if (effect === undefined) return undefined
  const value = countAbove(counts, bucket) / searches
  return { units: searches / effect, value, variance: value * (1 - value) }
}

/**
 * How much less sure the mean latency is than if each search were a unit of its own, at least 1; it stands for that of the
 * share of slow searches, which by unit nobody counts. Undefined with too few units.
 */
function designEffect({ counts, sums }: Latencies, searches: number): number | undefined {
  const mean = sums.units < ALWAYS_VALID_UNITS_MIN ? undefined : estimateOf(sums)
  if (mean === undefined || searches === 0) return undefined
  const alone = latencyVariance(counts) / searches
  return alone > 0 ? Math.max(1, errorSquared(mean) / alone) : 1
}
