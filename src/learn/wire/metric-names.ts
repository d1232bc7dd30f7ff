import { invalid } from '../../errors.ts'

/** Characters of the name of a metric: answers and events tell it again. */
const METRIC_NAME_MAX = 128

/** What was sent where a rule names its metric, whatever it is called there; throws VALIDATION_FAILED for what is no name. */
export function mustNameMetric(sent: unknown, path: string): string {
  if (typeof sent === 'string' && sent !== '' && sent.length <= METRIC_NAME_MAX) return sent
  const wanted = `the name of a metric, a text of 1 to ${METRIC_NAME_MAX} characters`
  throw invalid(path, sent === undefined ? `is required: ${wanted}` : `must be ${wanted}`)
}

/**
 * What is measured of searches, with its other spellings in lower case, without punctuation and unit: guardrails, rollback
 * triggers, success metrics and reported values all read these, each those that it knows.
 */
export const METRIC_NAMES = {
  ctr: ['clickthroughrate', 'clickrate'],
  mrr: ['mrr10', 'meanreciprocalrank'],
  zeroResultRate: ['zeroresults', 'zeroresultsrate', 'zerorate', 'noresultrate', 'noresultsrate'],
  conversionRate: ['conversion', 'conversions', 'cvr'],
  rating: ['ratings', 'averagerating', 'avgrating', 'meanrating'],
  // With its unit: without one it is a percentile.
  latencyMean: ['latencyms', 'meanlatency', 'averagelatency', 'avglatency'],
  latencyP50: ['p50', 'p50latency', 'medianlatency'],
  latencyP95: ['p95', 'p95latency', 'latency', 'responsetime'],
  latencyP99: ['p99', 'p99latency'],
  searches: [],
} as const satisfies Record<string, readonly string[]>

export type MetricName = keyof typeof METRIC_NAMES

const BY_SPELLING = new Map<string, MetricName>(
  (Object.keys(METRIC_NAMES) as MetricName[]).flatMap((name) =>
    [name.toLowerCase(), ...METRIC_NAMES[name]].map((spelling) => [spelling, name] as const),
  ),
)
const UNIT = /(ms|millis|milliseconds)$/

/**
 * What a metric is called where it is asked for, in whatever spelling it came: `names` has those that are known there.
 * Undefined for any other.
 */
export function readMetric<Name>(
  sent: string,
  names: Readonly<Partial<Record<MetricName, Name>>>,
): Name | undefined {
  const plain = sent.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return named(plain) ?? named(plain.replace(UNIT, ''))

  function named(spelling: string): Name | undefined {
    const metric = BY_SPELLING.get(spelling)
    return metric === undefined ? undefined : names[metric]
  }
}

const BOUND = /^(min|max)(?:imum)?(?:[_-]|(?=[A-Z]))(.+)$/

/** A metric, and on which side of a threshold it is as it should be. */
export interface BoundOfMetric {
  bound: 'min' | 'max'
  metric: string
}

/** What a threshold by the name of `minAccuracy` or `max_latency` is of; undefined for a name that says neither. */
export function boundNamed(name: string): BoundOfMetric | undefined {
  const [, bound, rest = ''] = BOUND.exec(name) ?? []
  if (bound === undefined) return undefined
  return { bound: bound as 'min' | 'max', metric: rest.slice(0, 1).toLowerCase() + rest.slice(1) }
}

const HARM = /error|fail|latenc|timeout|cost|bounce|abandon|zero|crash|churn/i
const LESS = /took|duration|loss|p\d\d/i

/** Whether a metric is named after the harm that a rise of it is. */
export function isNamedAfterHarm(name: string): boolean {
  return HARM.test(name)
}

/** Whether less of it is better, by its name: where nobody says, that is the best guess. */
export function lessIsBetter(name: string): boolean {
  return HARM.test(name) || LESS.test(name)
}
