import { describe, expect, it } from 'vitest'
import { readThresholds } from '../../../src/learn/adaptations/thresholds.ts'
import { readTriggers } from '../../../src/learn/adaptations/triggers.ts'
import { readGuardrails } from '../../../src/learn/experiments/guardrail-rules.ts'
import { readTargeting } from '../../../src/learn/experiments/targeting-rules.ts'
import { RULE_OPERATORS, type RuleOperator } from '../../../src/learn/wire/operators.ts'

/** What each rule makes of an operator. */
const RULES = {
  guardrails: (operator: string) => {
    const [rule] = readGuardrails([{ metric: 'revenue', operator, threshold: 3 }])
    return `${rule?.harm}${rule?.relative ? ` by ${rule.threshold}` : ''}`
  },
  rollbackTriggers: (operator: string) =>
    readTriggers([{ metric: 'ctr', operator, threshold: 3 }]).triggers[0]?.operator,
  acceptanceThresholds: (operator: string) =>
    readThresholds([{ metric: 'ctr', operator, threshold: 3 }])[0]?.operator,
  targetingRules: (operator: string) =>
    readTargeting([
      { field: 'age', operator, value: operator.toLowerCase() === 'exists' || '3' },
    ])[0]?.operator,
}
const NAMES = Object.keys(RULES) as (keyof typeof RULES)[]

/** By operator, in the order of the rules; undefined where it means nothing. */
const MEANINGS: Record<RuleOperator, (string | undefined)[]> = {
  gt: ['increase', 'gt', 'gt', 'gt'],
  gte: ['increase', 'gte', 'gte', 'gte'],
  lt: ['decrease', 'lt', 'lt', 'lt'],
  lte: ['decrease', 'lte', 'lte', 'lte'],
  eq: [undefined, undefined, undefined, 'any'],
  neq: [undefined, undefined, undefined, 'none'],
  in: [undefined, undefined, undefined, 'any'],
  notIn: [undefined, undefined, undefined, 'none'],
  exists: [undefined, undefined, undefined, 'exists'],
  contains: [undefined, undefined, undefined, 'contains'],
  startsWith: [undefined, undefined, undefined, 'startsWith'],
  endsWith: [undefined, undefined, undefined, 'endsWith'],
  drop: ['decrease by 3', 'drop', undefined, undefined],
  rise: [undefined, 'rise', undefined, undefined],
  times: ['increase by 2', 'times', undefined, undefined],
  decrease: ['decrease', 'drop', undefined, undefined],
  increase: ['increase', 'rise', undefined, undefined],
  min: ['decrease', 'lt', 'gte', 'gte'],
  max: ['increase', 'gt', 'lte', 'lte'],
  higherIsBetter: ['decrease', 'lt', 'gte', undefined],
  lowerIsBetter: ['increase', 'gt', 'lte', undefined],
}

describe('an operator', () => {
  it.each(Object.entries(MEANINGS))('%s means the same in each of its spellings', (name, each) => {
    const spellings = [name, name.toUpperCase(), ...RULE_OPERATORS[name as RuleOperator]]
    for (const [at, rule] of NAMES.entries())
      for (const spelling of spellings) {
        const meaning = each[at]
        if (meaning !== undefined)
          expect(RULES[rule](spelling), `${rule} ${spelling}`).toBe(meaning)
        else expect(() => RULES[rule](spelling), `${rule} ${spelling}`).toThrow(/must be one of/)
      }
  })

  it('is read with spaces, lines and other cases between its words', () => {
    for (const operator of ['greaterThan', 'Greater than', 'greater_than', 'GREATER-THAN'])
      for (const rule of NAMES)
        expect(RULES[rule](operator)).toBe(rule === 'guardrails' ? 'increase' : 'gt')
  })

  it.each([
    ['guardrails', 'gt (>), gte (>=), lt (<), lte (<=), increase, decrease, max, min'],
    ['rollbackTriggers', 'lt (<), lte (<=), gt (>), gte (>=), drop, rise, times'],
    ['acceptanceThresholds', 'lt (<), lte (<=), gt (>), gte (>=), min, max'],
    ['targetingRules', 'eq (==), neq (!=), in, notIn, gt (>), gte (>=), lt (<), lte (<=)'],
  ] as const)('that is not known to %s is refused with those that are', (rule, known) => {
    for (const operator of ['about', 'constructor', ''])
      expect(() => RULES[rule](operator)).toThrow(
        expect.objectContaining({ message: expect.stringContaining(`must be one of ${known}`) }),
      )
  })

  it('is read of a field in targeting rules, too, and under direction in triggers', () => {
    expect(readTargeting({ age: { '>=': 18, max: 65 } })).toEqual([
      { field: 'age', operator: 'gte', values: [18] },
      { field: 'age', operator: 'lte', values: [65] },
    ])
    const [trigger] = readTriggers([{ name: 'ctr', direction: 'down', threshold: 1 }]).triggers
    expect(trigger).toMatchObject({ metric: 'ctr', operator: 'drop' })
  })
})
