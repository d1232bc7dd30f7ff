import type { AdaptationRecord, Trigger, WatchedTotals } from '../../schema/adaptation-record.ts'
import { NO_UNITS } from '../statistics/sums.ts'
import {
  beyondLimit,
  type Certainty,
  firesAt,
  isLatency,
  type Known,
  worseThan,
} from './certainty.ts'
import {
  isOfClicks,
  metricOf,
  samplesOf,
  subtractArm,
  WATCHED_METRICS,
  type WatchedMetric,
} from './figures.ts'
import { type ArmName, YOUNGEST_MS } from './minutes.ts'
import type { Watch } from './watch.ts'

/** Why a change is taken back. */
export interface Breach {
  reason: string
  figures: Record<string, unknown>
}

/** What a trigger looks at. */
interface Evidence {
  metric: WatchedMetric
  withIt: WatchedTotals
  withoutIt: WatchedTotals
  /** Both arms are of the same time, as in canary; otherwise the searches without the change came before. */
  sameTime: boolean
  /** The arm without the change holds the searches until it came. */
  isEarlier: boolean
  /** Where the youngest searches that count end. */
  endMs: number
}

/** Clicks come some time after their search: compared with earlier ones, younger searches don't count yet. */
const CLICK_DELAY_MS = 30_000
const LATENCY_RISE_MS_MIN = 10
/** A trigger that fires at the figure that it names. */
const AS_ASKED: Certainty = { isCertain: true, figures: {} }

/** The first trigger that a change breaches, if any. */
export function judge(record: AdaptationRecord, watch: Watch, nowMs: number): Breach | undefined {
  for (const trigger of record.triggers) {
    const breach = judgeTrigger(trigger, record, watch, nowMs)
    if (breach !== undefined) return breach
  }
  return undefined
}

/** Whether there are as many searches as each trigger asks for: until then it would fire for nothing. */
export function canJudge(record: AdaptationRecord, watch: Watch, nowMs: number): boolean {
  return record.triggers.every(
    (trigger) =>
      metricOf(trigger.metric) === undefined || gather(trigger, record, watch, nowMs) !== undefined,
  )
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
  const value = WATCHED_METRICS[metric](withIt)
  if (value === undefined) return undefined
  const compared = isCompared(trigger) ? WATCHED_METRICS[metric](withoutIt) : undefined
  if (isCompared(trigger) && compared === undefined) return undefined
  const change = changeOf(trigger, value, compared)
  if (!exceeds(trigger, change)) return undefined
  if (isSlight(trigger, metric, value, compared)) return undefined
  const certainty = asksCertainty(trigger, metric)
    ? certaintyOf(trigger, evidence, record, watch)
    : AS_ASKED
  if (certainty?.isCertain !== true) return undefined
  const { operator, threshold } = trigger
  return {
    reason: `${metric} ${operator} ${threshold}: ${round(change)}`,
    figures: {
      metric,
      operator,
      threshold,
      value,
      ...(compared === undefined ? {} : { without: compared, change: round(change) }),
      ...(isCompared(trigger) ? { comparedWith: sameTime ? 'same time' : 'before' } : {}),
      samples: samplesOf(metric, withIt),
      ...(certainty === AS_ASKED ? {} : { certainty: certainty.figures }),
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
  // What began while the clock was ahead is looked at now all the same.
  const sinceMs = Math.max(nowMs - windowMs, canaryMs > nowMs ? 0 : canaryMs)
  const sameTime = status === 'CANARY'
  const ripe = isCompared({ operator }) && isOfClicks(metric) && !sameTime
  const endMs = ripe ? nowMs - CLICK_DELAY_MS : nowMs + YOUNGEST_MS
  const { with: withIt, without } = watch.window(adaptationId, sinceMs, endMs)
  const enough = (arm: WatchedTotals) => samplesOf(metric, arm) >= minSamples
  if (!enough(withIt)) return undefined
  const withoutIt = enough(without) || sameTime ? without : baseline
  if (isCompared({ operator }) && !enough(withoutIt)) return undefined
  return { metric, withIt, withoutIt, sameTime, isEarlier: withoutIt === baseline, endMs }
}

/** Whether a trigger holds searches with the change against others. */
export function isCompared({ operator }: Pick<Trigger, 'operator'>): boolean {
  return operator === 'drop' || operator === 'rise' || operator === 'times'
}

function changeOf({ operator }: Trigger, value: number, without = 0): number {
  if (operator === 'rise') return value - without
  if (operator === 'drop') return without > 0 ? 1 - value / without : 0
  // Of nothing there is no such figure: as if all were as before.
  if (operator === 'times') return without > 0 ? value / without : 1
  return value
}

function exceeds(trigger: Trigger, change: number): boolean {
  const { operator, threshold } = trigger
  if (operator === 'lte') return change <= threshold
  if (operator === 'gte') return change >= threshold
  // A drop is a figure of its own, which rises as the metric falls.
  if (operator !== 'drop' && firesAt(trigger) === 'decrease') return change < threshold
  return change > threshold
}

/** Times vary by themselves: triggers on them ask for certainty, as do those that nobody asked for. */
function asksCertainty({ byDefault }: Trigger, metric: WatchedMetric): boolean {
  return byDefault === true || isLatency(metric)
}

/** Nobody asked for a rollback over a few milliseconds. */
function isSlight(
  { byDefault }: Trigger,
  metric: WatchedMetric,
  value: number,
  without = 0,
): boolean {
  return byDefault === true && isLatency(metric) && value - without < LATENCY_RISE_MS_MIN
}

/** Undefined while there are too few searches to say. */
function certaintyOf(
  trigger: Trigger,
  { metric, withIt, withoutIt, isEarlier, endMs }: Evidence,
  { adaptationId }: AdaptationRecord,
  watch: Watch,
): Certainty | undefined {
  if (!isCompared(trigger)) return beyondLimit(trigger, metric, withIt)
  const [totals, young] = [watch.totals(adaptationId), watch.window(adaptationId, endMs)]
  const units = watch.units(adaptationId)
  const known = (arm: ArmName): Known => ({
    arm: subtractArm(totals[arm], young[arm]),
    sums: (name) => units?.sums(arm, name) ?? NO_UNITS,
  })
  const without = isEarlier ? { arm: withoutIt } : known('without')
  return worseThan(trigger, metric, without, known('with'))
}

function round(value: number): number {
  return Number(value.toFixed(4))
}
