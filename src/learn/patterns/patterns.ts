import { invalid } from '../../errors.ts'
import type { WatchedTotals } from '../../schema/adaptation-record.ts'
import { documentOf } from '../../schema/document-key.ts'
import type { FeedbackPatterns, PatternQuery, SearchPatterns } from '../../schema/pattern.ts'
import { type QueryPattern, RANK_PARTS } from '../../schema/pattern-record.ts'
import type { Store } from '../../store/store.ts'
import type { Consumer } from '../facts.ts'
import { type Asker, SEVERAL } from './askers.ts'
import { type Clicks, openClicks } from './clicks.ts'
import type { LiveIndex, QueryEvidence, ReformulationEvidence } from './evidence.ts'
import { ALL, openFeedbackCounts } from './feedback-counts.ts'
import { readWindow, recentDays, type Span, type Window } from './periods.ts'
import { openQueries } from './queries.ts'
import { reportFeedback, reportSearches } from './report.ts'

/** What searchers do, from counters that are bounded. */
export interface Patterns {
  clicks: Clicks
  /** In this order. */
  consumers: Consumer[]
  /** In slices. Throws VALIDATION_FAILED for an unknown window. */
  searches: (query: PatternQuery) => Promise<SearchPatterns>
  feedback: (query: PatternQuery) => FeedbackPatterns
  /** What is known of a query from the last 7 days. */
  evidenceOf: (queryHash: string) => QueryEvidence | undefined
  /** What was seen of a query as counts of searches; their latency is not known. */
  armOf: (queryHash: string) => WatchedTotals
  /** In slices: what queries of today and yesterday show that more than one asked, and other words to which more than one came. */
  findings: () => Promise<{ queries: QueryEvidence[]; reformulations: ReformulationEvidence[] }>
  /** Removes some of what was counted in periods that were over before a moment, and what sessions searched last before it. */
  sweep: (beforeMs: number) => Promise<number>
}

const WINDOW = '24h'
const EVIDENCE_WINDOW = '7d'
const LIMIT = 10
const NO_SEARCHES = {
  searches: 0,
  known: 0,
  clicked: 0,
  clickedOfNobody: 0,
  zeroResults: 0,
  reciprocalRanks: 0,
}

export function openPatterns(store: Store, clock: () => number, liveIndex: LiveIndex): Patterns {
  const clicks = openClicks(store)
  const searched = openQueries(store, clicks)
  const answered = openFeedbackCounts(store, clicks)

  function windowOf({ window, timeWindow }: PatternQuery): Window {
    const path = window === undefined ? 'timeWindow' : 'window'
    if (window !== undefined && timeWindow !== undefined && timeWindow !== window)
      throw invalid('timeWindow', 'contradicts window; send one of them, or the same in both')
    return readWindow(window ?? timeWindow ?? WINDOW, clock(), path)
  }
  async function find(window: Span, isWanted: (row: { asker: Asker }) => boolean = () => true) {
    const queries = [...(await searched.queries.sum(window))].filter(([, row]) => isWanted(row))
    const sums = await searched.reformulations.sum(window)
    const pairs = [...sums].filter(([, pair]) => isWanted(pair))
    return {
      queries: queries.map(([queryHash, row]) => ({ ...figuresOf(queryHash, row), row })),
      reformulations: pairs.map(([name, { from, to, asker: _, ...counts }]) => {
        const [fromHash = '', toHash = ''] = name.split(' ')
        return { from: fromHash, fromQuery: from, to: toHash, toQuery: to, ...counts }
      }),
    }
  }
  function recent(queryHash: string): QueryPattern | undefined {
    return searched.queries.sumOf(queryHash, readWindow(EVIDENCE_WINDOW, clock()))
  }
  return {
    clicks,
    consumers: [clicks, searched, answered],
    searches: async (query) => {
      const window = windowOf(query)
      const found = await find(window)
      return reportSearches(window.name, found, query.limit ?? LIMIT, ({ row }) =>
        documentsOf(row, liveIndex),
      )
    },
    feedback: (query) => {
      const window = windowOf(query)
      const limit = query.limit ?? LIMIT
      return reportFeedback(window.name, answered.counts.sumOf(ALL, window), limit)
    },
    evidenceOf: (queryHash) => {
      const row = recent(queryHash)
      return row === undefined ? undefined : evidence(queryHash, row, liveIndex)
    },
    armOf: (queryHash) => {
      const row = recent(queryHash) ?? NO_SEARCHES
      const { searches, known, zeroResults, reciprocalRanks } = row
      const clicked = row.clicked - row.clickedOfNobody
      const ranks = reciprocalRanks === undefined ? undefined : reciprocalRanks / RANK_PARTS
      return { searches, known, clicked, zeroResults, reciprocalRanks: ranks, latency: [] }
    },
    sweep: async (beforeMs) =>
      (await clicks.sweep(beforeMs)) +
      (await searched.sweep(beforeMs)) +
      (await answered.counts.sweep(beforeMs)),
    findings: async () => {
      const { queries, reformulations } = await find(
        recentDays(clock()),
        ({ asker }) => asker === SEVERAL,
      )
      const whole = queries.map(({ queryHash, row }) => evidence(queryHash, row, liveIndex))
      return { queries: whole, reformulations }
    },
  }
}

function evidence(queryHash: string, row: QueryPattern, liveIndex: LiveIndex): QueryEvidence {
  return { ...figuresOf(queryHash, row), documents: documentsOf(row, liveIndex) }
}

function figuresOf(queryHash: string, row: QueryPattern): Omit<QueryEvidence, 'documents'> {
  const { query, searches, known, zeroResults, firstPositions } = row
  const { clicked, clickedOfNobody, placed } = row
  return {
    queryHash,
    query,
    searches,
    known,
    clicked,
    clickedOfNobody,
    placed,
    zeroResults,
    clickPosition: placed === 0 ? undefined : firstPositions / placed,
  }
}

function documentsOf(
  { documents }: QueryPattern,
  liveIndex: LiveIndex,
): QueryEvidence['documents'] {
  return [...documents]
    .map(([key, [clicks, positions]]) => {
      const { id, indexId } = documentOf(key)
      const index = liveIndex(indexId)
      const named = index === undefined ? { id } : { id, index }
      return { ...named, clicks, position: positions / clicks }
    })
    .sort((a, b) => b.clicks - a.clicks || (a.id < b.id ? -1 : 1))
}
