import type { Trigger, WatchedTotals } from '../../schema/adaptation-record.ts'
import { type Guardrail, guardrail } from '../statistics/always-valid.ts'
import { designEffect } from '../statistics/design-effect.ts'
import type { Estimate } from '../statistics/estimate.ts'
import {
  countAbove,
  latencyCount,
  latencyEnd,
  latencyVariance,
} from '../statistics/latency-histogram.ts'
import { beyondShare, boundOfShare } from '../statistics/share-limit.ts'
import { limitBucket, slowShares } from '../statistics/slow-searches.ts'
import { NO_UNITS, type UnitSums } from '../statistics/sums.ts'
import { samplesOf, WATCHED_METRICS, type WatchedMetric } from './figures.ts'
import type { SummedByUnit } from './units.ts'

/** Whether a breach is more than chance, and by which figures that was found. */
export interface Certainty {
  isCertain: boolean
  figures: Record<string, unknown>
}

/** Searches of one kind since the change came; of those before it nobody knows whose they were. */
export interface Known {
  arm: WatchedTotals
  sums?: (name: SummedByUnit) => UnitSums
}

const QUANTILES: Partial<Record<WatchedMetric, number>> = {
  latencyP50: 0.5,
  latencyP95: 0.95,
  latencyP99: 0.99,
}

export function isLatency(metric: WatchedMetric): boolean {
  return QUANTILES[metric] !== undefined
}

/** What a trigger fires at. So many times as much is a rise, or below once as much a fall, whichever harms the metric. */
export function firesAt({
  operator,
  threshold,
}: Pick<Trigger, 'operator' | 'threshold'>): 'decrease' | 'increase' {
  if (operator === 'times') return threshold < 1 ? 'decrease' : 'increase'
  return operator === 'drop' || operator === 'lt' || operator === 'lte' ? 'decrease' : 'increase'
}

/** Metrics of searches of which each either is counted or is not. */
type Share = Extract<WatchedMetric, SummedByUnit>

function isShare(metric: WatchedMetric): metric is Share {
  return metric === 'ctr' || metric === 'zeroResultRate'
}

/**
 * Whether searches with a change are worse than those without it, at all looks together: the one-sided sequence of
 * guardrails, over everything since the change came, because looks at a window that moves would each be a test of its own.
 * Searches of one unit are alike; against those before the change, of which nobody knows the units, they are taken
 * to be as much alike as those with it. Undefined for a metric that can't be compared like that, or with too few searches.
 */
export function worseThan(
  trigger: Pick<Trigger, 'operator' | 'threshold'>,
  metric: WatchedMetric,
  without: Known,
  withIt: Known,
): Certainty | undefined {
  const harm = firesAt(trigger)
  const effect = effectOf(metric, withIt)
  const effectBefore = without.sums === undefined ? effect : effectOf(metric, without)
  if (isShare(metric)) {
    const control = shareOf(metric, without, effectBefore)
    return told({ control, treatment: shareOf(metric, withIt, effect), harm, of: metric })
  }
  const quantile = QUANTILES[metric]
  if (quantile === undefined) return undefined
  const shares = slowShares({
    control: { counts: without.arm.latency, effect: effectBefore },
    treatment: { counts: withIt.arm.latency, effect },
    quantile,
    harm,
    tolerance: 0,
  })
  return shares && told({ ...shares, harm, of: slowerThan(shares.bucket) })
}

/**
 * Whether a percentile of the latency lies beyond the limit of a trigger: by the share of the searches of its window that
 * do, exactly and from the first one on. A window that moves on is a new test: a change whose percentile lies at the
 * limit may breach in one window of twenty, one that keeps well within it does not.
 */
export function beyondLimit(
  trigger: Pick<Trigger, 'operator' | 'threshold'>,
  metric: WatchedMetric,
  { latency }: WatchedTotals,
): Certainty | undefined {
  const quantile = QUANTILES[metric]
  if (quantile === undefined) return undefined
  const harm = firesAt(trigger)
  const bucket = limitBucket(trigger.threshold, harm)
  const [count, of, limit] = [countAbove(latency, bucket), latencyCount(latency), 1 - quantile]
  const { breached, p } = beyondShare({ count, of, limit, harm })
  const bound = boundOfShare({ count, of, harm })
  return {
    isCertain: breached,
    figures: {
      of: slowerThan(bucket),
      with: round(count / of),
      limit: round(limit),
      interval: harm === 'increase' ? [round(bound), 1] : [0, round(bound)],
      pValue: round(p),
      searches: of,
    },
  }
}

function effectOf(metric: WatchedMetric, { arm, sums: sumsOf }: Known): number {
  const name = isShare(metric) ? metric : 'tookMs'
  const sums = sumsOf?.(name) ?? NO_UNITS
  const share = WATCHED_METRICS[metric](arm) ?? 0
  const variance = name === 'tookMs' ? latencyVariance(arm.latency) : share * (1 - share)
  return designEffect({ sums, searches: samplesOf(metric, arm), variance })
}

/** As many units as would say the same if each had searched once. */
function shareOf(metric: Share, { arm }: Known, effect: number): Estimate {
  const value = WATCHED_METRICS[metric](arm) ?? 0
  return { units: samplesOf(metric, arm) / effect, value, variance: value * (1 - value) }
}

function told(compared: {
  control: Estimate
  treatment: Estimate
  harm: 'decrease' | 'increase'
  of: string
}): Certainty | undefined {
  const { control, treatment, harm, of } = compared
  const found: Guardrail | undefined = guardrail({ control, treatment, harm })
  if (found === undefined) return undefined
  const { breached, p, harmAtLeast } = found
  return {
    isCertain: breached,
    figures: {
      of,
      with: round(treatment.value),
      without: round(control.value),
      // Of the difference, with - without.
      interval: harm === 'increase' ? [round(harmAtLeast), 1] : [-1, round(-harmAtLeast)],
      pValue: round(p),
      units: { with: Math.floor(treatment.units), without: Math.floor(control.units) },
    },
  }
}

function slowerThan(bucket: number): string {
  return `searches slower than ${round(latencyEnd(bucket))} ms`
}

function round(value: number): number {
  return Number(value.toPrecision(4))
}
