import { momentWarnings } from '../../doubtful-moment.ts'
import { invalid } from '../../errors.ts'
import { type ExperimentCreate, LearningExperiment } from '../../schema/experiment.ts'
import type { ExperimentKind, ExperimentRecord } from '../../schema/experiment-record.ts'
import { shownName } from '../../word.ts'
import { mustReadTuning } from '../plan/tuning.ts'
import { BUCKETS } from '../statistics/buckets.ts'
import { DAY_MS } from '../wire/duration.ts'
import { isTellable, readMoment } from '../wire/moment.ts'
import { someListed } from '../wire/some-told.ts'
import { bodyOf, unreadFields } from '../wire/unread-fields.ts'
import { bucketsOfArms } from './assignment.ts'
import { readGuardrails } from './guardrail-rules.ts'
import { refuseUninterleavable, vainMetricWarnings, vainShareWarnings } from './interleavable.ts'
import { readMetricNames } from './metric-lists.ts'
import { metricName, uncountedWarnings } from './metrics.ts'
import { AT_ONCE, readRollout } from './rollout.ts'
import { shareOf } from './running.ts'
import { readTargeting } from './targeting-rules.ts'
import { readVariants, unreadWarnings } from './variants.ts'

/** Without an end of its own a test runs so long. */
const DURATION_MS = 30 * DAY_MS
const COMPARED_TOLD_MAX = 20
const MODES: Record<string, ExperimentRecord['mode']> = {
  split: 'split',
  ab: 'split',
  assignment: 'split',
  interleaving: 'interleaving',
  interleaved: 'interleaving',
  'team-draft': 'interleaving',
}
/** Settings that are returned as they were sent. */
const ECHOED = [
  'successMetrics',
  'technicalMetrics',
  'businessMetrics',
  'targetingRules',
  'guardrails',
  'rolloutStrategy',
  'fallbackConfig',
] as const

const MEANT = {
  metrics: 'successMetrics',
  traffic: 'trafficAllocation',
  allocation: 'trafficAllocation',
  targeting: 'targetingRules',
  rollout: 'rolloutStrategy',
  fallback: 'fallbackConfig',
  start: 'startDate',
  end: 'endDate',
}
const BODIES = {
  test: bodyOf('a test', LearningExperiment, MEANT),
  experiment: bodyOf('an experiment', LearningExperiment, MEANT),
} as const

/**
 * The record of a new test or experiment, ACTIVE unless its start lies ahead or it is sent as a draft. Throws
 * VALIDATION_FAILED that names the place.
 */
export function draftExperiment(
  kind: ExperimentKind,
  sent: ExperimentCreate,
  id: string,
  nowMs: number,
): ExperimentRecord {
  const { trafficAllocation } = sent
  const { variants, allocation, warnings } = readVariants(sent.variants, trafficAllocation, kind)
  warnings.unshift(
    ...unreadFields(sent, BODIES[kind]),
    ...momentWarnings(sent.startDate, 'startDate'),
  )
  const mode = readMode(sent.mode, variants.length)
  refuseUninterleavable({ mode, variants })
  warnings.push(...vainShareWarnings({ mode, variants }))
  const fallback = readFallback(sent.fallbackConfig, warnings)
  const held = readHeld(sent.status)
  const dates = readDates(sent, nowMs)
  const draft = held || dates.startMs > nowMs
  const record: ExperimentRecord = {
    id,
    kind,
    name: sent.name,
    ...(sent.type === undefined ? {} : { type: sent.type }),
    status: draft ? 'DRAFT' : 'ACTIVE',
    mode,
    variants,
    allocation,
    targeting: readTargeting(sent.targetingRules, warnings),
    successMetrics: readMetrics(sent, mode, warnings),
    guardrails: readWatched(sent.guardrails, mode, warnings),
    rollout:
      kind === 'test' && sent.rolloutStrategy === undefined
        ? AT_ONCE
        : readRollout(sent.rolloutStrategy, warnings),
    step: 0,
    stepSinceMs: draft ? dates.startMs : nowMs,
    ...(fallback === undefined ? {} : { fallback }),
    createdMs: nowMs,
    ...dates,
    held,
    sent: Object.fromEntries(
      ECHOED.flatMap((key) => (sent[key] === undefined ? [] : [[key, sent[key]]])),
    ),
    warnings,
  }
  warnings.push(...nobodyWarnings(record), ...idleWarnings(record))
  return record
}

/** When it ends if nobody said so and it starts then. */
export function defaultEndOf(startMs: number): number {
  return startMs + DURATION_MS
}

function readMode(sent: string | undefined, variants: number): ExperimentRecord['mode'] {
  if (sent === undefined) return 'split'
  const word = sent.toLowerCase()
  const mode = Object.hasOwn(MODES, word) ? MODES[word] : undefined
  if (mode === undefined) throw invalid('mode', 'must be split or interleaving')
  if (mode === 'interleaving' && variants !== 2)
    throw invalid('variants', 'must be exactly two to be interleaved')
  return mode
}

function readHeld(sent: string | undefined): boolean {
  if (sent === undefined || sent.toUpperCase() === 'ACTIVE') return false
  if (sent.toUpperCase() === 'DRAFT') return true
  throw invalid('status', 'must be DRAFT or ACTIVE; the other states come later')
}

function readFallback(
  config: object | undefined,
  warnings: string[],
): ExperimentRecord['fallback'] {
  if (config === undefined) return undefined
  const { tuning, unread } = mustReadTuning(config, 'fallbackConfig')
  warnings.push(...unreadWarnings('fallbackConfig', unread))
  return { config, tuning }
}

/** A step, or a variant, without anybody would wait for its units for ever. */
function nobodyWarnings(record: ExperimentRecord): string[] {
  const { allocation, mode, rollout, variants } = record
  const buckets = bucketsOfArms(variants.map(({ share }) => share))
  const empty = variants.filter(({ share }, arm) => share > 0 && buckets[arm] === 0)
  if (mode === 'split' && empty.length > 0) {
    const ids = someListed(empty.map(({ id }) => id))
    return [
      `variants: nobody gets ${ids} by so small a share: units are divided by the ten thousandth.`,
    ]
  }
  if (allocation === 0 || Math.round(shareOf(record) * BUCKETS) > 0) return []
  const path = rollout.steps.length > 1 ? 'rolloutStrategy' : 'trafficAllocation'
  return [`${path}: nobody takes part in so small a share: units are let in by the ten thousandth.`]
}

/** A fallback that nothing brings into force would be waited for. */
function idleWarnings({ kind, fallback, guardrails }: ExperimentRecord): string[] {
  if (fallback === undefined) return []
  if (kind === 'test')
    return [
      'fallbackConfig: a guardrail stops a test, and the ranking without it applies; only an experiment has a fallback.',
    ]
  if (guardrails.length > 0) return []
  return [
    'fallbackConfig: there are no guardrails to take the experiment back, so it never applies.',
  ]
}

function readDates(
  { startDate, endDate }: ExperimentCreate,
  nowMs: number,
): Pick<ExperimentRecord, 'startMs' | 'endMs' | 'endByDefault'> {
  const startMs = momentOf(startDate, 'startDate') ?? nowMs
  const endMs = momentOf(endDate, 'endDate', 'ends')
  if (endMs !== undefined && endMs <= startMs) throw invalid('endDate', 'must be after the start')
  if (endMs !== undefined && endMs <= nowMs) throw invalid('endDate', 'must lie ahead')
  const from = Math.max(startMs, nowMs)
  return { startMs, endMs: endMs ?? defaultEndOf(from), endByDefault: endMs === undefined }
}

function momentOf(
  sent: string | number | undefined,
  path: string,
  day: 'begins' | 'ends' = 'begins',
): number | undefined {
  if (sent === undefined) return undefined
  const timeMs = typeof sent === 'number' ? sent : readMoment(sent, path, day)
  // The end of what starts then must be one that answers can tell, too.
  if (!isTellable(timeMs) || !(day === 'ends' || isTellable(timeMs + DURATION_MS)))
    throw invalid(path, 'must be ISO 8601 or epoch milliseconds, of the years 0 to 9999')
  return timeMs
}

/** The metrics that decide, the first of them before the others. */
function readMetrics(
  sent: ExperimentCreate,
  mode: ExperimentRecord['mode'],
  warnings: string[],
): string[] {
  const { successMetrics, businessMetrics, technicalMetrics } = sent
  const lists = Object.entries({ successMetrics, businessMetrics, technicalMetrics })
  const names = lists.flatMap(([path, list]) => {
    const named = readMetricNames(list, path).map(metricName)
    warnings.push(
      ...(mode === 'interleaving'
        ? vainMetricWarnings(path, named)
        : uncountedWarnings(path, named, 'nothing is compared until')),
    )
    return named
  })
  return names.length === 0 ? ['ctr'] : [...new Set(names)]
}

function readWatched(
  sent: unknown,
  mode: ExperimentRecord['mode'],
  warnings: string[],
): ExperimentRecord['guardrails'] {
  const rules = readGuardrails(sent, warnings)
  const names = rules.map(({ metric }) => metric)
  warnings.push(...uncountedWarnings('guardrails', names, 'nothing is watched until'))
  const compared = rules.filter(({ relative }) => relative).map(({ metric }) => shownName(metric))
  if (mode === 'interleaving' && compared.length > 0)
    warnings.push(
      `guardrails: ${compared.slice(0, COMPARED_TOLD_MAX).join(', ')} can't be held against control, which an interleaved list has none of: nothing is watched. Send a fixed limit.`,
    )
  return rules
}
