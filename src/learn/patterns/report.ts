import type { FeedbackPatterns, SearchPatterns } from '../../schema/pattern.ts'
import type { FeedbackPattern } from '../../schema/pattern-record.ts'
import type { QueryEvidence, ReformulationEvidence } from './evidence.ts'

/** First clicks behind this position are far down, from so many clicked searches on. */
const FAR_POSITION = 3
const FAR_CLICKED_MIN = 5
const DOCUMENTS_SHOWN = 5

/** What was counted of a query, whose documents are looked up where it is shown. */
type Counted = Omit<QueryEvidence, 'documents'>

export function reportSearches<Query extends Counted>(
  window: string,
  { queries, reformulations }: WindowFigures<Query>,
  limit: number,
  documentsOf: (query: Query) => QueryEvidence['documents'],
): SearchPatterns {
  const byHash = (a: Query, b: Query) => (a.queryHash < b.queryHash ? -1 : 1)
  const first = (chosen: readonly Query[], by: (query: Query) => number) =>
    firstBy(chosen, limit, by, byHash).map((query) => showQuery(query, documentsOf(query)))
  return {
    window,
    queries: queries.length,
    searches: queries.reduce((sum, { searches }) => sum + searches, 0),
    topQueries: first(queries, ({ searches }) => searches),
    zeroResultQueries: first(
      queries.filter(({ zeroResults }) => zeroResults > 0),
      ({ zeroResults }) => zeroResults,
    ),
    clicksFarDown: first(queries.filter(isFarDown), ({ clickPosition = 0 }) => clickPosition),
    reformulations: firstBy(
      reformulations,
      limit,
      ({ count }) => count,
      (a, b) => b.clicked - a.clicked || (a.from < b.from ? -1 : 1),
    ),
    limit,
  }
}

/** What a window shows. */
interface WindowFigures<Query> {
  queries: readonly Query[]
  reformulations: readonly ReformulationEvidence[]
}

/** The first ones by a figure, greatest first: to sort all of a month would take most of the time. */
function firstBy<Item>(
  items: readonly Item[],
  limit: number,
  by: (item: Item) => number,
  ofEqual: (a: Item, b: Item) => number,
): Item[] {
  const figures = Float64Array.from(items, by)
  const least = figures.toSorted().at(-limit) ?? -Infinity
  return items
    .filter((_, at) => (figures[at] as number) >= least)
    .sort((a, b) => by(b) - by(a) || ofEqual(a, b))
    .slice(0, limit)
}

/** Searchers of the query have to look far down before they open something. */
export function isFarDown({ placed, clickPosition = 0 }: Counted): boolean {
  return placed >= FAR_CLICKED_MIN && clickPosition > FAR_POSITION
}

function showQuery(
  query: Counted,
  documents: QueryEvidence['documents'],
): SearchPatterns['topQueries'][number] {
  const { queryHash, searches, known, zeroResults, clickPosition } = query
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
