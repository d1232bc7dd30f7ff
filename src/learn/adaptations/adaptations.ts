import { serviceError } from '../../errors.ts'
import { oneSpelling } from '../../ids.ts'
import type {
  Adaptation,
  AdaptationHistory,
  AdaptationQuery,
  RollbackBody,
} from '../../schema/adaptation.ts'
import type { AdaptationRecord, RuleRecord } from '../../schema/adaptation-record.ts'
import type { NoteDone } from '../../schema/answer.ts'
import type { RuleCreate, RuleQuery, Suggestion, SuggestionQuery } from '../../schema/suggestion.ts'
import type { Tuning } from '../../schema/tuning.ts'
import type { Store } from '../../store/store.ts'
import type { Consumer } from '../facts.ts'
import type { Events } from '../history/events.ts'
import { isFoldedAnew } from '../loop/fold.ts'
import type { LiveIndex } from '../patterns/evidence.ts'
import type { Patterns } from '../patterns/patterns.ts'
import { type ExactModel, type LoadModel, loadModelsOf } from '../plan/exact-model.ts'
import type { IsSearched } from '../plan/unsearched-weights.ts'
import type { Sweep } from '../round.ts'
import { ruleJson, suggestionJson } from './answers.ts'
import { openCountedRows } from './counted-rows.ts'
import { makeDraft, ruleWarnings, writtenDraft } from './draft.ts'
import { type InForce, openInForce } from './in-force.ts'
import { type AdaptationLifecycle, openLifecycle } from './lifecycle.ts'
import { openMoves } from './moves.ts'
import { findProposals } from './propose.ts'
import { EVERY_QUERY } from './ranking-content.ts'
import type { ReplayParts } from './replay.ts'
import { openRules, type Rules } from './rules.ts'
import { openShow } from './show.ts'
import { openSuggestions, type Suggestions } from './suggestions.ts'
import { openAdaptationSweep } from './sweep.ts'
import { unreadOfRollback, unreadOfSuggestion } from './unread.ts'
import { openRankingVersions } from './versions.ts'
import { openWatch } from './watch.ts'

/** Changes to the ranking: suggested, made into rules, applied step by step, watched, taken back. */
export interface Adaptations extends Pick<InForce, 'applying'> {
  consumer: Consumer
  /**
   * A SuggestionTaken in UTF-8 JSON. Judges by what is learned: for who waited until that is whole (loop/whole.ts). Throws
   * VALIDATION_FAILED.
   */
  suggest: (sent: Suggestion) => Promise<Uint8Array>
  /** A SuggestionList in UTF-8 JSON, newest first. Throws VALIDATION_FAILED for an unknown status or source, INVALID_CURSOR. */
  listSuggestions: (query: SuggestionQuery) => Promise<Uint8Array>
  /** A Rule in UTF-8 JSON. Throws VALIDATION_FAILED. */
  createRule: (sent: RuleCreate, noteDone?: NoteDone) => Promise<Uint8Array>
  /** A RuleList in UTF-8 JSON, newest first. Throws INVALID_CURSOR. */
  listRules: (query: RuleQuery) => Promise<Uint8Array>
  /**
   * An AdaptationRead in UTF-8 JSON. Judges by what is learned, like `suggest`. Throws VALIDATION_FAILED,
   * ADAPTATION_CONFLICT, LIMIT_REACHED, RULE_NOT_FOUND, SUGGESTION_NOT_FOUND, INVALID_TRANSITION.
   */
  apply: (sent: Adaptation, noteDone?: NoteDone) => Promise<Uint8Array>
  /** An AdaptationList in UTF-8 JSON, newest first. Throws VALIDATION_FAILED for an unknown status, INVALID_CURSOR. */
  list: (query: AdaptationQuery) => Promise<Uint8Array>
  /** Throws ADAPTATION_NOT_FOUND. */
  get: (adaptationId: string) => AdaptationHistory
  /** Throws ADAPTATION_NOT_FOUND, INVALID_TRANSITION when there is nothing to roll back. */
  rollBack: (adaptationId: string, sent?: RollbackBody) => Promise<AdaptationHistory>
  /** Takes back the service's own suggestions for these queries. */
  withdraw: (queryHashes: Pick<ReadonlySet<string>, 'has'>) => Promise<void>
  /** Triggers, the end of canaries, the service's own suggestions, expiry. */
  tick: (nowMs: number) => Promise<void>
  /** How many adaptations and suggestions there are by status. */
  figures: () => { adaptations: Record<string, number>; suggestions: Record<string, number> }
}

export interface AdaptationsParts {
  store: Store
  events: Events
  patterns: Patterns
  config: {
    adaptationConfidence: number
    adaptationCanaryShare: number
    adaptationCanaryMs: number
    adaptationCanarySearchesMin: number
    learning: boolean
    retentionMs: number
  }
  clock: () => number
  find: ReplayParts['find']
  chances: () => ReplayParts['chances']
  featureNames: () => readonly string[]
  exactModel: ExactModel
  loadModel: LoadModel
  liveIndex: LiveIndex
  isSearched: IsSearched
}

/** The service's own suggestions are looked for that often, and what is old removed. */
const ROUND_MS = 30_000
const SWEEP_MS = 600_000

export function openAdaptations(parts: AdaptationsParts): Adaptations {
  const { store, events, patterns, config, clock } = parts
  const { clicks, evidenceOf } = patterns
  const versions = openRankingVersions(store)
  const inForce = openInForce(store, versions, config.adaptationCanaryShare)
  const watch = openWatch(store, clicks)
  const rows = openCountedRows(store, store.tables.adaptations, 'adaptationStatuses')
  const moves = openMoves(store, rows, events, clock)
  const steps = { store, rows, moves, versions, clock }
  const { exactModel, find, liveIndex, isSearched } = parts
  const lifecycle = openLifecycle({ ...steps, inForce, watch, config, exactModel })
  const sweep = openAdaptationSweep({ ...steps, watch, config })
  const rules = openRules(store, clock)
  const suggestions = openSuggestions({ store, events, rules, config, evidenceOf, clock })
  const show = openShow(store, { watch, versions, inForce })
  // The first search after a start finds them loaded.
  for (const { tuning } of inForce.records())
    if (typeof tuning.model === 'string') exactModel(tuning.model)

  const before = (scope: string) =>
    scope === EVERY_QUERY ? watch.recent(clock()) : patterns.armOf(scope)
  function draftOf(sent: Adaptation, rule: RuleRecord | undefined) {
    const { learning } = config
    const [chances, featureNames] = [parts.chances(), parts.featureNames()]
    const replay = { clicks, find, featureNames, chances, liveIndex }
    return makeDraft(sent, rule, { replay, before, exactModel, isSearched, learning, clock })
  }
  return {
    applying: inForce.applying,
    consumer: watch,
    withdraw: suggestions.withdraw,
    suggest: async (sent) => {
      const taken = await suggestions.suggest(sent)
      return Buffer.from(suggestionJson(taken, unreadOfSuggestion(sent)))
    },
    listSuggestions: suggestions.list,
    createRule: async (sent, noteDone) => {
      const warnings = ruleWarnings(sent, { exactModel, isSearched, learning: config.learning })
      const rule = await rules.create(sent, noteDone)
      return Buffer.from(ruleJson(rule, warnings.length === 0 ? {} : { warnings }))
    },
    listRules: rules.list,
    apply: async (named, noteDone) => {
      const sent = inOneSpelling(named)
      const rule = ruleOf(sent, rules, suggestions)
      // Judged before it is written down, which gives others their turns.
      const written = writtenDraft(sent, draftOf(sent, rule))
      const draft = written instanceof Promise ? await written : written
      if (draft.tuning.model !== undefined) await loadModelsOf([draft.tuning], parts.loadModel)
      const immediate = sent.immediate === true || sent.force === true
      const within = ({ suggestionId, adaptationId }: AdaptationRecord) => {
        if (suggestionId !== undefined) suggestions.appliedWithin(suggestionId, adaptationId)
      }
      const record = await lifecycle.apply(draft, { immediate, within }, noteDone)
      return Buffer.from(show.json(record))
    },
    list: show.list,
    get: (adaptationId) => show.history(adaptationId),
    rollBack: async (adaptationId, sent = {}) => {
      const { reason = 'rolled back by hand' } = sent
      const { record, restored } = await lifecycle.rollBack(adaptationId, { reason, figures: {} })
      // What is in force again may name a model that nothing ranked by since the start.
      await loadModelsOf(tuningsIn(inForce, record.scope), parts.loadModel)
      const { warnings = [], ...shown } = show.history(adaptationId)
      const told = [...unreadOfRollback(sent), ...warnings]
      return { ...shown, restored, ...(told.length === 0 ? {} : { warnings: told }) }
    },
    tick: tickOf({ store, patterns, lifecycle, sweep, suggestions }),
    figures: () => ({ adaptations: rows.counts(), suggestions: suggestions.counts() }),
  }
}

function tuningsIn(inForce: InForce, scope: string): Tuning[] {
  const records = inForce.records().filter((record) => record.scope === scope)
  return records.map(({ tuning }) => tuning)
}

function tickOf({
  store,
  patterns,
  lifecycle,
  sweep,
  suggestions,
}: {
  store: Store
  patterns: Patterns
  lifecycle: AdaptationLifecycle
  sweep: Sweep
  suggestions: Suggestions
}): Adaptations['tick'] {
  let roundMs = 0
  let sweptMs = 0
  let failure: { cause: unknown } | undefined
  async function round(nowMs: number): Promise<void> {
    await suggestions.tick(nowMs)
    if (isFoldedAnew(store)) return
    const findings = await patterns.findings()
    // Begun while they were read, of which they may have only a part by then.
    if (isFoldedAnew(store)) return
    await suggestions.propose(findProposals(findings))
    if (!isPast(sweptMs, SWEEP_MS, nowMs)) return
    await sweep(nowMs)
    sweptMs = nowMs
  }
  return async (nowMs) => {
    await lifecycle.tend(nowMs)
    // While a step was awaited: what queries show may be counted anew by now, and is only a part.
    if (isPast(roundMs, ROUND_MS, nowMs) && !isFoldedAnew(store)) {
      roundMs = nowMs
      failure = undefined
      await round(nowMs).catch((cause: unknown) => {
        failure = { cause }
      })
    }
    // It lasts until the next round: ticks without one would tell that it is over.
    if (failure !== undefined) throw failure.cause
  }
}

/** Also where the clock was set back since: what is noted would lie ahead, and nothing come until then. */
function isPast(notedMs: number, intervalMs: number, nowMs: number): boolean {
  return Math.abs(nowMs - notedMs) >= intervalMs
}

function inOneSpelling({ ruleId, suggestionId, ...sent }: Adaptation): Adaptation {
  return {
    ...sent,
    ...(ruleId === undefined ? {} : { ruleId: oneSpelling(ruleId) }),
    ...(suggestionId === undefined ? {} : { suggestionId: oneSpelling(suggestionId) }),
  }
}

/** The rule that a request names, itself or by the suggestion that gave it. */
function ruleOf(
  { ruleId, suggestionId }: Adaptation,
  rules: Rules,
  suggestions: Suggestions,
): RuleRecord | undefined {
  if (suggestionId === undefined) return ruleId === undefined ? undefined : rules.get(ruleId)
  const { status, rule } = suggestions.get(suggestionId)
  if (status === 'REJECTED' || status === 'EXPIRED')
    throw serviceError('INVALID_TRANSITION', `A suggestion that is ${status} can't be applied.`, {
      details: [{ path: 'suggestionId', message: `is ${status}` }],
    })
  return ruleId === undefined ? rule : rules.get(ruleId)
}
