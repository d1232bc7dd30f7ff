import { invalid } from '../../errors.ts'
import { asObject } from '../../object.ts'
import type { TargetingCondition } from '../../schema/experiment-record.ts'
import { EXPERIMENT_RULES_MAX } from '../../schema/experiment-rules.ts'
import { RULE_FIELDS } from '../../schema/rule-fields.ts'
import { shownName } from '../../word.ts'
import {
  isOperator,
  OPERATOR_ELSEWHERE,
  type RuleOperator,
  readOperator,
} from '../wire/operators.ts'
import { type KnownBody, unreadFieldsAt } from '../wire/unread-fields.ts'

type Comparison = TargetingCondition['operator']

const COMPARISONS: Partial<Record<RuleOperator, Comparison>> = {
  eq: 'any',
  neq: 'none',
  in: 'any',
  notIn: 'none',
  gt: 'gt',
  gte: 'gte',
  lt: 'lt',
  lte: 'lte',
  min: 'gte',
  max: 'lte',
  exists: 'exists',
  contains: 'contains',
  startsWith: 'startsWith',
  endsWith: 'endsWith',
}
const VALUES_MAX = 1000
const PATH = 'targetingRules'
/** A rule whose operator is ignored asks for equality. */
const BODY: KnownBody = {
  is: 'a targeting rule',
  known: new Set([...RULE_FIELDS.targetingRules, ...['attribute', 'key', 'values']]),
  meant: { ...OPERATOR_ELSEWHERE, property: 'field', path: 'field' },
}

/**
 * Reads targeting rules: an object field → value, list (any of), `{gte, gt, lte, lt}` or `{not}`, or a list of
 * `{field, operator, value}`; fields may stand within `metadata` or `session`. Throws VALIDATION_FAILED for an operator
 * that is not known; says in `warnings` what a rule has beside these.
 */
export function readTargeting(rules: unknown, warnings: string[] = []): TargetingCondition[] {
  if (rules === undefined) return []
  // Before they are read: a list may hold hundreds of thousands that say nothing.
  if (rulesIn(rules) > EXPERIMENT_RULES_MAX) throw tooMany()
  const conditions = readRules(rules, { path: PATH, warnings })
  if (conditions.length > EXPERIMENT_RULES_MAX) throw tooMany()
  if (conditions.some(({ values }) => values.length > VALUES_MAX))
    throw invalid(PATH, `must hold at most ${VALUES_MAX} values in a condition`)
  return conditions
}

function tooMany(): Error {
  return invalid(PATH, `must hold at most ${EXPERIMENT_RULES_MAX} conditions`)
}

/** Rules of a list and of the lists in it, looked for until there are too many. */
function rulesIn(rules: unknown): number {
  if (!Array.isArray(rules)) {
    const [[name, inner] = ['', undefined], ...others] = Object.entries(asObject(rules) ?? {})
    return others.length === 0 && LISTS.includes(name) ? rulesIn(inner) : 0
  }
  let count = 0
  for (const rule of rules) {
    count += 1 + rulesIn(rule)
    if (count > EXPERIMENT_RULES_MAX) break
  }
  return count
}

const LISTS = ['rules', 'conditions']

/** Where rules stand, and whom to tell what is not read of them. */
interface Reading {
  path: string
  warnings: string[]
}

function readRules(rules: unknown, { path, warnings }: Reading): TargetingCondition[] {
  if (Array.isArray(rules))
    return rules.flatMap((rule, at) => readRule(rule, { path: `${path}[${at}]`, warnings }))
  const object = asObject(rules)
  if (object === undefined) throw invalid(path, 'must be an object or a list of objects')
  const entries = Object.entries(object)
  const [only] = entries
  if (entries.length === 1 && only !== undefined && isListOfRules(...only))
    return readRules(only[1], { path: `${path}.${only[0]}`, warnings })
  return entries.flatMap(([field, value]) => readField(field, value, `${path}.${shownName(field)}`))
}

function isListOfRules(name: string, value: unknown): boolean {
  return LISTS.includes(name) && Array.isArray(value) && value.every(asObject)
}

function readRule(rule: unknown, reading: Reading): TargetingCondition[] {
  const { path, warnings } = reading
  const object = asObject(rule)
  if (object === undefined) throw invalid(path, 'must be an object')
  const { key, attribute = key, field = attribute } = object
  // Read as names of fields, these would be a condition that nobody meets.
  if (field === undefined && 'operator' in object && ('value' in object || 'values' in object))
    throw invalid(`${path}.field`, 'is required')
  if (field === undefined) return readRules(object, reading)
  if (typeof field !== 'string' || field === '') throw invalid(`${path}.field`, 'must be a text')
  warnings.push(...unreadFieldsAt(path, object, BODY))
  const { operator = 'eq', value = object.values } = object
  return [readCondition(field, operator, value, { said: `${path}.operator`, to: `${path}.value` })]
}

/** What a session holds, asked for in the form in which it was sent: how fields in it are called. */
const WITHIN: Readonly<Record<string, string>> = { metadata: 'metadata.', session: '' }

function readField(field: string, value: unknown, path: string): TargetingCondition[] {
  const object = asObject(value)
  if (object === undefined) return [readCondition(field, 'eq', value, { said: path, to: path })]
  const bounds = Object.entries(object)
  // Without a condition it would hold for all.
  if (bounds.length === 0) throw invalid(path, 'must hold an operator, like {"gte": 18}')
  if (Object.hasOwn(WITHIN, field) && !bounds.some(([name]) => isOperator(name)))
    return bounds.flatMap(([name, inner]) =>
      readField(`${WITHIN[field]}${name}`, inner, `${path}.${shownName(name)}`),
    )
  return bounds.map(([operator, bound]) => {
    const place = `${path}.${shownName(operator)}`
    return readCondition(field, operator, bound, { said: place, to: place })
  })
}

/** Where an operator is said, and what is compared with. */
interface Places {
  said: string
  to: string
}

function readCondition(
  field: string,
  sent: unknown,
  value: unknown,
  { said, to }: Places,
): TargetingCondition {
  const operator = readOperator(sent, said, COMPARISONS)
  const values = Array.isArray(value) ? value : [value]
  if (operator === 'exists') {
    if (value !== undefined && typeof value !== 'boolean')
      throw invalid(to, 'must be true or false with exists')
    return { field, operator, values: [value ?? true] }
  }
  const { types, is } = COMPARED[operator] ?? ANY_VALUE
  if (
    !values.every((each) => (each === null && is === ANY_VALUE.is) || types.includes(typeof each))
  )
    throw invalid(to, `must be ${is}, or a list of these`)
  return { field, operator, values }
}

const ANY_VALUE = {
  types: ['string', 'number', 'boolean'],
  is: 'a text, a number, true or false, null for none',
}
const ORDERED = { types: ['string', 'number'], is: 'a text or a number' }
const IN_TEXTS = { types: ['string'], is: 'a text' }
/** What can be compared in another way than by being the same: with anything else nobody would be a target. */
const COMPARED: Partial<Record<Comparison, { types: string[]; is: string }>> = {
  gt: ORDERED,
  gte: ORDERED,
  lt: ORDERED,
  lte: ORDERED,
  startsWith: IN_TEXTS,
  endsWith: IN_TEXTS,
}
