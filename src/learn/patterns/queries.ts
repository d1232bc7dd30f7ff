import type { DocumentKey } from '../../schema/document-key.ts'
import {
  type LastSearch,
  type QueryPattern,
  RANK_PARTS,
  type Reformulation,
} from '../../schema/pattern-record.ts'
import { isFirstPage } from '../../schema/plan.ts'
import type { Store } from '../../store/store.ts'
import { type Consumer, type Doomed, type FeedbackFact, type Impression, listOf } from '../facts.ts'
import { GROUPS } from '../loop/fold.ts'
import { reciprocalRank } from '../statistics/reciprocal-rank.ts'
import { askersNamed, withAsker } from './askers.ts'
import { countDocument } from './clicked-documents.ts'
import type { BestClick, Clicks } from './clicks.ts'
import { isReformulated, openLastSearches } from './last-searches.ts'
import { queryRows, reformulationRows } from './query-rows.ts'
import { timesOfPairs, timesOfQueries } from './times.ts'
import { openTopRows, type TopRows } from './top-rows.ts'

/** What searchers did, query by query, and how they put one query in other words. */
export interface Queries extends Consumer {
  queries: TopRows<QueryPattern>
  reformulations: TopRows<Reformulation>
  /** Removes some of what was searched before a moment, and what sessions searched last; returns how much. */
  sweep: (beforeMs: number) => Promise<number>
}

export function openQueries(store: Store, clicks: Clicks): Queries {
  const queries = openTopRows(queryRows(store))
  const reformulations = openTopRows(reformulationRows(store))
  const last = openLastSearches(store)

  function takeSearch(impression: Impression): void {
    // What is clicked on further pages counts for the list.
    if (!isFirstPage(impression)) return
    const { queryId, queryHash, query, timeMs, total, sessionId, unit } = impression
    const zeroResults = total === 0
    for (const part of [queries, reformulations]) part.pass(timeMs)
    queries.count(timeMs, queryHash, countSearched, impression)
    if (sessionId === undefined || unit === undefined) return
    const now: LastSearch = { queryId, queryHash, query, timeMs, clicked: false, zeroResults }
    const before = last.get(sessionId)
    if (before !== undefined && timeMs < before.timeMs) return
    if (before !== undefined && isReformulated(before, now)) {
      now.from = before.queryHash
      reformulations.count(timeMs, nameOf(now), countReformulated, { before, impression })
    }
    last.put(sessionId, now)
  }
  function takeFeedback(fact: FeedbackFact): void {
    const { impression, hit, sessionId } = fact
    const click = clicks.bestOfList(fact)
    if (impression === undefined || click === undefined) return
    const { queryHash } = impression
    const { queryId, timeMs } = listOf(impression)
    if (click.before === undefined) {
      noteClicked(sessionId, queryId)
      queries.count(timeMs, queryHash, countClicked, impression)
    }
    if (hit === undefined) return
    if (isFirstPage(impression) || impression.list !== undefined)
      queries.count(timeMs, queryHash, countRank, { impression, click })
    const position = clicks.firstOfList(fact)
    if (position === undefined) return
    const key = impression.page.keys[hit]
    queries.count(timeMs, queryHash, countPlaced, { key, position })
  }
  function noteClicked(sessionId: string, queryId: string): void {
    const own = last.get(sessionId)
    if (own === undefined || own.queryId !== queryId || own.clicked) return
    last.put(sessionId, { ...own, clicked: true })
    if (own.from !== undefined)
      reformulations.count(own.timeMs, nameOf(own), countFollowed, undefined)
  }
  const parts = [queries, reformulations, last]
  return {
    name: 'query patterns',
    group: GROUPS.patterns,
    queries,
    reformulations,
    sweep: async (beforeMs) => {
      let removed = 0
      for (const part of parts) removed += await part.sweep(beforeMs)
      return removed
    },
    load: () => parts.forEach((part) => void part.load()),
    take: (fact) => {
      if (fact.kind === 'search') takeSearch(fact.impression)
      else if (fact.kind === 'feedback') takeFeedback(fact)
    },
    save: () => parts.forEach((part) => void part.save()),
    *untake(doomed) {
      yield* untakeFrom(queries, reformulations, doomed)
      last.forget(doomed.names)
    },
    reset: () => parts.forEach((part) => void part.reset()),
  }
}

function* untakeFrom(
  queries: Queries['queries'],
  reformulations: Queries['reformulations'],
  { names, facts }: Doomed,
): Iterable<unknown> {
  for (const [name, timesMs] of timesOfQueries(facts)) yield* queries.forget(name, timesMs)
  for (const [name, timesMs] of timesOfPairs(facts)) yield* reformulations.forget(name, timesMs)
  const askers = askersNamed(names)
  yield* queries.forgetAskers(askers)
  yield* reformulations.forgetAskers(askers)
}

function countSearched(row: QueryPattern, impression: Impression): void {
  nameQuery(row, impression)
  row.searches += 1
  row.known += impression.unit === undefined ? 0 : 1
  row.zeroResults += impression.total === 0 ? 1 : 0
}

function countClicked(row: QueryPattern, impression: Impression): void {
  nameQuery(row, impression)
  row.clicked += 1
  row.clickedOfNobody += impression.unit === undefined ? 1 : 0
}

/** The first click of a list that named its hit. */
function countPlaced(
  row: QueryPattern,
  { key, position }: { key: DocumentKey | undefined; position: number },
): void {
  row.placed += 1
  row.firstPositions += position
  if (key !== undefined) row.documents = countDocument(row.documents, key, position)
}

/** The best click of a list of somebody, in place of the one that was its best before. */
function countRank(
  row: QueryPattern,
  { impression, click }: { impression: Impression; click: BestClick },
): void {
  if (row.reciprocalRanks === undefined || impression.unit === undefined) return
  row.reciprocalRanks += rankParts(click.best) - rankParts(click.before ?? 0)
}

function countReformulated(
  row: Reformulation,
  { before, impression }: { before: LastSearch; impression: Impression },
): void {
  if (row.from !== before.query) row.from = before.query
  if (row.to !== impression.query) row.to = impression.query
  row.asker = withAsker(row.asker, impression)
  row.count += 1
  row.fromNothing += before.zeroResults ? 1 : 0
}

function countFollowed(row: Reformulation): void {
  row.clicked += 1
}

/** Notes the words of a query, unless they are those that the row has: what rows hold, collections have to copy. */
function nameQuery(row: QueryPattern, impression: Impression): void {
  if (row.query !== impression.query) row.query = impression.query
  row.asker = withAsker(row.asker, impression)
}

function nameOf({ from = '', queryHash }: LastSearch): string {
  return `${from} ${queryHash}`
}

/** Whole, because no position up to the tenth leaves a rest. */
function rankParts(position: number): number {
  return Math.round(RANK_PARTS * reciprocalRank(position))
}
