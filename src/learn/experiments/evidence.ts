import type { ExperimentRecord, SearchOutcome, UnitRow } from '../../schema/experiment-record.ts'
import type { Consumer, FeedbackFact, Impression, SearchFact } from '../facts.ts'
import { ACTIONS, actionOf } from '../feedback/actions.ts'
import { namesUnshown } from '../feedback/feedback-entries.ts'
import { winnerOf } from '../statistics/interleaving.ts'
import { latencyBucket } from '../statistics/latency-histogram.ts'
import { reciprocalRank } from '../statistics/reciprocal-rank.ts'
import type { Arm } from './arms.ts'
import { add, type Ledger } from './ledger.ts'

/** Clicked places kept of one interleaved search. */
const PLACES_MAX = 100
const NOTHING: SearchOutcome = { best: 0, clicked: false, converted: false, places: [] }

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
  }
}

function takeSearch(ledger: Ledger, find: Find, { impression }: SearchFact): void {
  const { unit, variants, timeMs, tookMs, total, from } = impression
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
    // Further pages of a list are no searches of their own; what comes of them comes of the list.
    if (from > 0) continue
    add(row, 'searches', 1)
    add(row, 'empty', total === 0 ? 1 : 0)
    add(row, 'tookMs', tookMs)
    const bucket = latencyBucket(tookMs)
    arm.latency[bucket] = (arm.latency[bucket] ?? 0) + 1
  }
}

function takeFeedback(ledger: Ledger, find: Find, fact: FeedbackFact): void {
  const { entry, unit, impression } = fact
  if (entry.status !== 'learned' || unit === undefined || impression === undefined) return
  // A search counts for who made it: what others say of it is no part of it.
  if (unit !== impression.unit || impression.variants.length === 0) return
  const before = ledger.outcome(impression.queryId) ?? NOTHING
  const after = outcomeAfter(before, fact, impression)
  if (after !== before) ledger.setOutcome(impression.queryId, after)
  for (const [id, variantId] of impression.variants) {
    const record = find(id)
    const at = record === undefined ? -1 : armIndex(record, variantId)
    // Without a row its searches were left out; so is what came of them.
    if (record === undefined || at < 0 || !ledger.hasUnit(id, unit)) continue
    const row = ledger.unit(record, at, unit)
    if (row === undefined) continue
    add(row, 'ratings', 1)
    add(row, 'rated', entry.rating)
    countOutcome(row, record, impression, [before, after])
  }
}

function armIndex({ mode, variants }: ExperimentRecord, variantId: string): number {
  return mode === 'interleaving' ? 0 : variants.findIndex(({ id }) => id === variantId)
}

/** A unit counts once for a step: at its first search since the step began. */
function countStep({ stepSinceMs }: ExperimentRecord, arm: Arm, row: UnitRow, timeMs: number) {
  if (arm.stepSinceMs !== stepSinceMs) {
    arm.stepSinceMs = stepSinceMs
    arm.stepUnits = 0
  }
  if (timeMs >= stepSinceMs && row.lastMs < stepSinceMs) arm.stepUnits += 1
}

/** What came of a search after one more entry; the same object when the entry says nothing of it. */
function outcomeAfter(
  before: SearchOutcome,
  fact: FeedbackFact,
  { from, interleaved }: Impression,
): SearchOutcome {
  const { entry, hit } = fact
  const { action, engagementType, position } = entry
  const words = [action, actionOf(undefined, engagementType)]
  const converted = before.converted || words.some((word) => ACTIONS.get(word)?.converts)
  if (!words.includes('click') || namesUnshown(fact))
    return converted === before.converted ? before : { ...before, converted }
  const place = hit === undefined ? position : from + hit + 1
  const better = place !== undefined && (before.best === 0 || place < before.best)
  const dealt = interleaved !== undefined && before.places.length < PLACES_MAX
  const isNew = dealt && hit !== undefined && !before.places.includes(hit)
  return {
    best: better ? place : before.best,
    clicked: true,
    converted,
    places: isNew ? [...before.places, hit] : before.places,
  }
}

function countOutcome(
  row: UnitRow,
  record: ExperimentRecord,
  { interleaved }: Impression,
  [before, after]: [SearchOutcome, SearchOutcome],
): void {
  add(row, 'clicked', Number(after.clicked) - Number(before.clicked))
  add(row, 'converted', Number(after.converted) - Number(before.converted))
  add(row, 'reciprocal', reciprocalRank(after.best) - reciprocalRank(before.best))
  if (interleaved?.testId !== record.id) return
  const { teams } = interleaved
  const [won, wins] = [winnerOf(teams, before.places), winnerOf(teams, after.places)]
  add(row, 'wins', wins - won)
  add(row, 'decided', Math.abs(wins) - Math.abs(won))
}
