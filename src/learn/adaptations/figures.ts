import type { ArmTotals, WatchedTotals } from '../../schema/adaptation-record.ts'
import { latencyQuantile } from '../statistics/latency-histogram.ts'
import { reciprocalRank } from '../statistics/reciprocal-rank.ts'
import { type MetricName, readMetric } from '../wire/metric-names.ts'

/** What is measured of searches; each is undefined while there is nothing to measure it by. */
export const WATCHED_METRICS = {
  /** Share of somebody's searches with a click. */
  ctr: ({ clicked, known }) => ratio(clicked, known),
  /** Mean of 1/position of the best click within the first ten, 0 without one. */
  mrr: ({ reciprocalRanks, known }) =>
    reciprocalRanks === undefined ? undefined : ratio(reciprocalRanks, known),
  zeroResultRate: ({ zeroResults, searches }) => ratio(zeroResults, searches),
  /** Milliseconds. */
  latencyP50: ({ latency }) => latencyQuantile(latency, 0.5),
  latencyP95: ({ latency }) => latencyQuantile(latency, 0.95),
  latencyP99: ({ latency }) => latencyQuantile(latency, 0.99),
  searches: ({ searches }) => searches,
} as const satisfies Partial<Record<MetricName, (arm: WatchedTotals) => number | undefined>>

export type WatchedMetric = keyof typeof WATCHED_METRICS

const NAMES: Partial<Record<MetricName, WatchedMetric>> = Object.fromEntries(
  (Object.keys(WATCHED_METRICS) as WatchedMetric[]).map((name) => [name, name]),
)

/** The metric that a name means, whatever its spelling; undefined when it isn't measured. */
export function metricOf(name: string): WatchedMetric | undefined {
  return readMetric(name, NAMES)
}

/** Only somebody's searches can be clicked, and a click comes some time after its search. */
const MEASURED_BY: Readonly<Record<WatchedMetric, 'clicks' | 'searches'>> = {
  ctr: 'clicks',
  mrr: 'clicks',
  zeroResultRate: 'searches',
  latencyP50: 'searches',
  latencyP95: 'searches',
  latencyP99: 'searches',
  searches: 'searches',
}

export function isOfClicks(metric: WatchedMetric): boolean {
  return MEASURED_BY[metric] === 'clicks'
}

/** A sample's size for a metric. */
export function samplesOf(metric: WatchedMetric, arm: WatchedTotals): number {
  return isOfClicks(metric) ? arm.known : arm.searches
}

/** Every count but the latency: the compiler wants each that `ArmTotals` has, here and in `addArms`. */
const NO_COUNTS: Omit<ArmTotals, 'latency' | 'units'> = {
  searches: 0,
  known: 0,
  clicked: 0,
  reciprocalRanks: 0,
  zeroResults: 0,
}
const COUNTS = Object.keys(NO_COUNTS) as (keyof typeof NO_COUNTS)[]

export function emptyArm(): ArmTotals {
  return { ...NO_COUNTS, latency: [] }
}

/** Counts one search; `bucket` is that of its latency. */
export function countSearch(
  arm: ArmTotals,
  search: { total: number; unit?: string },
  bucket: number,
): void {
  arm.searches += 1
  if (search.unit !== undefined) arm.known += 1
  if (search.total === 0) arm.zeroResults += 1
  while (arm.latency.length <= bucket) arm.latency.push(0)
  arm.latency[bucket] = (arm.latency[bucket] ?? 0) + 1
}

/** Counts a search's best click, at a position from 1, in place of the one that was its best before. */
export function countClick(arm: ArmTotals, best: number, before?: number): void {
  if (before === undefined) arm.clicked += 1
  arm.reciprocalRanks += reciprocalRank(best) - reciprocalRank(before ?? 0)
}

/** By name: of a day's minutes, each second, a loop over the names of counts took most of the time. */
export function addArms(arms: readonly ArmTotals[]): ArmTotals {
  let [searches, known, clicked, reciprocalRanks, zeroResults] = [0, 0, 0, 0, 0]
  const buckets = arms.reduce((most, arm) => Math.max(most, arm.latency.length), 0)
  const latency: number[] = new Array(buckets).fill(0)
  for (const arm of arms) {
    searches += arm.searches
    known += arm.known
    clicked += arm.clicked
    reciprocalRanks += arm.reciprocalRanks
    zeroResults += arm.zeroResults
    for (let bucket = 0; bucket < arm.latency.length; bucket++)
      latency[bucket] = (latency[bucket] as number) + (arm.latency[bucket] as number)
  }
  return { searches, known, clicked, reciprocalRanks, zeroResults, latency }
}

/** What an arm has counted beside what another, which is part of it, has. */
export function subtractArm(arm: ArmTotals, part: ArmTotals): ArmTotals {
  const rest = emptyArm()
  for (const count of COUNTS) rest[count] = arm[count] - part[count]
  rest.latency = arm.latency.map((count, bucket) => count - (part.latency[bucket] ?? 0))
  return rest
}

function ratio(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined
}
