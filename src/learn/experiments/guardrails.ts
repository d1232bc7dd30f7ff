import type { ExperimentRecord, GuardrailRule } from '../../schema/experiment-record.ts'
import type { GuardrailState, SampleRatioState } from '../../schema/experiment-report.ts'
import { type Guardrail, guardrail, limitGuardrail } from '../statistics/always-valid.ts'
import { differenceOf, estimateOf } from '../statistics/estimate.ts'
import { latencyQuantile } from '../statistics/latency-histogram.ts'
import { type SampleRatio, sampleRatio } from '../statistics/sample-ratio.ts'
import { type Latencies, slowerThanControl, slowerThanLimit } from '../statistics/slow-searches.ts'
import { NO_UNITS, type UnitSums } from '../statistics/sums.ts'
import { type Arm, sumsOf, unitsOf } from './arms.ts'
import { percentileOf } from './metrics.ts'
import { INTERLEAVED } from './running.ts'

/** Everything that was counted of an experiment. */
export interface Counted {
  arms: readonly Arm[]
  /** By metric and arm. */
  reported: ReadonlyMap<string, UnitSums[]>
}

type Source = 'counted' | 'reported'

/** Searches before a metric of our own is judged; a reported value is judged as it comes. */
const SAMPLES: Record<Source, number> = { counted: 30, reported: 1 }

/** One metric of one arm, wherever it comes from. */
interface Reading {
  value: number | undefined
  samples: number
  /** Of a quantile, the latencies that it comes from. */
  of: UnitSums | Latencies
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
    return {
      status: 'INSUFFICIENT_DATA',
      pValue: null,
      chiSquare: null,
      observed: {},
      expected: {},
    }
  const units = variants.map((_, at) => (arms[at] === undefined ? 0 : unitsOf(arms[at])))
  const total = units.reduce((sum, count) => sum + count, 0)
  const { status, p, chiSquare } = sampleRatio(
    units,
    variants.map(({ share }) => share),
  )
  const known = [p, ratioP].filter((each) => each !== undefined)
  return {
    status: ratioP === undefined ? (status.toUpperCase() as Uppercase<typeof status>) : 'UNHEALTHY',
    pValue: known.length === 0 ? null : Math.min(...known),
    chiSquare: chiSquare === undefined ? null : shownTest(chiSquare),
    observed: Object.fromEntries(variants.map(({ id }, at) => [id, units[at] ?? 0])),
    expected: Object.fromEntries(variants.map(({ id, share }) => [id, share * total])),
  }
}

function shownTest({ p, ...test }: NonNullable<SampleRatio['chiSquare']>) {
  return { ...test, pValue: p }
}

/** Every guardrail on every variant but control; a metric that is counted and reported too, twice. */
export function guardrailStates(record: ExperimentRecord, counted: Counted): GuardrailState[] {
  // A hundred rules may ask a hundred arms for the same few metrics, each of which is added up from hundreds of buckets.
  const known = new Map<string, (Reading | undefined)[]>()
  return record.guardrails.flatMap((rule) => {
    const own = known.get(rule.metric) ?? counted.arms.map((arm) => readingOf(arm, rule.metric))
    known.set(rule.metric, own)
    const reported = counted.reported.get(rule.metric)?.map(readingOfSums)
    const states = own.every((reading) => reading === undefined)
      ? []
      : judgeArms(record, rule, own, 'counted')
    if (reported !== undefined) states.push(...judgeArms(record, rule, reported, 'reported'))
    // Nobody counts or reported it yet.
    return states.length > 0 ? states : judgeArms(record, rule, [], 'reported')
  })
}

function judgeArms(
  { mode, variants }: ExperimentRecord,
  rule: GuardrailRule,
  readings: readonly (Reading | undefined)[],
  source: Source,
): GuardrailState[] {
  if (mode === 'interleaving') return [judge(rule, INTERLEAVED, [undefined, readings[0]], source)]
  return variants
    .slice(1)
    .map(({ id }, at) => judge(rule, id, [readings[0], readings[at + 1]], source))
}

/** Only a reported value is held against a fixed limit as it is: who measured it knows how sure it is. */
function judge(
  rule: GuardrailRule,
  variantId: string,
  [control, treatment]: [Reading | undefined, Reading | undefined],
  source: Source,
): GuardrailState {
  const { metric, harm, threshold, relative, minSamples = SAMPLES[source] } = rule
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
  const waits = { ...state, status: 'INSUFFICIENT_DATA' } as const
  if (treatment === undefined || observed === undefined || samples < minSamples) return waits
  if (!relative && source === 'reported') {
    const over = differenceOf(observed, threshold)
    return { ...state, status: statusOf(harm === 'increase' ? over > 0 : over < 0) }
  }
  if (relative && (control?.value === undefined || control.samples < minSamples)) return waits
  const found = certainty(rule, control?.of, treatment.of)
  return found === undefined
    ? waits
    : { ...state, status: statusOf(found.breached), pValue: found.p }
}

/** Whether there is harm, at all looks together; undefined with too few units. */
function certainty(
  { harm, threshold, relative }: GuardrailRule,
  before: Reading['of'] | undefined,
  after: Reading['of'],
): Guardrail | undefined {
  if ('counts' in after) {
    if (!relative) return slowerThanLimit({ treatment: after, harm, limitMs: threshold })
    if (before === undefined || !('counts' in before)) return undefined
    return slowerThanControl({ control: before, treatment: after, harm, tolerance: threshold })
  }
  const control = before === undefined || 'counts' in before ? undefined : estimateOf(before)
  const treatment = estimateOf(after)
  if (treatment === undefined) return undefined
  if (!relative) return limitGuardrail({ control, treatment, harm, limit: threshold })
  return control && guardrail({ control, treatment, harm, tolerance: threshold })
}

function statusOf(breached: boolean): 'BREACHED' | 'OK' {
  return breached ? 'BREACHED' : 'OK'
}

function readingOf(arm: Arm, metric: string): Reading | undefined {
  const asked = percentileOf(metric)
  if (asked !== undefined) {
    const { histogram, quantile, mean } = asked
    const of = { counts: arm[histogram], sums: sumsOf(arm, mean) ?? NO_UNITS, quantile }
    return { value: latencyQuantile(of.counts, quantile), samples: of.sums.y, of }
  }
  const sums = sumsOf(arm, metric)
  return sums === undefined ? undefined : readingOfSums(sums)
}

function readingOfSums(sums: UnitSums): Reading {
  return { value: sums.y > 0 ? sums.x / sums.y : undefined, samples: sums.y, of: sums }
}
