import { invalid, type ServiceError } from '../../errors.ts'
import { isObject, ownValue } from '../../object.ts'
import { beginningOf } from '../../word.ts'
import { isDate } from '../date.ts'
import type { Definition } from '../indices/definition.ts'
import type { FieldDefinition } from '../indices/mapped-field.ts'
import { findUnnamed } from '../indices/strict.ts'
import { spellsNumber } from '../number-text.ts'
import { directionProblem } from '../vector.ts'
import { headOf, looksProblem } from './many-looks.ts'

type Source = Record<string, unknown>

/** Where a request has the document: in a member of its body, or as the whole of it. */
export type SourcePlace = 'document.' | ''

/**
 * What is wrong with a document's values against its index's mapping, or undefined.
 * Types are strict: a number sent as a string is not a number. null stands for "no value".
 */
export function sourceProblem(
  source: Source,
  definition: Definition,
  place: SourcePlace = 'document.',
): ServiceError | undefined {
  const tooMany = looksProblem(source, definition, place)
  if (tooMany !== undefined) return tooMany
  const mayHold = headsOf(source)
  for (const field of definition.fields) {
    if (!mayHold(field.source)) continue
    const keys = field.source.split('.')
    for (const value of leavesAt(source, keys)) {
      const problem = fieldProblem(value, field)
      if (problem !== undefined) return invalid(`${place}${field.source}`, problem)
    }
    const broken = keys.length > 1 ? brokenAt(source, keys) : undefined
    if (broken !== undefined && !definition.fields.some((own) => own.source === broken))
      return invalid(`${place}${broken}`, 'must be an object')
  }
  // Objects that have fields are looked through by these.
  const flat = definition.objects.find(
    ({ name, isBare }) => isBare && mayHold(name) && holdsNoObject(source, name),
  )
  if (flat !== undefined) return invalid(`${place}${flat.name}`, 'must be an object')
  return fieldVectorProblem(source, definition, place) ?? unmappedField(source, definition, place)
}

function fieldVectorProblem(
  source: Source,
  definition: Definition,
  place: SourcePlace,
): ServiceError | undefined {
  const { field, dimensions } = definition.embedder
  const value = field === undefined ? undefined : ownValue(source, field)
  if (field === undefined || value === undefined || value === null) return undefined
  const path = `${place}${field}`
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'number'))
    return invalid(path, 'must be a list of numbers')
  if (value.length !== dimensions)
    return invalid(path, `must have ${dimensions} numbers`, 'VECTOR_DIMENSIONS')
  const problem = directionProblem(value as number[])
  return problem === undefined ? undefined : invalid(path, problem)
}

/**
 * Whether a document may hold anything at a dotted path: of thousands of fields most have none, and to follow each
 * path takes long.
 */
export function headsOf(source: Source): (path: string) => boolean {
  const heads = new Set(Object.keys(source).map(headOf))
  return (path) => heads.has(headOf(path))
}

/** All values at a dotted path, those of lists one by one. */
export function valuesAt(source: Source, path: string): unknown[] {
  return leavesAt(source, path.split('.')).flat()
}

/**
 * What stands at a path, as the core reads it: in each object of a list, and under keys that hold the dots themselves.
 * A list at its end is one leaf.
 */
function leavesAt(value: unknown, keys: readonly string[]): unknown[] {
  const leaves: unknown[] = []
  gatherLeaves(value, keys, 0, leaves)
  return leaves
}

function gatherLeaves(
  value: unknown,
  keys: readonly string[],
  from: number,
  leaves: unknown[],
): void {
  if (from === keys.length) leaves.push(value)
  else if (Array.isArray(value)) for (const one of value) gatherLeaves(one, keys, from, leaves)
  else if (isObject(value)) {
    let name = keys[from] as string
    for (let end = from + 1; ; end++) {
      const inner = ownValue(value, name)
      if (inner !== undefined && inner !== null) gatherLeaves(inner, keys, end, leaves)
      if (end === keys.length) return
      name += `.${keys[end]}`
    }
  }
}

/** Whether something else stands where the mapping has an object. */
function holdsNoObject(source: Source, name: string): boolean {
  return valuesAt(source, name).some((value) => value !== null && !isObject(value))
}

/** The beginning of a dotted path that holds something else than an object, or objects; null stands for none. */
function brokenAt(value: unknown, keys: string[], depth = 0): string | undefined {
  if (value === undefined || value === null) return undefined
  for (const one of Array.isArray(value) ? value : [value]) {
    if (one === null) continue
    if (!isObject(one)) return keys.slice(0, depth).join('.')
    const isLast = depth + 1 === keys.length
    if (isLast || ownValue(one, keys.slice(depth).join('.')) !== undefined) continue
    for (let end = depth + 1; end < keys.length; end++) {
      const inner = ownValue(one, keys.slice(depth, end).join('.'))
      const broken = brokenAt(inner, keys, end)
      if (broken !== undefined) return broken
    }
  }
  return undefined
}

function fieldProblem(value: unknown, field: FieldDefinition): string | undefined {
  if (value === undefined || value === null) return undefined
  const { name, source, type } = field
  const isSubField = name !== source
  const fits = isSubField ? isReadAs : matches
  const isList = Array.isArray(value)
  if (isList ? value.every((one) => fits(one, type)) : fits(value, type)) return undefined
  const wanted = article(DESCRIPTIONS[type])
  const problem = isList ? `must be a list, each item ${wanted}` : `must be ${wanted}`
  return isSubField ? `${problem}, which a text may spell: its sub-field ${name} reads it` : problem
}

/** JSON's numbers are doubles: beyond this, neighbours can't be told apart. */
const WHOLE_NUMBER = 'whole number from -(2^53-1) to 2^53-1'

const DESCRIPTIONS = {
  text: 'string',
  keyword: 'string',
  integer: WHOLE_NUMBER,
  long: WHOLE_NUMBER,
  float: 'number',
  double: 'number',
  boolean: 'boolean',
  date: 'date (ISO 8601 or epoch milliseconds)',
} as const

function article(words: string): string {
  return `a ${words}`
}

function matches(value: unknown, type: FieldDefinition['type']): boolean {
  if (value === null) return true
  if (type === 'text' || type === 'keyword') return typeof value === 'string'
  if (type === 'integer' || type === 'long') return Number.isSafeInteger(value)
  if (type === 'float' || type === 'double') return Number.isFinite(value)
  if (type === 'boolean') return typeof value === 'boolean'
  return isDate(value)
}

/** Whether a sub-field of this type has a value where its field holds this one: both read the same in their own way. */
function isReadAs(value: unknown, type: FieldDefinition['type']): boolean {
  if (type === 'text' || type === 'keyword')
    return value === null || ['string', 'number', 'boolean'].includes(typeof value)
  if (typeof value !== 'string' || type === 'date') return matches(value, type)
  if (type === 'boolean') return value === 'true' || value === 'false'
  return spellsNumber(value) && matches(Number(value), type)
}

/** Longest name of a field that a refusal shows. */
const NAME_CHARACTERS_MAX = 128

function unmappedField(
  source: Source,
  { strict }: Definition,
  place: SourcePlace,
): ServiceError | undefined {
  const unmapped = strict === undefined ? undefined : findUnnamed(source, strict)
  if (unmapped === undefined) return undefined
  return invalid(
    `${place}${beginningOf(unmapped, NAME_CHARACTERS_MAX)}`,
    "is not named by the index's strict mapping; add the field to the mapping, or leave it out",
    'UNKNOWN_FIELD',
  )
}
