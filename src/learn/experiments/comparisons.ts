import type { ExperimentRecord } from '../../schema/experiment-record.ts'
import type {
  ComparisonState,
  InterleavingState,
  SampleRatioState,
  Verdict,
} from '../../schema/experiment-report.ts'
import { type Comparison, compare } from '../statistics/compare.ts'
import { falseDiscovery } from '../statistics/false-discovery.ts'
import { preferenceOf } from '../statistics/interleaving.ts'
import { NO_UNITS, type UnitSums } from '../statistics/sums.ts'
import { sumsOf } from './arms.ts'
import type { Counted } from './checks.ts'
import { harmOf, LATENCY_P95, METRICS, PREFERENCE } from './metrics.ts'
import { INTERLEAVED } from './running.ts'

export interface FindingsOf {
  comparisons: ComparisonState[]
  interleaving?: InterleavingState
  verdict: Verdict | null
  withheld?: string
}

const LEVEL = 0.05

/** What the evidence says so far; an unhealthy sample ratio withholds the verdict. */
export function findingsOf(
  record: ExperimentRecord,
  counted: Counted,
  ratio: SampleRatioState,
): FindingsOf {
  const interleaving = record.mode === 'interleaving' ? interleavingOf(counted) : undefined
  const comparisons = interleaving === undefined ? comparisonsOf(record, counted) : []
  const found = { comparisons, ...(interleaving === undefined ? {} : { interleaving }) }
  if (ratio.status === 'UNHEALTHY') return { ...found, verdict: null, withheld: 'sample ratio' }
  const verdict =
    interleaving === undefined
      ? verdictOf(record, comparisons)
      : interleavedVerdict(record, interleaving)
  return { ...found, verdict }
}

/** Every metric of every variant against control, with what many comparisons cost. */
function comparisonsOf(record: ExperimentRecord, { arms, reported }: Counted): ComparisonState[] {
  const sums = new Map<string, UnitSums[]>(reported)
  for (const { name } of METRICS)
    sums.set(
      name,
      arms.map((arm) => sumsOf(arm, name) ?? NO_UNITS),
    )
  const primary = primaryOf(record)
  const compared = [...sums].flatMap(([metric, [control = NO_UNITS, ...treatments]]) =>
    treatments.flatMap((treatment, at) => {
      const found = compare({ control, treatment, kind: 'ratio' })
      const variantId = record.variants[at + 1]?.id
      return found === undefined || variantId === undefined ? [] : [{ metric, variantId, found }]
    }),
  )
  const first = compared.filter(({ metric }) => metric === primary)
  const others = compared.filter(({ metric }) => metric !== primary)
  const adjusted = falseDiscovery(others.map(({ found }) => found.alwaysValid?.p ?? 1))
  return [
    ...first.map(({ metric, variantId, found }) => {
      const p = Math.min(1, (found.alwaysValid?.p ?? 1) * first.length)
      return describe(found, { metric, variantId, role: 'primary', p })
    }),
    ...others.map(({ metric, variantId, found }, at) =>
      describe(found, { metric, variantId, role: 'secondary', p: adjusted[at] ?? 1 }),
    ),
  ]
}

/** The metric that decides. A quantile can't be compared: the mean latency stands for it. */
function primaryOf({ successMetrics: [first = 'ctr'] }: ExperimentRecord): string {
  return first === LATENCY_P95 ? 'latencyMs' : first
}

interface Description {
  metric: string
  variantId: string
  role: string
  /** Adjusted for the number of comparisons. */
  p: number
}

function describe(found: Comparison, { p, ...named }: Description): ComparisonState {
  const { p: pValue, significant: _, ...figures } = found
  return { ...named, ...figures, pValue, adjustedPValue: p, significant: p < LEVEL }
}

function verdictOf(record: ExperimentRecord, comparisons: readonly ComparisonState[]): Verdict {
  const metric = primaryOf(record)
  const sign = harmOf(metric) === 'increase' ? -1 : 1
  const decisive = comparisons.filter(({ role, significant }) => role === 'primary' && significant)
  const gains = decisive
    .map(({ variantId, difference }) => ({ variantId, gain: sign * difference }))
    .sort((a, b) => b.gain - a.gain)
  const [best] = gains
  if (best !== undefined && best.gain > 0)
    return { metric, decision: 'VARIANT', variantId: best.variantId }
  const control = record.variants[0]?.id ?? ''
  return gains.length > 0 && gains.length === record.variants.length - 1
    ? { metric, decision: 'CONTROL', variantId: control }
    : { metric, decision: 'UNDECIDED' }
}

function interleavingOf({ arms }: Counted): InterleavingState {
  const sums = (arms[0] && sumsOf(arms[0], PREFERENCE.name)) ?? NO_UNITS
  return preferenceOf(sums) ?? { units: sums.units, preference: null, significant: false }
}

function interleavedVerdict(
  { variants }: ExperimentRecord,
  { preference, significant }: InterleavingState,
): Verdict {
  const metric = 'preference'
  if (!significant || preference === null) return { metric, decision: 'UNDECIDED' }
  const at = preference > 0 ? 1 : 0
  return {
    metric,
    decision: at === 1 ? 'VARIANT' : 'CONTROL',
    variantId: variants[at]?.id ?? INTERLEAVED,
  }
}
