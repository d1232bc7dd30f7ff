import { createHash } from 'node:crypto'
import { openBreath } from '../../breath.ts'
import { newId } from '../../ids.ts'
import { canonicalJson, canonicalParts } from '../../json/canonical.ts'
import type { SuggestionRecord } from '../../schema/adaptation-record.ts'
import type { SuggestionStatus } from '../../schema/statuses.ts'
import type { Store } from '../../store/store.ts'
import type { Events } from '../history/events.ts'
import { move } from '../states.ts'
import type { CountedRows } from './counted-rows.ts'
import type { Derived } from './derive.ts'
import type { Rules } from './rules.ts'

type Fresh = Omit<
  SuggestionRecord,
  'suggestionId' | 'status' | 'reason' | 'rule' | 'createdMs' | 'updatedMs'
>

/** The reason of what expired. */
export const EXPIRED = 'nobody applied it in time'

/** Every step in the life of a suggestion; each runs inside a transaction and is an event. */
export interface SuggestionSteps {
  /** PENDING. */
  add: (fresh: Fresh) => SuggestionRecord
  /** Accepts it with a rule, rejects it, or leaves it PENDING when there is nothing to judge it by. */
  decide: (record: SuggestionRecord, derived: Derived) => SuggestionRecord
  /** Gives it a rule and leaves it PENDING: somebody is to decide. */
  offer: (record: SuggestionRecord, derived: Derived) => SuggestionRecord
  /** A change that rests on it was applied; nothing happens when it is final already. */
  applied: (record: SuggestionRecord, adaptationId: string) => void
  expire: (record: SuggestionRecord) => void
  /**
   * Removes it, with the rule that it offers, unless somebody applied it: what is proposed anew each week would push out
   * the rules that clients made.
   */
  remove: (record: SuggestionRecord) => void
}

interface SuggestionStepsParts {
  store: Store
  rows: CountedRows<SuggestionRecord>
  events: Events
  rules: Rules
  confidenceMin: number
  clock: () => number
}

export function openSuggestionSteps(parts: SuggestionStepsParts): SuggestionSteps {
  const { store, rows, events, rules, confidenceMin, clock } = parts
  const { suggestionKeys } = store.tables

  function put(record: SuggestionRecord): SuggestionRecord {
    rows.putWithin(record.suggestionId, record)
    return record
  }
  function remove({ suggestionId, key, status, rule }: SuggestionRecord): void {
    rows.removeWithin(suggestionId)
    if (suggestionKeys.get(key) === suggestionId) suggestionKeys.remove(key)
    if (rule !== undefined && status !== 'APPLIED') rules.removeWithin(rule.ruleId)
  }
  function to(
    record: SuggestionRecord,
    status: SuggestionStatus,
    reason: string,
    data: Record<string, unknown> = {},
  ): SuggestionRecord {
    move('suggestion', record.status, status)
    const next = put({ ...record, status, reason, updatedMs: clock() })
    report(events, next, `SUGGESTION_${status}`, data)
    return next
  }
  function withRule(record: SuggestionRecord, { changes = {}, description }: Derived) {
    const { suggestionId, queryHash, source } = record
    const rule = rules.addWithin({
      queryHash,
      description,
      suggestionId,
      changes: JSON.stringify(changes),
      source: source === 'client' ? 'suggestion' : 'service',
    })
    return { ...record, rule }
  }
  return {
    add: (fresh) => {
      const createdMs = clock()
      const suggestionId = newId(createdMs)
      const times = { createdMs, updatedMs: createdMs }
      const record = put({ ...fresh, suggestionId, status: 'PENDING', reason: 'new', ...times })
      suggestionKeys.put(fresh.key, suggestionId)
      report(events, record, 'SUGGESTION_RECEIVED')
      return record
    },
    decide: (record, derived) => {
      const { confidence } = record
      if (confidence < confidenceMin)
        return to(record, 'REJECTED', `confidence ${confidence} is under ${confidenceMin}`)
      if (derived.changes === undefined) return put({ ...record, reason: derived.description })
      const { rule } = withRule(record, derived)
      return to({ ...record, rule }, 'ACCEPTED', derived.description, { ruleId: rule.ruleId })
    },
    offer: (record, derived) =>
      put({ ...withRule(record, derived), reason: derived.description, updatedMs: clock() }),
    applied: (record, adaptationId) => {
      const accepted =
        record.status === 'PENDING' ? to(record, 'ACCEPTED', 'it was applied') : record
      if (accepted.status !== 'ACCEPTED') return
      to(accepted, 'APPLIED', `applied as ${adaptationId}`, { adaptationId })
    },
    expire: (record) => {
      to(record, 'EXPIRED', EXPIRED)
      suggestionKeys.remove(record.key)
    },
    remove,
  }
}

function report(
  events: Events,
  record: SuggestionRecord,
  type: string,
  data: Record<string, unknown> = {},
): void {
  const { suggestionId, status, queryHash, confidence, kind, reason } = record
  events.recordWithin({
    type,
    status,
    source: 'adaptations',
    correlationId: suggestionId,
    data: { suggestionId, queryHash, kind, confidence, reason, ...data },
  })
}

/** The key under which a suggestion is found again: equal for equal content, whatever the order of its keys. */
export function suggestionKey(content: unknown): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex')
}

/** As `suggestionKey`, with turns for others: a client may send a megabyte. */
export async function suggestionKeyGradually(content: unknown): Promise<string> {
  const breathe = openBreath()
  const hash = createHash('sha256')
  for (const part of canonicalParts(content)) {
    hash.update(part)
    const pause = breathe()
    if (pause !== undefined) await pause
  }
  return hash.digest('hex')
}
