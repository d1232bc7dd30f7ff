import { invalid } from '../../errors.ts'
import { isObject, ownValue } from '../../object.ts'
import { beginningOf, shownName } from '../../word.ts'
import { mustBeId } from '../document-id.ts'
import { foreignAdvice } from './foreign-filters.ts'

/** A filter as the Rust core reads it; documents by their ids get their numbers on the way (`filter-ids.ts`). */
export type FilterNode =
  | { and: FilterNode[] }
  | { or: FilterNode[] }
  | { not: FilterNode }
  | { ids: string[] }
  | { field: string; any: FilterValue[] }
  | ({ field: string } & Partial<Record<Bound, FilterValue>>)
  | { field: string; exists: boolean }

export type FilterValue = string | number | boolean

/** Parts of a range. */
export const BOUNDS = ['gt', 'gte', 'lt', 'lte'] as const
type Bound = (typeof BOUNDS)[number]

/** Where conditions stand in the request that they were read from: messages name it, the core knows nothing of it. */
const PLACES = new WeakMap<FilterNode, string>()

/** The place of a condition on a field in its request. */
export function placeInRequest(condition: FilterNode & { field: string }): string {
  return PLACES.get(condition) ?? `filters.${condition.field}`
}

function placed(condition: FilterNode, path: string): FilterNode {
  PLACES.set(condition, path)
  return condition
}

const NODES_MAX = 1024
/** Values of one list. */
const VALUES_MAX = 10_000
/** Ids of a filter in all: each is looked up in each of the indices. */
const IDS_MAX = 1000
/** What documents are filtered by their ids as; no field can have this name in a mapping. */
const ID = '_id'
/** Spellings of "is one of". */
const EQUALS: readonly string[] = ['eq', 'in', 'any']

/** How each part of a condition that is no bound is read; in lower case, as parts may come in any. */
const OPERATORS: Readonly<
  Record<string, (field: string, sent: unknown, path: string) => FilterNode>
> = {
  ...Object.fromEntries(EQUALS.map((word) => [word, readCondition])),
  not: (field, sent, path) => ({ not: readCondition(field, sent, path) }),
  exists: (field, sent, path) => placed({ field, exists: readFlag(sent, path) }, path),
}
/** Parts of a condition, as messages name them. */
const KNOWN = [...BOUNDS, ...Object.keys(OPERATORS)].join(', ')

type Shape = Record<string, unknown>

/**
 * Reads the wire's filters: field → value (or `{eq}`), list (any of; or `{in}`, `{any}`), `{gte,gt,lte,lt}`, `{not}`,
 * `{exists}`, plus `{and, or, not}`, all in any case; several keys of one object must all hold. `_id` is a document's id:
 * it, a list, or one of these in `{eq, in, any, not}`. No filters: undefined.
 * `isMapped` tells whether an index that is searched maps a field of this name. Throws VALIDATION_FAILED with the place.
 */
export function readFilters(
  filters: Shape | undefined,
  isMapped: (field: string) => boolean = () => false,
): FilterNode | undefined {
  if (filters === undefined || Object.keys(filters).length === 0) return undefined
  return readObject(filters, 'filters', { left: NODES_MAX, idsLeft: IDS_MAX, isMapped })
}

interface Budget {
  left: number
  idsLeft: number
  isMapped: (field: string) => boolean
}

function readObject(filters: unknown, path: string, budget: Budget): FilterNode {
  if (!isObject(filters)) throw invalid(path, 'must be an object')
  return all(Object.entries(filters).map(([key, value]) => readKey(key, value, path, budget)))
}

function readKey(key: string, value: unknown, path: string, budget: Budget): FilterNode {
  if (--budget.left < 0) throw invalid('filters', `must have at most ${NODES_MAX} conditions`)
  const place = `${path}.${key}`
  const word = joinOf(key, value, budget)
  if (word === 'and') return all(readList(value, place, budget))
  if (word === 'or') return { or: readAlternatives(value, place, budget) }
  if (word === 'not') {
    if (Array.isArray(value)) return { not: { or: readAlternatives(value, place, budget) } }
    refuseEmpty(value, place)
    return { not: readObject(value, place, budget) }
  }
  return key === ID ? readIds(value, place, budget) : readCondition(key, value, place)
}

function readIds(value: unknown, path: string, budget: Budget): FilterNode {
  if (typeof value === 'string' || Array.isArray(value)) {
    const ids = [...new Set([value].flat())]
    budget.idsLeft -= ids.length
    if (budget.idsLeft < 0) throw invalid('filters', `must name at most ${IDS_MAX} ids in all`)
    return { ids: ids.map((id, at) => readId(id, Array.isArray(value) ? `${path}[${at}]` : path)) }
  }
  const entries = isObject(value) ? Object.entries(value) : []
  if (entries.length === 0) throw invalid(path, 'must be the id of a document, or a list of them')
  return all(
    entries.map(([key, inner]) => {
      const place = `${path}.${key}`
      const word = key.toLowerCase()
      if (word === 'not') return { not: readIds(inner, place, budget) }
      if (EQUALS.includes(word)) return readIds(inner, place, budget)
      throw invalid(place, `is not known; ids are compared by ${EQUALS.join(', ')} and not`)
    }),
  )
}

function readId(id: unknown, path: string): string {
  if (typeof id !== 'string') throw invalid(path, 'must be the id of a document, a string')
  return mustBeId(id, path)
}

const JOINS: readonly string[] = ['and', 'or', 'not']

/** The word by which conditions are joined, in any case. In another case than ours it may be a field's name. */
function joinOf(key: string, value: unknown, { isMapped }: Budget): string | undefined {
  if (key.length > 3) return undefined
  if (JOINS.includes(key)) return key
  const word = key.toLowerCase()
  return JOINS.includes(word) && holdsConditions(value) && !isMapped(key) ? word : undefined
}

/** Objects are joined, and so is a list that none came into; a value, or a list of values, is what a field is compared with. */
function holdsConditions(value: unknown): boolean {
  return isObject(value) || (Array.isArray(value) && (value.length === 0 || value.some(isObject)))
}

/** Conditions of which one must hold: those of a list, or the keys of an object. */
function readAlternatives(value: unknown, path: string, budget: Budget): FilterNode[] {
  refuseEmpty(value, path)
  if (isObject(value))
    return Object.entries(value).map(([key, inner]) => readKey(key, inner, path, budget))
  if (Array.isArray(value))
    for (const [at, item] of value.entries()) refuseEmpty(item, `${path}[${at}]`)
  return readList(value, path, budget)
}

/** What is empty would mean everything to one client, and nothing to another. */
function refuseEmpty(value: unknown, path: string): void {
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
    throw invalid(path, 'must hold a condition; without one, leave it out')
}

function readList(value: unknown, path: string, budget: Budget): FilterNode[] {
  if (!Array.isArray(value)) return [readObject(value, path, budget)]
  return value.map((item, at) => readObject(item, `${path}[${at}]`, budget))
}

function readCondition(field: string, value: unknown, path: string): FilterNode {
  if (value === null) return { not: placed({ field, exists: true }, path) }
  if (isValue(value)) return placed({ field, any: [value] }, path)
  if (Array.isArray(value)) return placed({ field, any: readValues(field, value, path) }, path)
  if (!isObject(value)) throw invalid(path, 'must be a value, a list of values or a range')
  const parts: FilterNode[] = []
  const range: Partial<Record<Bound, FilterValue>> = {}
  for (const [key, bound] of Object.entries(value)) {
    const place = `${path}.${key}`
    const word = key.toLowerCase()
    const read = ownValue(OPERATORS, word)
    if (read !== undefined) parts.push(read(field, bound, place))
    else if (isBound(word)) {
      if (!isValue(bound)) throw invalid(place, 'must be a number, a date or a string')
      if (range[word] !== undefined) throw invalid(place, 'is sent twice, in two cases; send one')
      range[word] = bound
    } else throw unknownKey(field, key, place)
  }
  if (Object.keys(range).length > 0) parts.push(placed({ field, ...range }, path))
  if (parts.length === 0) throw invalid(path, `must hold one of ${KNOWN}`)
  return all(parts)
}

function isBound(word: string): word is Bound {
  return BOUNDS.some((bound) => bound === word)
}

/** Longest name that a message says again. */
const NAME_MAX = 128

function unknownKey(field: string, key: string, place: string): Error {
  const inner = beginningOf(`${field}.${key}`, NAME_MAX)
  const foreign = `${foreignAdvice(field)}${foreignAdvice(key)}`
  const advice = `${foreign}; a field inside of an object is filtered by as "${inner}"`
  return invalid(place, `is not known; known are ${KNOWN}${advice}`)
}

function readFlag(value: unknown, path: string): boolean {
  if (typeof value !== 'boolean') throw invalid(path, 'must be true or false')
  return value
}

function readValues(field: string, values: unknown[], path: string): FilterValue[] {
  if (values.length > VALUES_MAX) throw invalid(path, `must have at most ${VALUES_MAX} values`)
  return values.map((value, at) => {
    if (isValue(value)) return value
    const advice =
      value === null ? `; null is a condition of its own: ${orNone(field)}` : foreignAdvice(field)
    throw invalid(`${path}[${at}]`, `must be a string, a number or a boolean${advice}`)
  })
}

/** The filter for values of a field, or none. */
function orNone(field: string): string {
  const name = `"${shownName(field)}"`
  return `{"or": [{${name}: […]}, {${name}: null}]}`
}

function all(nodes: FilterNode[]): FilterNode {
  const [only] = nodes
  return nodes.length === 1 && only !== undefined ? only : { and: nodes }
}

function isValue(value: unknown): value is FilterValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
