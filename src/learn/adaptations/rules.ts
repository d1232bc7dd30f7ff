import { invalid } from '../../errors.ts'
import { hashSpelling, newId } from '../../ids.ts'
import { jsonText } from '../../json/gradual-text.ts'
import type { RuleRecord } from '../../schema/adaptation-record.ts'
import type { NoteDone } from '../../schema/answer.ts'
import { PAGE_ROWS } from '../../schema/page-rows.ts'
import type { RuleCreate, RuleQuery } from '../../schema/suggestion.ts'
import type { Store } from '../../store/store.ts'
import { ifSent, listFilter } from '../wire/list-filter.ts'
import { listJson } from '../wire/list-json.ts'
import { ruleJson } from './answers.ts'

/** Changes that may be applied, by name. */
export interface Rules {
  create: (sent: RuleCreate, noteDone?: NoteDone) => Promise<RuleRecord>
  /** Inside a transaction. */
  addWithin: (rule: Omit<RuleRecord, 'ruleId' | 'createdMs'>) => RuleRecord
  /** Inside a transaction. */
  removeWithin: (ruleId: string) => void
  /** Throws RULE_NOT_FOUND. */
  get: (ruleId: string) => RuleRecord
  /** A RuleList in UTF-8 JSON, newest first. Throws INVALID_CURSOR. */
  list: (query: RuleQuery) => Promise<Uint8Array>
}

/** Rules that are kept; the oldest go first. */
const RULES_MAX = 10_000

const UNKNOWN = 'is not the id of a rule; GET /nous/adapt/rules lists them'

export function openRules(store: Store, clock: () => number): Rules {
  const { adaptationRules } = store.tables

  function addWithin(rule: Omit<RuleRecord, 'ruleId' | 'createdMs'>): RuleRecord {
    const createdMs = clock()
    const added = { ruleId: newId(createdMs), ...rule, createdMs }
    const excess = adaptationRules.count() + 1 - RULES_MAX
    if (excess > 0) adaptationRules.removeAll([...adaptationRules.keys({ limit: excess })])
    adaptationRules.put(added.ruleId, added)
    return added
  }
  return {
    addWithin,
    create: async ({ changes: sent, queryHash, name, description }, noteDone) => {
      const changes = await jsonText(sent)
      return store.write(() => {
        noteDone?.()
        return addWithin({
          changes,
          description: description ?? name ?? 'A rule made by a client.',
          source: 'client',
          ...(queryHash === undefined ? {} : { queryHash: hashSpelling(queryHash) }),
          ...(name === undefined ? {} : { name }),
        })
      })
    },
    removeWithin: (ruleId) => {
      adaptationRules.remove(ruleId)
    },
    get: (ruleId) => {
      const rule = adaptationRules.get(ruleId)
      if (rule === undefined) throw invalid('ruleId', UNKNOWN, 'RULE_NOT_FOUND')
      return rule
    },
    list: ({ queryHash, limit = PAGE_ROWS, cursor }) => {
      const hash = queryHash === undefined ? undefined : hashSpelling(queryHash)
      return listJson('rules', adaptationRules, {
        limit,
        cursor,
        show: (rule) => ruleJson(rule),
        isWanted: listFilter<RuleRecord, RuleQuery>({
          queryHash: ifSent(hash, (rule, asked) => rule.queryHash === asked),
        }),
      })
    },
  }
}
