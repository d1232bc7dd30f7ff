import { invalid } from '../../errors.ts'
import { hashSpelling, isQueryHash, newId } from '../../ids.ts'
import { jsonText } from '../../json/gradual-text.ts'
import { isObject } from '../../object.ts'
import { Adaptation } from '../../schema/adaptation.ts'
import type { RuleRecord, Trigger, WatchedTotals } from '../../schema/adaptation-record.ts'
import { RuleCreate } from '../../schema/suggestion.ts'
import { type ExactModel, withExactModel } from '../plan/exact-model.ts'
import { isEmptied, mustReadTuning, type TuningRead } from '../plan/tuning.ts'
import { TUNABLE } from '../plan/tuning-values.ts'
import { type IsSearched, unsearchedWeights } from '../plan/unsearched-weights.ts'
import { someListed } from '../wire/some-told.ts'
import { bodyOf, unreadFields } from '../wire/unread-fields.ts'
import { emptyArm, metricOf, WATCHED_METRICS } from './figures.ts'
import { isCompared } from './judge.ts'
import { EVERY_QUERY } from './ranking-content.ts'
import { type ReplayParts, replay } from './replay.ts'
import type { Draft } from './steps.ts'
import { checkThresholds, readThresholds, readValidation, warningsOfChecks } from './thresholds.ts'
import { readTriggers } from './triggers.ts'

/** The free-form parts of a request; they come back as they were sent. */
const KEPT = [
  'source',
  'confidence',
  'expectedImpact',
  'validationMetrics',
  'acceptanceThresholds',
] as const

/** Settings belong into `changes`, and a change for some words is known by their hash. */
const MEANT = {
  ...Object.fromEntries(Object.keys(TUNABLE).map((name) => [name, 'changes'])),
  query: 'queryHash',
  hash: 'queryHash',
}
const BODY = bodyOf('a change', Adaptation, { ...MEANT, triggers: 'rollbackTriggers' })
const RULE_BODY = bodyOf('a rule', RuleCreate, { ...MEANT, title: 'name' })

/** Characters of a query hash inside of the changes: as many as one beside them may have. */
const HASH_MAX = 128

export interface DraftParts {
  replay: ReplayParts
  /** Figures of a scope until now. */
  before: (scope: string) => WatchedTotals
  exactModel: ExactModel
  isSearched: IsSearched
  learning: boolean
  clock: () => number
}

/** A draft without what was sent with it. */
type Judged = Omit<Draft, 'changes' | 'sent'>

/** A draft with what was sent with it, as JSON: at once or, where that is much, with turns for others meanwhile. */
export function writtenDraft(sent: Adaptation, judged: Judged): Draft | Promise<Draft> {
  const changes = jsonText(sent.changes)
  const kept = jsonText(Object.fromEntries(KEPT.map((key) => [key, sent[key]])))
  if (typeof changes === 'string' && typeof kept === 'string')
    return { ...judged, changes, sent: kept }
  return Promise.all([changes, kept]).then(([changes, sent]) => ({ ...judged, changes, sent }))
}

/** Reads a request into a draft whose validation is decided. Throws VALIDATION_FAILED that names the place. */
export function makeDraft(
  sent: Adaptation,
  rule: RuleRecord | undefined,
  parts: DraftParts,
): Judged {
  const scope = scopeOf(sent, rule)
  const { tuning: named, unread } = mustReadChanges(sent.changes)
  const tuning = withExactModel(named, parts.exactModel)
  const { triggers, warnings } = readTriggers(sent.rollbackTriggers)
  const figures = readValidation(sent.validationMetrics)
  const thresholds = readThresholds(sent.acceptanceThresholds, warnings)
  const validation = validate(thresholds, { figures, scope, tuning }, parts.replay)
  const baseline = scope === EVERY_QUERY ? parts.before(scope) : withoutLatency(parts.before(scope))
  const nowMs = parts.clock()
  const { ruleId = rule?.ruleId, suggestionId = rule?.suggestionId } = sent
  return {
    adaptationId: newId(nowMs),
    type: sent.type,
    scope,
    tuning,
    unread,
    triggers,
    warnings: [
      ...unreadFields(sent, BODY),
      ...changeWarnings({ tuning, unread }, parts),
      ...scopeWarnings(scope),
      ...warnings,
      ...warningsOfBefore(triggers, baseline),
      ...warningsOfChecks(validation.checks, figures),
    ],
    validation,
    supersedes: [],
    baseline,
    ...(ruleId === undefined ? {} : { ruleId }),
    ...(suggestionId === undefined ? {} : { suggestionId }),
    createdMs: nowMs,
    updatedMs: nowMs,
  }
}

/**
 * The tuning in `changes`; a query hash among them is their scope, not a setting. Throws VALIDATION_FAILED with the
 * place of a setting that can't have its value, or when nothing is in any of them.
 */
function mustReadChanges(changes: unknown): TuningRead {
  const settings = isObject(changes) ? withoutScope(changes) : changes
  const read = mustReadTuning(settings, 'changes')
  if (isEmptied(settings, read)) throw invalid('changes', EMPTIED)
  return read
}

/** Whoever sends an empty list of pins wants them gone, most likely. */
const EMPTIED =
  'must set something: there is nothing in it but empty lists or objects; to take back what an earlier change set, roll that one back'

function withoutScope({ queryHash: _, ...settings }: Record<string, unknown>): object {
  return settings
}

/** What a rule that a client makes is sent in vain. Throws VALIDATION_FAILED, like a change. */
export function ruleWarnings(
  sent: RuleCreate,
  parts: Pick<DraftParts, 'exactModel' | 'isSearched' | 'learning'>,
): string[] {
  const read = mustReadChanges(sent.changes)
  return [
    ...unreadFields(sent, RULE_BODY),
    ...changeWarnings(read, parts),
    ...scopeWarnings(scopeOf(sent)),
  ]
}

function changeWarnings(
  { tuning, unread }: Pick<TuningRead, 'tuning' | 'unread'>,
  { exactModel, isSearched, learning }: Pick<DraftParts, 'exactModel' | 'isSearched' | 'learning'>,
): string[] {
  const warnings: string[] = []
  if (unread.length > 0)
    warnings.push(`Kept, but no setting of the ranking: ${someListed(unread)}.`)
  if (Object.keys(tuning).length === 0)
    warnings.push(
      'The change is recorded and ranks nothing: none of it is a setting of the ranking.',
    )
  if (!learning) warnings.push('LEARNING is off: changes rank nothing.')
  if (typeof tuning.model === 'string' && exactModel(tuning.model) === undefined)
    warnings.push(
      'The model that is named is not there or can not rank; searches go on without it.',
    )
  warnings.push(...unsearchedWeights(tuning, isSearched))
  return warnings
}

/** The hash of the query that a change is for, in the spelling of searches. Throws VALIDATION_FAILED for what is none. */
function scopeOf(
  { queryHash, changes }: Pick<Adaptation, 'queryHash' | 'changes'>,
  rule?: Pick<RuleRecord, 'queryHash'>,
): string {
  if (queryHash !== undefined) return hashSpelling(queryHash)
  const inside = Array.isArray(changes) ? undefined : (changes as { queryHash?: unknown }).queryHash
  if (inside === undefined) return rule?.queryHash ?? EVERY_QUERY
  if (typeof inside !== 'string' || inside === '' || inside.length > HASH_MAX)
    throw invalid('changes.queryHash', `must be a text of 1 to ${HASH_MAX} characters`)
  return hashSpelling(inside)
}

/** What is for a query that cannot be asked changes nothing. */
function scopeWarnings(scope: string): string[] {
  if (scope === EVERY_QUERY || isQueryHash(scope)) return []
  return [
    'queryHash: no query has this hash, so the change ranks nothing; send that of `searchContext`, 16 hexadecimal digits.',
  ]
}

/** What a change was read as. */
interface Validated extends Pick<Draft, 'scope' | 'tuning'> {
  /** The figures that were sent with the change. */
  figures: Record<string, unknown>
}

function validate(
  thresholds: ReturnType<typeof readThresholds>,
  { figures, scope, tuning }: Validated,
  parts: ReplayParts,
): Draft['validation'] {
  const replayed = tryReplay(tuning, scope, parts)
  const checks = checkThresholds(thresholds, figures, replayed.estimates)
  const missed = checks.filter(({ passed }) => passed === false)
  const open = checks.filter(({ passed }) => passed === undefined)
  const notes = [replayed.note]
  if (missed.length > 0) notes.push(`Missed: ${missed.map(({ metric }) => metric).join(', ')}.`)
  if (open.length > 0)
    notes.push(
      `Not judged, for no figure was sent: ${open.map(({ metric }) => metric).join(', ')}.`,
    )
  return { ...replayed, passed: missed.length === 0, checks, note: notes.join(' ') }
}

/** What is logged may be damaged: that is no fault of the request. */
function tryReplay(
  tuning: Draft['tuning'],
  scope: string,
  parts: ReplayParts,
): Omit<Draft['validation'], 'passed' | 'checks'> {
  try {
    return replay(tuning, scope, parts)
  } catch {
    const note = 'The logged searches could not be ranked anew: what is kept of one is damaged.'
    return { samples: 0, estimates: {}, note, failed: true }
  }
}

/** Triggers that were asked for and can't look at the searches until now, though there are some. */
function warningsOfBefore(triggers: readonly Trigger[], before: WatchedTotals): string[] {
  return triggers.flatMap((trigger) => {
    const metric = metricOf(trigger.metric)
    if (trigger.byDefault === true || !isCompared(trigger) || metric === undefined) return []
    if (before.searches === 0 || WATCHED_METRICS[metric](before) !== undefined) return []
    return [
      `The ${metric} of the searches before the change is not known: its trigger compares only with searches of the same time, as in canary.`,
    ]
  })
}

/** The latency of one query's past is not kept. */
function withoutLatency(arm: WatchedTotals): WatchedTotals {
  return { ...emptyArm(), ...arm, latency: [] }
}
