import type { ExperimentRecord, GuardrailRule } from '../../schema/experiment-record.ts'
import type { GuardrailState, SampleRatioState } from '../../schema/experiment-report.ts'
import { guardrail } from '../statistics/always-valid.ts'
import { estimateOf } from '../statistics/estimate.ts'
import { latencyQuantile } from '../statistics/latency-histogram.ts'
import { sampleRatio } from '../statistics/sample-ratio.ts'
import type { UnitSums } from '../statistics/sums.ts'
import { type Arm, searchesOf, sumsOf, unitsOf } from './arms.ts'
import { LATENCY_P95 } from './metrics.ts'
import { INTERLEAVED } from './running.ts'

/** Everything that was counted of an experiment. */
export interface Counted {
  arms: readonly Arm[]
  /** By metric and arm. */
  reported: ReadonlyMap<string, UnitSums[]>
}

/** Searches before a metric of our own is judged; a reported value is judged as it comes. */
const OWN_SAMPLES = 30
const REPORTED_SAMPLES = 1

/** One metric of one arm, wherever it comes from. */
interface Reading {
  value: number | undefined
  samples: number
  /** Absent for a quantile, which no sums tell. */
  sums?: UnitSums
}

/**
 * Whether each arm holds as many units as its share says. Once unhealthy it stays so: the alarm was as sure at that look
 * as it will ever be, and the units that were lost or went astray until the counts came even again still are.
 */
export function ratioOf(
  { mode, variants, ratioP }: ExperimentRecord,
  arms: readonly Arm[],
): SampleRatioState {
  if (mode === 'interleaving')
    return { status: 'INSUFFICIENT_DATA', pValue: null, observed: {}, expected: {} }
  const units = variants.map((_, at) => (arms[at] === undefined ? 0 : unitsOf(arms[at])))
  const total = units.reduce((sum, count) => sum + count, 0)
  const { status, p } = sampleRatio(
    units,
    variants.map(({ share }) => share),
  )
  const known = [p, ratioP].filter((each) => each !== undefined)
  return {
    status: ratioP === undefined ? status.toUpperCase() : 'UNHEALTHY',
    pValue: known.length === 0 ? null : Math.min(...known),
    observed: Object.fromEntries(variants.map(({ id }, at) => [id, units[at] ?? 0])),
    expected: Object.fromEntries(variants.map(({ id, share }) => [id, share * total])),
  }
}

/** Every guardrail on every variant but control; a metric that is counted and reported too, twice. */
export function guardrailStates(record: ExperimentRecord, counted: Counted): GuardrailState[] {
  return record.guardrails.flatMap((rule) => {
    const own = counted.arms.map((arm) => readingOf(arm, rule.metric))
    const reported = counted.reported.get(rule.metric)?.map(readingOfSums)
    const states = own.every((reading) => reading === undefined)
      ? []
      : judgeArms(record, rule, own, OWN_SAMPLES)
    if (reported !== undefined) states.push(...judgeArms(record, rule, reported, REPORTED_SAMPLES))
    // Nobody counts or reported it yet.
    return states.length > 0 ? states : judgeArms(record, rule, [], REPORTED_SAMPLES)
  })
}

function judgeArms(
  { mode, variants }: ExperimentRecord,
  rule: GuardrailRule,
  readings: readonly (Reading | undefined)[],
  samples: number,
): GuardrailState[] {
  if (mode === 'interleaving') return [judge(rule, INTERLEAVED, [undefined, readings[0]], samples)]
  return variants
    .slice(1)
    .map(({ id }, at) => judge(rule, id, [readings[0], readings[at + 1]], samples))
}

/** An absolute limit is compared with as it is; one relative to control by the one-sided always-valid test. */
function judge(
  rule: GuardrailRule,
  variantId: string,
  [control, treatment]: [Reading | undefined, Reading | undefined],
  samplesByDefault: number,
): GuardrailState {
  const { metric, harm, threshold, relative, minSamples = samplesByDefault } = rule
  const observed = treatment?.value
  const samples = treatment?.samples ?? 0
  const state = {
    metric,
    variantId,
    harm,
    threshold,
    relative,
    minSamples,
    samples,
    observed: observed ?? null,
    control: control?.value ?? null,
  }
  if (observed === undefined || samples < minSamples)
    return { ...state, status: 'INSUFFICIENT_DATA' }
  const sign = harm === 'increase' ? 1 : -1
  if (!relative) return { ...state, ...statusOf(sign * (observed - threshold) > 0) }
  if (control?.value === undefined || control.samples < minSamples)
    return { ...state, status: 'INSUFFICIENT_DATA' }
  if (treatment?.sums === undefined || control.sums === undefined)
    return { ...state, ...statusOf(sign * (observed - control.value * (1 + sign * threshold)) > 0) }
  const before = estimateOf(control.sums)
  const after = estimateOf(treatment.sums)
  const found =
    before && after && guardrail({ control: before, treatment: after, harm, tolerance: threshold })
  if (found === undefined) return { ...state, status: 'INSUFFICIENT_DATA' }
  return { ...state, ...statusOf(found.breached), pValue: found.p }
}

function statusOf(breached: boolean): { status: string } {
  return { status: breached ? 'BREACHED' : 'OK' }
}

function readingOf(arm: Arm, metric: string): Reading | undefined {
  if (metric === LATENCY_P95)
    return { value: latencyQuantile(arm.latency, 0.95), samples: searchesOf(arm) }
  const sums = sumsOf(arm, metric)
  return sums === undefined ? undefined : readingOfSums(sums)
}

function readingOfSums(sums: UnitSums): Reading {
  return { value: sums.y > 0 ? sums.x / sums.y : undefined, samples: sums.y, sums }
}
