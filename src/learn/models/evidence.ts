import { firstIdOf } from '../../ids.ts'
import type { VersionName } from '../../schema/model.ts'
import type { ModelUsage, Trial } from '../../schema/model-record.ts'
import type { Store } from '../../store/store.ts'
import type { Consumer, FeedbackEntry, FeedbackFact, Impression } from '../facts.ts'
import { isOthers } from '../feedback/feedback-entries.ts'
import { reciprocalRank } from '../statistics/reciprocal-rank.ts'
import { openTrialUnits, type TrialUnits } from './trial-units.ts'
import { nameOf } from './versions.ts'

/** What people's searches and clicks say about models. */
export interface ModelEvidence extends Consumer {
  /** Somebody's searches with a gain, since the beginning or since the oldest search that a fold anew could take. */
  clicked: () => number
  usage: (name: string) => Required<ModelUsage>
  /** Searches that the model ranked, or scored unseen, since then. */
  searches: (name: VersionName, stage: Trial['stage']) => number
  /** Removes some rows that are too old, or of trials that are over; call again while it removes. */
  sweep: (beforeMs: number) => Promise<number>
}

export interface EvidenceParts {
  store: Store
  trial: () => Trial | undefined
  /** Gain of an entry, 0..1; undefined for words that carry none. */
  gainOf: (entry: FeedbackEntry) => number | undefined
}

/** A judgement that is still added to: the gain of each hit that has one. */
interface Judged {
  unit: string
  gains: Map<number, number>
}

/** What was taken and not yet saved. */
interface Pending {
  store: Store
  usage: Map<string, Required<ModelUsage>>
  judged: Map<string, Judged>
  units: TrialUnits
  /** All of them, the saved ones too. */
  clicked: number
}

const CLICKED = 'modelClicks'
const SWEEP_ROWS = 500
const NO_USAGE: Required<ModelUsage> = {
  searches: 0,
  clickable: 0,
  clicked: 0,
  clickedOfNobody: 0,
  reciprocalRank: 0,
  shadowSearches: 0,
}

export function openEvidence({ store, trial, gainOf }: EvidenceParts): ModelEvidence {
  const { judgements, meta, modelUsage } = store.tables
  const units = openTrialUnits(store, trial)
  const pending: Pending = { store, units, usage: new Map(), judged: new Map(), clicked: 0 }

  return {
    name: 'models',
    load: () => {
      pending.usage.clear()
      pending.judged.clear()
      units.drop()
      pending.clicked = meta.get(CLICKED) ?? 0
    },
    take: (fact) => {
      if (fact.kind === 'search') takeSearch(pending, fact.impression)
      else if (fact.kind === 'feedback' && fact.entry.status === 'learned' && !isOthers(fact))
        takeFeedback(pending, fact, gainOf(fact.entry) ?? 0)
    },
    save: () => {
      for (const [name, value] of pending.usage) modelUsage.put(name, value)
      for (const [queryId, { unit, gains }] of pending.judged)
        judgements.put(queryId, { unit, gains: [...gains] })
      units.saveWithin()
      if (pending.judged.size > 0) meta.put(CLICKED, pending.clicked)
      pending.usage.clear()
      pending.judged.clear()
    },
    reset: () => {
      pending.usage.clear()
      pending.judged.clear()
      pending.clicked = 0
      modelUsage.clear()
      judgements.clear()
      units.clearWithin()
      meta.put(CLICKED, 0)
    },
    forget: ({ names, facts }) => {
      const told = facts.flatMap((fact) => (fact.kind === 'feedback' ? fact : []))
      // A session's user, too: what it told stands under that name.
      const tellers = new Set([...names, ...told.map(({ unit }) => unit)])
      const queryIds = new Set(told.map(({ entry }) => entry.queryId))
      // A search of theirs says nothing without them, whoever told of it last.
      const own = facts.flatMap((fact) => (fact.kind === 'search' ? fact.impression.queryId : []))
      judgements.removeAll([
        ...own,
        ...[...queryIds].filter((queryId) => tellers.has(judgements.get(queryId)?.unit ?? '')),
      ])
      units.forgetWithin(names)
    },
    clicked: () => pending.clicked,
    usage: (name) => usageOf(pending, name),
    searches: (name, stage) => {
      const { searches, shadowSearches } = usageOf(pending, nameOf(name))
      return stage === 'CANARY' ? searches : shadowSearches
    },
    sweep: (beforeMs) => sweep(store, beforeMs, trial()?.number ?? Number.MAX_SAFE_INTEGER),
  }
}

function takeSearch(pending: Pending, impression: Impression): void {
  const { model = '', shadowModel, shadowScores } = impression
  count(pending, model, { searches: 1, clickable: impression.unit === undefined ? 0 : 1 })
  if (shadowModel !== undefined && shadowScores !== undefined)
    count(pending, shadowModel, { shadowSearches: 1 })
  const unit = pending.units.of(impression)
  if (unit !== undefined) unit.searches += 1
}

/** Several actions on one hit count as the greatest, never as their sum; the first hit with a gain is the rank. */
function takeFeedback(
  pending: Pending,
  { impression, hit, unit }: FeedbackFact,
  gain: number,
): void {
  const who = unit ?? impression?.unit
  if (!(gain > 0) || impression === undefined || hit === undefined || who === undefined) return
  const { queryId, from } = impression
  const judged = judgedOf(pending, queryId)
  const { gains } = judged
  // Infinite before the first, whose reciprocal rank is 0.
  const before = Math.min(...gains.keys())
  const rank = (place: number) => reciprocalRank(from + place + 1)
  const isOfNobody = impression.unit === undefined
  const clicked = gains.size === 0 ? 1 : 0
  const delta = {
    clicked,
    clickedOfNobody: isOfNobody ? clicked : 0,
    reciprocalRank: isOfNobody ? 0 : rank(Math.min(before, hit)) - rank(before),
  }
  judged.unit = who
  gains.set(hit, Math.max(gain, gains.get(hit) ?? 0))
  // Nobody's pages are none to train with.
  if (!isOfNobody) pending.clicked += clicked
  count(pending, impression.model ?? '', delta)
  const row = pending.units.of(impression)
  if (row === undefined) return
  row.clicked += clicked
  row.reciprocalRank += delta.reciprocalRank
}

function judgedOf({ judged, store }: Pending, queryId: string): Judged {
  let found = judged.get(queryId)
  if (found === undefined) {
    const known = store.tables.judgements.get(queryId)
    found = { unit: known?.unit ?? '', gains: new Map(known?.gains) }
    judged.set(queryId, found)
  }
  return found
}

function usageOf({ usage, store }: Pending, name: string): Required<ModelUsage> {
  const known = usage.get(name)
  if (known !== undefined) return known
  const row = store.tables.modelUsage.get(name)
  // Rows of earlier versions took every search for one that can be clicked.
  return row === undefined ? NO_USAGE : { ...NO_USAGE, clickable: row.searches, ...row }
}

function count(pending: Pending, name: string, delta: Partial<ModelUsage>): void {
  let sum = pending.usage.get(name)
  if (sum === undefined) {
    sum = { ...usageOf(pending, name) }
    pending.usage.set(name, sum)
  }
  for (const key of Object.keys(delta) as (keyof ModelUsage)[]) sum[key] += delta[key] ?? 0
}

async function sweep(store: Store, beforeMs: number, trial: number): Promise<number> {
  const { judgements, trialUnits } = store.tables
  const old = [...judgements.keys({ end: firstIdOf(beforeMs), limit: SWEEP_ROWS })]
  const over = [...trialUnits.keys({ end: [trial, ''], limit: SWEEP_ROWS })]
  if (old.length + over.length === 0) return 0
  await store.release(() => {
    judgements.removeAll(old)
    trialUnits.removeAll(over)
  })
  return old.length + over.length
}
