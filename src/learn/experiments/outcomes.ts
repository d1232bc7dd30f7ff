import type { ExperimentRecord, SearchOutcome, UnitRow } from '../../schema/experiment-record.ts'
import { isFirstPage } from '../../schema/plan.ts'
import type { FeedbackFact, Impression } from '../facts.ts'
import { ACTIONS } from '../feedback/actions.ts'
import { isOfUnshown } from '../feedback/feedback-entries.ts'
import { winnerOf } from '../statistics/interleaving.ts'
import { reciprocalRank } from '../statistics/reciprocal-rank.ts'
import { add } from './ledger.ts'

/** Clicked places kept of one interleaved search. */
const PLACES_MAX = 100
/** What comes of a search before anything is told. */
export const NOTHING: SearchOutcome = { best: 0, clicked: false, converted: false, places: [] }

/** What came of a search, or of a list, before and after. */
export type Outcomes = [before: SearchOutcome, after: SearchOutcome]

/** Feedback of who made the search. */
export type CountedFact = FeedbackFact & { impression: Impression }

/** A search counts for who made it: what others say of it is no part of it. */
export function countsInTests(fact: FeedbackFact): fact is CountedFact {
  const { entry, unit, impression } = fact
  return entry.status === 'learned' && unit !== undefined && unit === impression?.unit
}

/** The list that clicks on a page count for: of one whose list is not known, no search was counted. */
export function countedListOf(impression: Impression): string | undefined {
  return isFirstPage(impression) ? impression.queryId : impression.list
}

/** What came of a list, if these entries were all that is told. */
export function listTold(listId: string, facts: readonly FeedbackFact[]): SearchOutcome {
  return facts
    .filter(countsInTests)
    .filter(({ impression }) => countedListOf(impression) === listId)
    .reduce((before, fact) => listAfter(before, fact, fact.impression), NOTHING)
}

/** The same of a page that was dealt. */
export function dealtTold(queryId: string, facts: readonly FeedbackFact[]): SearchOutcome {
  return facts
    .filter(countsInTests)
    .filter(({ impression }) => impression.queryId === queryId)
    .reduce((before, fact) => dealtAfter(before, fact, fact.impression), NOTHING)
}

/** What came of a list after one more entry about one of its pages; the same object when the entry says nothing of it. */
export function listAfter(
  before: SearchOutcome,
  fact: FeedbackFact,
  { from }: Impression,
): SearchOutcome {
  const { entry, hit } = fact
  const converted = before.converted || ACTIONS.get(entry.action)?.converts === true
  if (!isClick(fact)) return converted === before.converted ? before : { ...before, converted }
  const place = hit === undefined ? entry.position : from + hit + 1
  const better = place !== undefined && (before.best === 0 || place < before.best)
  return { ...before, best: better ? place : before.best, clicked: true, converted }
}

/** What came of a page that was dealt after one more entry: each of its hits is credited by itself. */
export function dealtAfter(
  before: SearchOutcome,
  fact: FeedbackFact,
  { interleaved }: Impression,
): SearchOutcome {
  const { hit } = fact
  if (interleaved === undefined || hit === undefined || !isClick(fact)) return before
  const { places } = before
  if (places.length >= PLACES_MAX || places.includes(hit)) return before
  return { ...before, places: [...places, hit] }
}

function isClick(fact: FeedbackFact): boolean {
  return fact.entry.action === 'click' && !isOfUnshown(fact)
}

export function countList(row: UnitRow, [before, after]: Outcomes): void {
  add(row, 'clicked', Number(after.clicked) - Number(before.clicked))
  add(row, 'converted', Number(after.converted) - Number(before.converted))
  add(row, 'reciprocal', reciprocalRank(after.best) - reciprocalRank(before.best))
}

export function countWins(
  row: UnitRow,
  record: ExperimentRecord,
  { interleaved }: Impression,
  [before, after]: Outcomes,
): void {
  if (interleaved?.testId !== record.id) return
  const { teams } = interleaved
  const [won, wins] = [winnerOf(teams, before.places), winnerOf(teams, after.places)]
  add(row, 'wins', wins - won)
  add(row, 'decided', Math.abs(wins) - Math.abs(won))
}
