import type { AdaptationRecord, EarlierTotals, Trigger } from '../../schema/adaptation-record.ts'
import { guardrail } from '../statistics/always-valid.ts'
import { type Estimate, estimateOf } from '../statistics/estimate.ts'
import { METRICS, metricOf, samplesOf, type WatchedMetric } from './figures.ts'
import type { UnitCountsOf } from './units.ts'
import type { Watch } from './watch.ts'

/** Why a change is taken back. */
export interface Breach {
  reason: string
  figures: Record<string, unknown>
}

/** What a trigger looks at. */
interface Evidence {
  metric: WatchedMetric
  withIt: EarlierTotals
  withoutIt: EarlierTotals
  /** Both are of the same time, as in canary; otherwise those without it came before. */
  sameTime: boolean
}

/** Clicks come some time after their search: compared with earlier ones, younger searches don't count yet. */
const CLICK_DELAY_MS = 30_000
/** Times this short differ by chance. */
const LATENCY_RISE_MS_MIN = 10

/** The first trigger that a change breaches, if any. */
export function judge(record: AdaptationRecord, watch: Watch, nowMs: number): Breach | undefined {
  for (const trigger of record.triggers) {
    const breach = judgeTrigger(trigger, record, watch, nowMs)
    if (breach !== undefined) return breach
  }
  return undefined
}

function judgeTrigger(
  trigger: Trigger,
  record: AdaptationRecord,
  watch: Watch,
  nowMs: number,
): Breach | undefined {
  const evidence = gather(trigger, record, watch, nowMs)
  if (evidence === undefined) return undefined
  const { metric, withIt, withoutIt, sameTime } = evidence
  const value = METRICS[metric](withIt)
  if (value === undefined) return undefined
  const compared = isCompared(trigger) ? METRICS[metric](withoutIt) : undefined
  if (isCompared(trigger) && compared === undefined) return undefined
  const change = changeOf(trigger, value, compared)
  if (!exceeds(trigger, change)) return undefined
  if (trigger.byDefault === true && !isCertain(evidence, watch.units(record.adaptationId)))
    return undefined
  const { operator, threshold } = trigger
  return {
    reason: `${metric} ${operator} ${threshold}: ${round(change)}`,
    figures: {
      ...{ metric, operator, threshold, value },
      ...(compared === undefined ? {} : { without: compared, change: round(change) }),
      ...(isCompared(trigger) ? { comparedWith: sameTime ? 'same time' : 'before' } : {}),
      samples: samplesOf(metric, withIt),
    },
  }
}

/** The searches that count for a trigger; undefined while there are too few. */
function gather(
  { metric: name, operator, windowMs, minSamples }: Trigger,
  record: AdaptationRecord,
  watch: Watch,
  nowMs: number,
): Evidence | undefined {
  const metric = metricOf(name)
  if (metric === undefined) return undefined
  const { adaptationId, canaryMs = 0, baseline, status } = record
  const sinceMs = Math.max(nowMs - windowMs, canaryMs)
  const sameTime = status === 'CANARY'
  const clicked = metric === 'ctr' || metric === 'mrr'
  const ripe = isCompared({ operator }) && clicked && !sameTime
  const endMs = ripe ? nowMs - CLICK_DELAY_MS : Infinity
  const { with: withIt, without } = watch.window(adaptationId, sinceMs, endMs)
  const enough = (arm: EarlierTotals) => samplesOf(metric, arm) >= minSamples
  if (!enough(withIt)) return undefined
  const withoutIt = enough(without) || sameTime ? without : baseline
  if (isCompared({ operator }) && !enough(withoutIt)) return undefined
  return { metric, withIt, withoutIt, sameTime }
}

/** Whether a trigger holds searches with the change against others. */
export function isCompared({ operator }: Pick<Trigger, 'operator'>): boolean {
  return operator === 'drop' || operator === 'rise' || operator === 'times'
}

function changeOf({ operator }: Trigger, value: number, without = 0): number {
  if (operator === 'rise') return value - without
  if (operator === 'drop') return without > 0 ? 1 - value / without : 0
  if (operator === 'times') return without > 0 ? value / without : 0
  return value
}

function exceeds({ operator, threshold }: Trigger, change: number): boolean {
  if (operator === 'lt') return change < threshold
  if (operator === 'lte') return change <= threshold
  if (operator === 'gte') return change >= threshold
  return change > threshold
}

/**
 * Whether the harm is more than chance, at all looks together. By unit where there are enough; otherwise, and
 * against earlier ones, each search counts as one of its own. A change of the latency is judged by its size alone.
 */
function isCertain(
  { metric, withIt, withoutIt, sameTime }: Evidence,
  units: UnitCountsOf | undefined,
): boolean {
  if (metric !== 'ctr' && metric !== 'zeroResultRate') {
    const [now = 0, then = 0] = [METRICS[metric](withIt), METRICS[metric](withoutIt)]
    return now - then >= LATENCY_RISE_MS_MIN
  }
  const harm = metric === 'ctr' ? 'decrease' : 'increase'
  if (sameTime && units !== undefined) {
    const control = estimateOf(units.sums(0, metric))
    const treatment = estimateOf(units.sums(1, metric))
    const judged = control && treatment && guardrail({ control, treatment, harm })
    if (judged !== undefined) return judged.breached
  }
  const control = eachAlone(metric, withoutIt)
  const treatment = eachAlone(metric, withIt)
  return guardrail({ control, treatment, harm })?.breached ?? false
}

/** As if every search were a unit: a proportion and its variance. */
function eachAlone(metric: 'ctr' | 'zeroResultRate', arm: EarlierTotals): Estimate {
  const units = samplesOf(metric, arm)
  const value = METRICS[metric](arm) ?? 0
  return { units, value, variance: value * (1 - value) }
}

function round(value: number): number {
  return Number(value.toFixed(4))
}
