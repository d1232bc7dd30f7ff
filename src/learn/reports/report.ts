import { openBreath } from '../../breath.ts'
import type { AnalyticsReport, ReportQuery } from '../../schema/analytics.ts'
import type {
  HourReport,
  QueryCounts,
  QueryList,
  SearchCounts,
} from '../../schema/analytics-record.ts'
import type { Store } from '../../store/store.ts'
import { LATENCY_BUCKETS, latencyQuantile } from '../statistics/latency-histogram.ts'
import { HOUR_MS, hourOf } from '../wire/duration.ts'
import { openDistinct } from './distinct.ts'
import { readQueries } from './frequent.ts'
import { countsFrom, noSearches } from './hour.ts'

const WINDOWS_H: Record<string, number> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 }
const DEFAULT_WINDOW = '24h'
const LIMIT = 20

/** Adds up the hours of a window; the first hour is whole, though the window may begin within it. */
export async function makeReport(
  store: Store,
  { timeWindow: sent = DEFAULT_WINDOW, limit = LIMIT }: ReportQuery,
  nowMs: number,
): Promise<AnalyticsReport> {
  const timeWindow = sent.toLowerCase()
  const last = hourOf(nowMs)
  const first = hourOf(nowMs - (WINDOWS_H[timeWindow] as number) * HOUR_MS)
  const sums = newSums()
  const breathe = openBreath()
  for (let hour = first; hour <= last; hour += 1) {
    const row = store.tables.hourReports.get(hour)
    if (row !== undefined) addHour(sums, hour, row)
    await breathe()
  }
  const counts = Array.from({ length: LATENCY_BUCKETS }, (_, at) => sums.latency.get(at) ?? 0)
  const quantile = (share: number): number | null => rounded(latencyQuantile(counts, share))
  return {
    timeWindow,
    from: new Date(first * HOUR_MS).toISOString(),
    to: new Date(nowMs).toISOString(),
    ...figuresOf(sums.all),
    sessions: sums.sessions.size(),
    units: sums.units.size(),
    latency: {
      p50: quantile(0.5),
      p95: quantile(0.95),
      p99: quantile(0.99),
      avg: averageMs(sums.all),
    },
    topQueries: mostFrequent(sums.queries, limit),
    zeroResultQueries: mostFrequent(sums.zeroResultQueries, limit),
    bySearchType: Object.fromEntries(
      [...sums.byType].map(([type, counts]) => [type, timedFiguresOf(counts)]),
    ),
    byHour: sums.byHour,
    feedback: { total: sum(sums.feedback), byStatus: upperCased(sums.feedback) },
    events: { total: sum(sums.events), byType: Object.fromEntries(sums.events) },
  }
}

function newSums() {
  return {
    all: noSearches(),
    byType: new Map<string, Required<SearchCounts>>(),
    latency: new Map<number, number>(),
    sessions: openDistinct(),
    units: openDistinct(),
    feedback: new Map<string, number>(),
    events: new Map<string, number>(),
    queries: new Map<string, QueryCounts>(),
    zeroResultQueries: new Map<string, QueryCounts>(),
    byHour: [] as AnalyticsReport['byHour'],
  }
}

function addHour(sums: ReturnType<typeof newSums>, hour: number, row: HourReport): void {
  sums.all = added(sums.all, row.all)
  for (const [type, counts] of row.byType)
    sums.byType.set(type, added(sums.byType.get(type) ?? noSearches(), counts))
  addAll(sums.latency, row.latency)
  addAll(sums.feedback, row.feedback)
  addAll(sums.events, row.events)
  sums.sessions.merge(row.sessions)
  sums.units.merge(row.units)
  addQueries(sums.queries, row.queries)
  addQueries(sums.zeroResultQueries, row.zeroResultQueries)
  sums.byHour.push({
    hour: new Date(hour * HOUR_MS).toISOString(),
    ...timedFiguresOf(countsFrom(row.all)),
  })
}

/** Sums with the counts of one more row. Made anew, so that the compiler asks for a count that this forgets. */
function added(sums: Required<SearchCounts>, row: SearchCounts): Required<SearchCounts> {
  const counts = countsFrom(row)
  return {
    searches: sums.searches + counts.searches,
    clickable: sums.clickable + counts.clickable,
    zeroResults: sums.zeroResults + counts.zeroResults,
    clicked: sums.clicked + counts.clicked,
    clickedOfNobody: sums.clickedOfNobody + counts.clickedOfNobody,
    reciprocal: sums.reciprocal + counts.reciprocal,
    tookMs: sums.tookMs + counts.tookMs,
  }
}

function addAll<Key>(sums: Map<Key, number>, counts: readonly [Key, number][]): void {
  for (const [key, count] of counts) sums.set(key, (sums.get(key) ?? 0) + count)
}

function addQueries(sums: Map<string, QueryCounts>, list: QueryList): void {
  for (const counts of readQueries(list)) {
    const own = sums.get(counts.queryHash)
    if (own === undefined) sums.set(counts.queryHash, counts)
    else {
      own.searches += counts.searches
      own.clickable += counts.clickable
      own.clicked += counts.clicked
      own.clickedOfNobody += counts.clickedOfNobody
    }
  }
}

/**
 * The most frequent queries: the same ones for equal counts, whatever the order in which they came; without those of
 * which only further pages came in the window.
 */
function mostFrequent(queries: Map<string, QueryCounts>, limit: number) {
  return [...queries.values()]
    .filter(({ searches }) => searches > 0)
    .sort((a, b) => b.searches - a.searches || (a.queryHash < b.queryHash ? -1 : 1))
    .slice(0, limit)
    .map(({ query, queryHash, searches, clickable, clicked, clickedOfNobody }) => ({
      query,
      queryHash,
      searches,
      clickable,
      clicks: clicked,
      ctr: rate(clicked - clickedOfNobody, clickable),
    }))
}

function figuresOf(counts: Required<SearchCounts>) {
  const { searches, clickable, clicked, clickedOfNobody, reciprocal, zeroResults } = counts
  return {
    searches,
    clickable,
    clicks: clicked,
    ctr: rate(clicked - clickedOfNobody, clickable),
    mrr: rate(reciprocal, clickable),
    zeroResultRate: rate(zeroResults, searches),
  }
}

function timedFiguresOf(counts: Required<SearchCounts>) {
  return { ...figuresOf(counts), averageMs: averageMs(counts) }
}

/**
 * Clicks on pages whose lists are not known, and on searches that retention has removed, may outnumber the searches, and
 * sums of thirds may not be whole.
 */
function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.max(0, Math.min(1, part / whole))
}

function averageMs({ tookMs, searches }: SearchCounts): number | null {
  return searches === 0 ? null : rounded(tookMs / searches)
}

function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms * 1000) / 1000
}

function sum(counts: Map<string, number>): number {
  let total = 0
  for (const count of counts.values()) total += count
  return total
}

function upperCased(counts: Map<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].map(([word, count]) => [word.toUpperCase(), count]))
}
