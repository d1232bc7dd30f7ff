import { serviceError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { RuleRecord } from '../../schema/adaptation-record.ts'
import type { RuleCreate, RuleQuery } from '../../schema/suggestion.ts'
import type { Store } from '../../store/store.ts'

/** Changes that may be applied, by name. */
export interface Rules {
  create: (sent: RuleCreate) => Promise<RuleRecord>
  /** Inside a transaction. */
  addWithin: (rule: Omit<RuleRecord, 'ruleId' | 'createdMs'>) => RuleRecord
  /** Inside a transaction. */
  removeWithin: (ruleId: string) => void
  /** Throws RULE_NOT_FOUND. */
  get: (ruleId: string) => RuleRecord
  /** Newest first. */
  list: (query: RuleQuery) => { rules: RuleRecord[]; total: number }
}

/** Rules that are kept; the oldest go first. */
const RULES_MAX = 10_000
const LIMIT = 100

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
    create: ({ changes, queryHash, name, description }) =>
      store.write(() =>
        addWithin({
          changes: JSON.stringify(changes),
          description: description ?? name ?? 'A rule made by a client.',
          source: 'client',
          ...(queryHash === undefined ? {} : { queryHash }),
          ...(name === undefined ? {} : { name }),
        }),
      ),
    removeWithin: (ruleId) => {
      adaptationRules.remove(ruleId)
    },
    get: (ruleId) => {
      const rule = adaptationRules.get(ruleId)
      if (rule === undefined) throw serviceError('RULE_NOT_FOUND', 'There is no rule with this id.')
      return rule
    },
    list: ({ queryHash, limit = LIMIT }) => {
      const rules: RuleRecord[] = []
      let total = 0
      for (const { value } of adaptationRules.range({ reverse: true })) {
        if (queryHash !== undefined && value.queryHash !== queryHash) continue
        total += 1
        if (rules.length < limit) rules.push(value)
      }
      return { rules, total }
    },
  }
}
