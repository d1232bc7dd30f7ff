import type { FeedbackPatterns, SearchPatterns } from '../../schema/pattern.ts'
import type { FeedbackPattern } from '../../schema/pattern-record.ts'
import type { QueryEvidence, ReformulationEvidence } from './evidence.ts'

/** First clicks behind this position are far down, from so many clicked searches on. */
const FAR_POSITION = 3
const FAR_CLICKED_MIN = 5
const DOCUMENTS_SHOWN = 5

export function reportSearches(
  window: string,
  queries: readonly QueryEvidence[],
  reformulations: readonly ReformulationEvidence[],
  limit: number,
): SearchPatterns {
  const first = (chosen: QueryEvidence[], by: (query: QueryEvidence) => number) =>
    chosen.sort((a, b) => by(b) - by(a) || (a.queryHash < b.queryHash ? -1 : 1)).slice(0, limit)
  return {
    window,
    queries: queries.length,
    searches: queries.reduce((sum, { searches }) => sum + searches, 0),
    topQueries: first([...queries], ({ searches }) => searches).map(showQuery),
    zeroResultQueries: first(
      queries.filter(({ zeroResults }) => zeroResults > 0),
      ({ zeroResults }) => zeroResults,
    ).map(showQuery),
    clicksFarDown: first(queries.filter(isFarDown), ({ clickPosition = 0 }) => clickPosition).map(
      showQuery,
    ),
    reformulations: [...reformulations]
      .sort((a, b) => b.count - a.count || b.clicked - a.clicked || (a.from < b.from ? -1 : 1))
      .slice(0, limit),
    limit,
  }
}

/** Searchers of the query have to look far down before they open something. */
export function isFarDown({ placed, clickPosition = 0 }: QueryEvidence): boolean {
  return placed >= FAR_CLICKED_MIN && clickPosition > FAR_POSITION
}

function showQuery(query: QueryEvidence): SearchPatterns['topQueries'][number] {
  const { queryHash, searches, known, zeroResults, clickPosition, documents } = query
  const { clicked, clickedOfNobody } = query
  return {
    queryHash,
    query: query.query,
    searches,
    clicked,
    zeroResults,
    clickable: known,
    ctr: rate(clicked - clickedOfNobody, known),
    clickPosition: clickPosition === undefined ? null : round(clickPosition),
    documents: documents
      .slice(0, DOCUMENTS_SHOWN)
      .map(({ position, ...same }) => ({ ...same, position: round(position) })),
  }
}

export function reportFeedback(
  window: string,
  row: FeedbackPattern | undefined,
  limit: number,
): FeedbackPatterns {
  const { entries = 0, unmatched = 0, duplicates = 0, ratings = [], ratingSum = 0 } = row ?? {}
  const rated = ratings.reduce((sum, count) => sum + count, 0)
  const byCount = <T extends { count: number }>(rows: T[]) =>
    rows.sort((a, b) => b.count - a.count).slice(0, limit)
  return {
    window,
    entries,
    unmatched,
    duplicates,
    byAction: byCount(
      Object.entries(row?.actions ?? {}).map(([action, count]) => ({ action, count })),
    ),
    byPosition: (row?.positions ?? []).slice(0, limit).map(([shown, clicked], at) => ({
      position: at + 1,
      shown,
      clicked,
      ctr: rate(clicked, shown),
    })),
    byDevice: Object.entries(row?.devices ?? {})
      .map(([deviceType, device]) => ({
        deviceType,
        ...device,
        ctr: rate(device.clicked, device.searches),
      }))
      .sort((a, b) => b.searches - a.searches)
      .slice(0, limit),
    ratings: {
      average: rate(ratingSum, rated),
      distribution: ratings.map((count, step) => ({
        from: step / ratings.length,
        to: (step + 1) / ratings.length,
        count,
      })),
    },
    limit,
  }
}

/** Clicks on pages whose lists are not known may outnumber the searches. */
function rate(part: number, whole: number): number | null {
  return whole > 0 ? round(Math.min(1, part / whole)) : null
}

function round(value: number): number {
  return Number(value.toFixed(6))
}
