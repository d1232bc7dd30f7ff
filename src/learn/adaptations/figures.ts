import type { ArmTotals, EarlierTotals } from '../../schema/adaptation-record.ts'
import { latencyQuantile } from '../statistics/latency-histogram.ts'
import { reciprocalRank } from '../statistics/reciprocal-rank.ts'

/** What is measured of searches; each is undefined while there is nothing to measure it by. */
export const METRICS = {
  /** Share of somebody's searches with a click. */
  ctr: ({ clicked, known }) => ratio(clicked, known),
  /** Mean of 1/position of the first click within the first ten, 0 without one. */
  mrr: ({ reciprocalRanks, known }) =>
    reciprocalRanks === undefined ? undefined : ratio(reciprocalRanks, known),
  zeroResultRate: ({ zeroResults, searches }) => ratio(zeroResults, searches),
  /** Milliseconds. */
  latencyP50: ({ latency }) => latencyQuantile(latency, 0.5),
  latencyP95: ({ latency }) => latencyQuantile(latency, 0.95),
  latencyP99: ({ latency }) => latencyQuantile(latency, 0.99),
  searches: ({ searches }) => searches,
} as const satisfies Record<string, (arm: EarlierTotals) => number | undefined>

export type WatchedMetric = keyof typeof METRICS

const SPELLINGS: Record<string, WatchedMetric> = {
  clickthroughrate: 'ctr',
  clickrate: 'ctr',
  meanreciprocalrank: 'mrr',
  mrr10: 'mrr',
  zeroresults: 'zeroResultRate',
  zerorate: 'zeroResultRate',
  latency: 'latencyP95',
  p95: 'latencyP95',
  p50: 'latencyP50',
  p99: 'latencyP99',
  p95latency: 'latencyP95',
  p50latency: 'latencyP50',
  p99latency: 'latencyP99',
}

/** The metric that a name means, whatever its spelling; undefined when it isn't measured. */
export function metricOf(name: string): WatchedMetric | undefined {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  const bare = plain.replace(/(ms|millis|milliseconds)$/, '')
  const known = Object.keys(METRICS).find((metric) => metric.toLowerCase() === bare)
  if (known !== undefined) return known as WatchedMetric
  return Object.hasOwn(SPELLINGS, bare) ? SPELLINGS[bare] : undefined
}

/** Whether less of it is better, by its name. */
export function lessIsBetter(name: string): boolean {
  return /latency|took|duration|zero|error|loss|bounce|abandon|p\d\d/i.test(name)
}

/** A sample's size for a metric: only somebody's searches can be clicked. */
export function samplesOf(metric: WatchedMetric, arm: EarlierTotals): number {
  return metric === 'ctr' || metric === 'mrr' ? arm.known : arm.searches
}

export function emptyArm(): ArmTotals {
  return { searches: 0, known: 0, clicked: 0, reciprocalRanks: 0, zeroResults: 0, latency: [] }
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

/** Counts the first click of a search at a position from 1. */
export function countClick(arm: ArmTotals, position: number): void {
  arm.clicked += 1
  arm.reciprocalRanks += reciprocalRank(position)
}

export function addArms(arms: Iterable<ArmTotals>): ArmTotals {
  const sum = emptyArm()
  for (const arm of arms) {
    sum.searches += arm.searches
    sum.known += arm.known
    sum.clicked += arm.clicked
    sum.reciprocalRanks += arm.reciprocalRanks
    sum.zeroResults += arm.zeroResults
    arm.latency.forEach((count, bucket) => {
      while (sum.latency.length <= bucket) sum.latency.push(0)
      sum.latency[bucket] = (sum.latency[bucket] ?? 0) + count
    })
  }
  return sum
}

function ratio(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined
}
