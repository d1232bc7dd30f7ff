import type { MetricKind } from '../statistics/estimate.ts'

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

export interface Metric {
  name: string
  /** Numerator and denominator of one unit. */
  x: Count
  y: Count
  kind: MetricKind
  /** Which way harm lies. */
  harm: 'increase' | 'decrease'
}

/** The metrics that are compared. */
export const METRICS = [
  { name: 'ctr', x: 'clicked', y: 'searches', kind: 'ratio', harm: 'decrease' },
  { name: 'mrr', x: 'reciprocal', y: 'searches', kind: 'ratio', harm: 'decrease' },
  { name: 'zeroResultRate', x: 'empty', y: 'searches', kind: 'ratio', harm: 'increase' },
  { name: 'conversionRate', x: 'converted', y: 'searches', kind: 'ratio', harm: 'decrease' },
  { name: 'latencyMs', x: 'tookMs', y: 'searches', kind: 'ratio', harm: 'increase' },
  { name: 'rating', x: 'rated', y: 'ratings', kind: 'ratio', harm: 'decrease' },
] as const satisfies readonly Metric[]

/** Which of two interleaved rankings won, of the searches that one won: no metric to be named by a client. */
export const PREFERENCE = { name: '@preference', x: 'wins', y: 'decided' } as const

/** The 95th percentile of the latency: watched by guardrails, never compared. */
export const LATENCY_P95 = 'latencyP95Ms'

/** Other spellings, without case and punctuation. */
const SPELLINGS: Record<string, string> = {
  clickthroughrate: 'ctr',
  clickrate: 'ctr',
  meanreciprocalrank: 'mrr',
  mrr10: 'mrr',
  zeroresults: 'zeroResultRate',
  zeroresultsrate: 'zeroResultRate',
  noresultrate: 'zeroResultRate',
  conversion: 'conversionRate',
  conversions: 'conversionRate',
  cvr: 'conversionRate',
  meanlatency: 'latencyMs',
  averagelatency: 'latencyMs',
  avglatency: 'latencyMs',
  averagelatencyms: 'latencyMs',
  averagerating: 'rating',
  avgrating: 'rating',
  ratings: 'rating',
  latency: LATENCY_P95,
  responsetime: LATENCY_P95,
  p95: LATENCY_P95,
  latencyp95: LATENCY_P95,
  p95latency: LATENCY_P95,
  p95latencyms: LATENCY_P95,
}
for (const { name } of METRICS) SPELLINGS[name.toLowerCase()] = name
SPELLINGS[LATENCY_P95.toLowerCase()] = LATENCY_P95

/** The service's own spelling of a metric; a name that it doesn't count itself stays as it is. */
export function metricName(sent: string): string {
  const plain = sent.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return Object.hasOwn(SPELLINGS, plain) ? (SPELLINGS[plain] as string) : sent
}

/** Which way harm lies; undefined for a reported metric whose name doesn't tell. */
export function harmOf(name: string): 'increase' | 'decrease' | undefined {
  if (name === LATENCY_P95) return 'increase'
  const own = METRICS.find((metric) => metric.name === name)
  if (own !== undefined) return own.harm
  const isCost = /error|fail|latenc|timeout|cost|bounce|abandon|zero|crash|churn/i.test(name)
  return isCost ? 'increase' : undefined
}
