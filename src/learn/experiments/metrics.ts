import { COUNTED_METRICS, type CountedMetric } from '../../schema/experiment-metrics.ts'
import { shownName } from '../../word.ts'
import { isNamedAfterHarm, type MetricName, readMetric } from '../wire/metric-names.ts'

/** What is counted of each unit, in the order in which rows keep it: new ones go to the end. */
export const COUNTS = [
  'searches',
  'clicked',
  'reciprocal',
  'empty',
  'converted',
  'tookMs',
  'ratings',
  'rated',
  'decided',
  'wins',
] as const
export type Count = (typeof COUNTS)[number]

/** The place of each in a row. */
export const COUNT = Object.fromEntries(COUNTS.map((name, at) => [name, at])) as Record<
  Count,
  number
>

/** A ratio of two counts. */
export interface Metric {
  name: CountedMetric
  /** Numerator and denominator of one unit. */
  x: Count
  y: Count
}

/** The metrics that are compared: each is a ratio of counts by unit. */
export const METRICS = [
  { name: 'ctr', x: 'clicked', y: 'searches' },
  { name: 'mrr', x: 'reciprocal', y: 'searches' },
  { name: 'zeroResultRate', x: 'empty', y: 'searches' },
  { name: 'conversionRate', x: 'converted', y: 'searches' },
  { name: 'latencyMs', x: 'tookMs', y: 'searches' },
  { name: 'rating', x: 'rated', y: 'ratings' },
] as const satisfies readonly Metric[]

/** Which of two interleaved rankings won, of the searches that one won: no metric to be named by a client. */
export const PREFERENCE = { name: '@preference', x: 'wins', y: 'decided' } as const

type Compared = (typeof METRICS)[number]['name']

/** A metric that is no ratio of counts by unit: answers tell it and guardrails watch it, but it can't be compared. */
export interface Percentile {
  quantile: number
  /** Searches by bucket. */
  histogram: 'latency'
  /** The mean of the same, which stands for the quantile where sums by unit are needed. */
  mean: Compared
}

/** All metrics that are counted and not compared; the compiler wants each of `COUNTED_METRICS` here or above. */
export const PERCENTILES = {
  latencyP95Ms: { quantile: 0.95, histogram: 'latency', mean: 'latencyMs' },
} as const satisfies Record<Exclude<CountedMetric, Compared>, Percentile>

/** Undefined for a metric that is no quantile. */
export function percentileOf(name: string): Percentile | undefined {
  return Object.hasOwn(PERCENTILES, name)
    ? PERCENTILES[name as keyof typeof PERCENTILES]
    : undefined
}

/** By what names each is asked for: those of `METRIC_NAMES`, with all of their spellings. */
const ASKED_AS = {
  ctr: 'ctr',
  mrr: 'mrr',
  zeroResultRate: 'zeroResultRate',
  conversionRate: 'conversionRate',
  rating: 'rating',
  latencyMs: 'latencyMean',
  latencyP95Ms: 'latencyP95',
} as const satisfies Record<CountedMetric, MetricName>

const NAMES: Partial<Record<MetricName, CountedMetric>> = Object.fromEntries(
  Object.entries(ASKED_AS).map(([metric, name]) => [name, metric]),
)

/** The service's own spelling of a metric; a name that it doesn't count itself stays as it is. */
export function metricName(sent: string): string {
  return readMetric(sent, NAMES) ?? sent
}

/** Whether it is counted of searches; any other has the values that others report. */
function isCountedMetric(name: string): name is CountedMetric {
  return Object.hasOwn(COUNTED_METRICS, name)
}

const COUNTED = Object.keys(COUNTED_METRICS).join(', ')
const NAMES_TOLD_MAX = 20

/** What whoever names metrics is told of those that the service does not count: a misspelt one would wait for ever. */
export function uncountedWarnings(path: string, names: readonly string[], what: string): string[] {
  const others = [...new Set(names)].filter((name) => !isCountedMetric(name))
  if (others.length === 0) return []
  const told = others.slice(0, NAMES_TOLD_MAX).map(shownName).join(', ')
  return [
    `${path}: the service does not count ${told}; ${what} values of it are reported (POST /nous/ab-testing/results). It counts ${COUNTED}.`,
  ]
}

/** Which way harm lies; undefined for a reported metric whose name doesn't tell. */
export function harmOf(name: string): 'increase' | 'decrease' | undefined {
  if (isCountedMetric(name)) return COUNTED_METRICS[name].harm
  return isNamedAfterHarm(name) ? 'increase' : undefined
}
