import {
  type QueryPattern,
  type QueryPatternRow,
  RANK_PARTS,
  type Reformulation,
  type ReformulationRow,
} from '../../schema/pattern-record.ts'
import type { Store } from '../../store/store.ts'
import { joinAskers, NOBODY, SEVERAL } from './askers.ts'
import { addDocumentsTo, mostClicked, NO_DOCUMENTS, setDocumentsIn } from './clicked-documents.ts'

/** Queries that one hour keeps; a day keeps twice as many. */
const QUERIES_MAX = 500
const REFORMULATIONS_MAX = 250

/** How the rows of queries are kept. */
export function queryRows({ tables, release }: Store) {
  return {
    name: 'query patterns',
    meta: tables.meta,
    release,
    table: tables.queryPatterns,
    pack: packQuery,
    unpack: unpackQuery,
    hourRowsMax: QUERIES_MAX,
    fresh: (): QueryPattern => ({
      query: '',
      searches: 0,
      known: 0,
      clicked: 0,
      clickedOfNobody: 0,
      zeroResults: 0,
      placed: 0,
      firstPositions: 0,
      reciprocalRanks: 0,
      asker: NOBODY,
      documents: NO_DOCUMENTS,
    }),
    weight: (row: QueryPattern) => row.searches,
    askerOf: (row: QueryPattern) => row.asker,
    add: addQuery,
    join: (day: QueryPattern, hour: QueryPattern) => {
      day.query = hour.query
      addQuery(day, hour)
      day.documents = mostClicked(day.documents)
    },
  }
}

function addQuery(sum: QueryPattern, row: QueryPattern): void {
  sum.searches += row.searches
  sum.known += row.known
  sum.clicked += row.clicked
  sum.clickedOfNobody += row.clickedOfNobody
  sum.zeroResults += row.zeroResults
  sum.placed += row.placed
  sum.firstPositions += row.firstPositions
  sum.reciprocalRanks =
    sum.reciprocalRanks === undefined || row.reciprocalRanks === undefined
      ? undefined
      : sum.reciprocalRanks + row.reciprocalRanks
  sum.asker = joinAskers(sum.asker, row.asker)
  sum.documents = addDocumentsTo(sum.documents, row.documents)
}

/** How the rows of reformulations are kept. */
export function reformulationRows({ tables, release }: Store) {
  return {
    name: 'reformulations',
    meta: tables.meta,
    release,
    table: tables.reformulations,
    pack: (row: Reformulation): ReformulationRow => {
      const { from, to, count, fromNothing, clicked, asker } = row
      return [from, to, count, fromNothing, clicked, asker]
    },
    unpack: (row: ReformulationRow): Reformulation => {
      const [from, to, count, fromNothing, clicked, asker = SEVERAL] = row
      return { from, to, count, fromNothing, clicked, asker }
    },
    hourRowsMax: REFORMULATIONS_MAX,
    fresh: (): Reformulation => ({
      from: '',
      to: '',
      count: 0,
      fromNothing: 0,
      clicked: 0,
      asker: NOBODY,
    }),
    weight: (row: Reformulation) => row.count,
    askerOf: (row: Reformulation) => row.asker,
    add: addReformulation,
    join: (day: Reformulation, hour: Reformulation) => {
      day.from = hour.from
      day.to = hour.to
      addReformulation(day, hour)
    },
  }
}

function addReformulation(sum: Reformulation, row: Reformulation): void {
  sum.count += row.count
  sum.fromNothing += row.fromNothing
  sum.clicked += row.clicked
  sum.asker = joinAskers(sum.asker, row.asker)
}

function packQuery(row: QueryPattern): QueryPatternRow {
  const { query, searches, known, clicked, zeroResults, firstPositions } = row
  const { reciprocalRanks, asker, clickedOfNobody, placed } = row
  const written: QueryPatternRow = [query, searches, known, clicked, zeroResults, firstPositions]
  written.push(reciprocalRanks, asker, clickedOfNobody, placed)
  for (const [key, [clicks, positions]] of row.documents) written.push([key, clicks, positions])
  return written
}

function unpackQuery(written: QueryPatternRow): QueryPattern {
  const [query, searches, known, clicked, zeroResults, firstPositions, ...more] = written
  const documents = more.filter((part) => Array.isArray(part))
  const [ranks, asker = SEVERAL, clickedOfNobody = 0, placed = clicked] = more.filter(
    (part) => typeof part === 'number' || part === undefined,
  )
  // Without a rank it is known when nothing was clicked, or nothing but first hits.
  const derived = clicked === firstPositions ? (clicked - clickedOfNobody) * RANK_PARTS : undefined
  return {
    query,
    searches,
    known,
    clicked,
    clickedOfNobody,
    zeroResults,
    placed,
    firstPositions,
    reciprocalRanks: ranks ?? derived,
    asker,
    documents: setDocumentsIn(
      NO_DOCUMENTS,
      documents.map(([key, clicks, positions]) => [key, [clicks, positions]]),
    ),
  }
}
