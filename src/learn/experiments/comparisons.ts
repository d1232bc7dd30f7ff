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
import type { Counted } from './guardrails.ts'
import { harmOf, METRICS, PREFERENCE, percentileOf } from './metrics.ts'
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

/** One metric in one variant; what others report is one of its own, whatever its name. */
interface Measured {
  metric: string
  source: 'counted' | 'reported'
  variantId: string
  found: Comparison
}

/** Every metric of every variant against control, with what many comparisons cost. */
function comparisonsOf(record: ExperimentRecord, { arms, reported }: Counted): ComparisonState[] {
  const counted = METRICS.flatMap(({ name }) =>
    compareArms(
      record,
      { metric: name, source: 'counted' },
      arms.map((arm) => sumsOf(arm, name) ?? NO_UNITS),
    ),
  )
  const told = [...reported].flatMap(([metric, sums]) =>
    compareArms(record, { metric, source: 'reported' }, sums),
  )
  const compared = [...told, ...counted]
  const primary = primaryOf(record)
  // Two sources of one metric may disagree: what is reported decides only where nothing was counted.
  const isCounted = counted.some(({ metric }) => metric === primary)
  const decides = ({ metric, source }: Measured) =>
    isCounted
      ? source === 'counted' && metric === primary
      : source === 'reported' && metric === firstOf(record)
  const first = compared.filter(decides)
  const others = compared.filter((each) => !decides(each))
  const adjusted = falseDiscovery(others.map(({ found }) => found.alwaysValid?.p ?? 1))
  return [
    ...first.map(({ found, ...named }) => {
      const p = Math.min(1, (found.alwaysValid?.p ?? 1) * first.length)
      return describe(found, { ...named, role: 'primary', p })
    }),
    ...others.map(({ found, ...named }, at) =>
      describe(found, { ...named, role: 'secondary', p: adjusted[at] ?? 1 }),
    ),
  ]
}

function compareArms(
  { variants }: ExperimentRecord,
  named: Pick<Measured, 'metric' | 'source'>,
  [control = NO_UNITS, ...treatments]: readonly UnitSums[],
): Measured[] {
  return treatments.flatMap((treatment, at) => {
    const found = compare({ control, treatment })
    const variantId = variants[at + 1]?.id
    return found === undefined || variantId === undefined ? [] : [{ ...named, variantId, found }]
  })
}

/** The metric that decides. A quantile can't be compared: the mean stands for it. */
function primaryOf(record: ExperimentRecord): string {
  const first = firstOf(record)
  return percentileOf(first)?.mean ?? first
}

function firstOf({ successMetrics: [first = 'ctr'] }: ExperimentRecord): string {
  return first
}

interface Description extends Omit<Measured, 'found'> {
  role: ComparisonState['role']
  /** Adjusted for the number of comparisons. */
  p: number
}

function describe(found: Comparison, { p, ...named }: Description): ComparisonState {
  const { p: pValue, ...figures } = found
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
