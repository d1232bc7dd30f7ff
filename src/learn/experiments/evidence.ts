import type { ExperimentRecord, SearchOutcome, UnitRow } from '../../schema/experiment-record.ts'
import { isFirstPage } from '../../schema/plan.ts'
import {
  type Beside,
  type Consumer,
  type FeedbackFact,
  type Impression,
  listOf,
  type SearchFact,
} from '../facts.ts'
import { latencyBucket } from '../statistics/latency-histogram.ts'
import type { Arm } from './arms.ts'
import { add, type Ledger } from './ledger.ts'
import {
  type CountedFact,
  countedListOf,
  countList,
  countsInTests,
  countWins,
  dealtAfter,
  dealtTold,
  listAfter,
  listTold,
  NOTHING,
  type Outcomes,
} from './outcomes.ts'
import { INTERLEAVED } from './running.ts'

type Find = (id: string) => ExperimentRecord | undefined

/**
 * Folds searches, and what came of them, into the evidence of the experiments that they were in. A unit's first
 * search under a variant is its exposure.
 */
export function openExperimentEvidence(ledger: Ledger, find: Find): Consumer {
  return {
    name: 'experiments',
    load: ledger.drop,
    take: (fact) => {
      if (fact.kind === 'search') takeSearch(ledger, find, fact)
      else if (fact.kind === 'feedback') takeFeedback(ledger, find, fact)
    },
    save: ledger.save,
    // It is not folded anew: what ended long ago is no longer in the log.
    *untake({ facts, beside }) {
      for (const fact of facts) {
        if (fact.kind === 'search') untakeSearch(ledger, find, fact)
        else if (fact.kind === 'feedback' && countsInTests(fact)) {
          untakeRating(ledger, find, fact)
          if (beside !== undefined) retell(ledger, find, fact.impression, beside)
        }
        yield
      }
      for (const fact of beside?.orphans ?? []) {
        if (countsInTests(fact)) untakeRating(ledger, find, fact)
        yield
      }
    },
    forget: ({ facts }) =>
      ledger.removeOutcomesWithin(
        facts.flatMap((fact) => (fact.kind === 'search' ? fact.impression.queryId : [])),
      ),
  }
}

function takeSearch(ledger: Ledger, find: Find, { impression }: SearchFact): void {
  const { unit, variants, timeMs } = impression
  if (unit === undefined) return
  for (const [id, variantId] of variants) {
    const record = find(id)
    if (record === undefined) continue
    const at = armIndex(record, variantId)
    const arm = ledger.counting(record)[at]
    const row = arm === undefined ? undefined : ledger.unit(record, at, unit)
    if (arm === undefined || row === undefined) continue
    countStep(record, arm, row, timeMs)
    row.firstMs = row.firstMs === 0 ? timeMs : Math.min(row.firstMs, timeMs)
    row.lastMs = Math.max(row.lastMs, timeMs)
    countSearch(arm, row, impression, 1)
  }
}

/** Counts a search, or takes one out that was counted. */
function countSearch(arm: Arm, row: UnitRow, impression: Impression, times: 1 | -1): void {
  // What comes of further pages comes of the list.
  if (!isFirstPage(impression)) return
  const { tookMs, total } = impression
  add(row, 'searches', times)
  add(row, 'empty', total === 0 ? times : 0)
  add(row, 'tookMs', times * tookMs)
  const bucket = latencyBucket(tookMs)
  arm.latency[bucket] = Math.max(0, (arm.latency[bucket] ?? 0) + times)
}

function takeFeedback(ledger: Ledger, find: Find, fact: FeedbackFact): void {
  if (!countsInTests(fact)) return
  const { entry, impression } = fact
  const { queryId, variants } = impression
  // Nobody asks what came of a search that no test shows.
  if (variants.length === 0) return
  const page = changeOutcome(ledger, queryId, (before) => dealtAfter(before, fact, impression))
  const listId = countedListOf(impression)
  const list =
    listId === undefined
      ? undefined
      : changeOutcome(ledger, listId, (before) => listAfter(before, fact, impression))
  for (const { record, row } of countedIn(ledger, find, impression)) {
    add(row, 'ratings', 1)
    add(row, 'rated', entry.rating)
    if (list !== undefined) countList(row, list)
    countWins(row, record, impression, page)
  }
}

/** What came of a search before, and what the change makes of it, which is kept. */
function changeOutcome(
  ledger: Ledger,
  id: string,
  change: (before: SearchOutcome) => SearchOutcome,
): Outcomes {
  const before = ledger.outcome(id) ?? NOTHING
  const after = change(before)
  if (after !== before) ledger.setOutcome(id, after)
  return [before, after]
}

/** Takes out what was counted of a search, and of all that came of it. */
function untakeSearch(ledger: Ledger, find: Find, { impression }: SearchFact): void {
  const outcome = ledger.outcome(impression.queryId) ?? NOTHING
  for (const { record, arm, row } of countedIn(ledger, find, impression)) {
    countSearch(arm, row, impression, -1)
    countList(row, [outcome, NOTHING])
    countWins(row, record, impression, [outcome, NOTHING])
  }
}

/** A rating goes with the entry that gave it, or with the search that it is of. */
function untakeRating(ledger: Ledger, find: Find, { entry, impression }: CountedFact): void {
  for (const { row } of countedIn(ledger, find, impression)) {
    add(row, 'ratings', -1)
    add(row, 'rated', -entry.rating)
  }
}

/**
 * What else an entry said has gone with its search. Of one that stays, as another session of the same user made it, only
 * that counts which is told beside.
 */
function retell(ledger: Ledger, find: Find, impression: Impression, { lists, told }: Beside): void {
  if (!lists.has(listOf(impression).queryId)) return
  const { queryId } = impression
  const listId = countedListOf(impression)
  const list =
    listId === undefined
      ? undefined
      : changeOutcome(ledger, listId, ({ places }) => ({ ...listTold(listId, told), places }))
  const { places } = dealtTold(queryId, told)
  const page = changeOutcome(ledger, queryId, (before) => ({ ...before, places }))
  for (const { record, row } of countedIn(ledger, find, impression)) {
    if (list !== undefined) countList(row, list)
    countWins(row, record, impression, page)
  }
}

/** Where a search was counted: without a row its searches were left out, and so is what came of them. */
function* countedIn(
  ledger: Ledger,
  find: Find,
  { unit, variants }: Impression,
): Iterable<{ record: ExperimentRecord; arm: Arm; row: UnitRow }> {
  if (unit === undefined) return
  for (const [id, variantId] of variants) {
    const record = find(id)
    const at = record === undefined ? -1 : armIndex(record, variantId)
    // Evidence of one that failed can't be read.
    if (record === undefined || record.status === 'FAILED' || at < 0) continue
    if (!ledger.hasUnit(id, unit)) continue
    const arm = ledger.counting(record)[at]
    const row = ledger.unit(record, at, unit)
    if (arm !== undefined && row !== undefined) yield { record, arm, row }
  }
}

/** Negative for who is in none: a search that the fallback of an experiment taken back applied to. */
function armIndex({ mode, variants }: ExperimentRecord, variantId: string): number {
  if (mode === 'interleaving') return variantId === INTERLEAVED ? 0 : -1
  return variants.findIndex(({ id }) => id === variantId)
}

/** A unit counts once for a step: at its first search since the step began. */
function countStep({ stepSinceMs }: ExperimentRecord, arm: Arm, row: UnitRow, timeMs: number) {
  if (arm.stepSinceMs !== stepSinceMs) {
    arm.stepSinceMs = stepSinceMs
    arm.stepUnits = 0
  }
  if (timeMs >= stepSinceMs && row.lastMs < stepSinceMs) arm.stepUnits += 1
}
