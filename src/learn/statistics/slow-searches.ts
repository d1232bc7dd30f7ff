import {
  ALWAYS_VALID_UNITS_MIN,
  type Guardrail,
  guardrail,
  limitGuardrail,
} from './always-valid.ts'
import { designEffect } from './design-effect.ts'
import type { Estimate } from './estimate.ts'
import {
  bucketsOf,
  countAbove,
  latencyBucket,
  latencyCount,
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
  /** The percentile that is asked for, 0..1. */
  quantile: number
}

/** Counts of searches, with how alike the searches of one unit are. */
interface Sampled {
  counts: ArrayLike<number>
  effect: number
}

interface SlowRequest {
  control: Sampled
  treatment: Sampled
  /** The percentile, 0..1. */
  quantile: number
  harm: 'decrease' | 'increase'
  /** The share of control that may be lost, 0..1. */
  tolerance: number
}

/** The shares of searches that are slower than control's percentile, and that moved by what is tolerated. */
export interface SlowShares {
  control: Estimate
  treatment: Estimate
  /** The bucket above which searches of the treatment are slow. */
  bucket: number
}

/**
 * Whether a treatment's percentile is worse than control's and more than tolerated (a share, 0..1); undefined with
 * too few units.
 */
export function slowerThanControl(request: {
  control: Latencies
  treatment: Latencies
  harm: 'decrease' | 'increase'
  tolerance: number
}): Guardrail | undefined {
  const { harm, tolerance } = request
  const control = sampled(request.control)
  const treatment = sampled(request.treatment)
  if (control === undefined || treatment === undefined) return undefined
  const { quantile } = request.treatment
  const shares = slowShares({ control, treatment, quantile, harm, tolerance })
  return shares && guardrail({ ...shares, harm })
}

/**
 * What stands for two percentiles where they are compared: the share of the treatment's searches that are slower than
 * control's percentile · (1 + tolerance), and control's own share above its percentile, 5 % of the 95th or what its bucket
 * leaves of it. That control's percentile is estimated, too, is in control's part of the variance: where both shares are
 * the same, an error of the cut moves them alike, and what is left of it is the error of control's share at the true cut
 * (Bahadur: A note on quantiles in large samples, 1966). The tolerance is rounded up to whole buckets of 4 %. Undefined
 * where nothing is counted.
 */
export function slowShares(request: SlowRequest): SlowShares | undefined {
  const { control, treatment, quantile, harm, tolerance } = request
  const cut = quantileBucket(control.counts, quantile)
  if (cut === undefined || latencyCount(treatment.counts) === 0) return undefined
  const further =
    harm === 'increase' ? Math.ceil(bucketsOf(1 + tolerance)) : Math.floor(bucketsOf(1 - tolerance))
  const bucket = cut + further
  return { control: shareAbove(control, cut), treatment: shareAbove(treatment, bucket), bucket }
}

/**
 * Whether a percentile lies beyond a fixed limit in ms; undefined with too few units. The share of searches that are
 * surely slower than the limit (by up to 4 %), or faster for a decrease, against what is above the percentile: 5 % of the
 * 95th.
 */
export function slowerThanLimit(request: {
  treatment: Latencies
  harm: 'decrease' | 'increase'
  limitMs: number
}): Guardrail | undefined {
  const { treatment, harm, limitMs } = request
  const arm = sampled(treatment)
  if (arm === undefined) return undefined
  const share = shareAbove(arm, limitBucket(limitMs, harm))
  const limit = 1 - treatment.quantile
  // At the limit it has that much; where all searches are alike, its own would be certain of everything.
  const variance = Math.max(share.variance, limit * (1 - limit))
  return limitGuardrail({ treatment: { ...share, variance }, harm, limit })
}

/** The bucket above which searches are surely slower than a limit; for a decrease, up to which they are surely faster. */
export function limitBucket(limitMs: number, harm: 'decrease' | 'increase'): number {
  const own = latencyBucket(limitMs)
  return harm === 'increase' ? own : own - 1
}

/**
 * The share of searches above a bucket. Searches of one unit are alike, so that they say less than as many of different
 * units: `units` is as many as would say the same, searches / design effect.
 */
function shareAbove({ counts, effect }: Sampled, bucket: number): Estimate {
  const searches = latencyCount(counts)
  const value = countAbove(counts, bucket) / searches
  return { units: searches / effect, value, variance: value * (1 - value) }
}

/**
 * With the design effect of the mean latency, which stands for that of the share of slow searches: by unit, nobody counts
 * these. Undefined with too few units.
 */
function sampled({ counts, sums }: Latencies): Sampled | undefined {
  const searches = latencyCount(counts)
  if (sums.units < ALWAYS_VALID_UNITS_MIN || searches === 0) return undefined
  return { counts, effect: designEffect({ sums, searches, variance: latencyVariance(counts) }) }
}
