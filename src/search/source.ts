import { invalid, type ServiceError } from '../errors.ts'
import { isDate } from './date.ts'
import type { Definition, FieldDefinition } from './definition.ts'

type Source = Record<string, unknown>

/**
 * What is wrong with a document's values against its index's mapping, or undefined.
 * Types are strict: a number sent as a string is not a number. null stands for "no value".
 */
export function sourceProblem(source: Source, definition: Definition): ServiceError | undefined {
  for (const field of definition.fields) {
    const problem = fieldProblem(valueAt(source, field.source), field)
    if (problem !== undefined) return invalid(`document.${field.source}`, problem)
  }
  const vectorProblem = fieldVectorProblem(source, definition)
  if (vectorProblem !== undefined) return vectorProblem
  return definition.strict ? unmappedField(source, definition) : undefined
}

function fieldVectorProblem(source: Source, definition: Definition): ServiceError | undefined {
  const { field, dimensions } = definition.embedder
  const value = field === undefined ? undefined : source[field]
  if (field === undefined || value === undefined || value === null) return undefined
  const path = `document.${field}`
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'number'))
    return invalid(path, 'must be a list of numbers')
  if (value.length !== dimensions)
    return invalid(path, `must have ${dimensions} numbers`, 'VECTOR_DIMENSIONS')
  const norm = value.reduce((sum: number, one: number) => sum + one * one, 0)
  return Number.isFinite(norm) && norm > 0
    ? undefined
    : invalid(path, 'must be finite numbers that are not all zero')
}

/** The value at a dotted path; a key that holds the dots itself counts too. */
export function valueAt(source: Source, path: string): unknown {
  const direct = source[path]
  if (direct !== undefined || !path.includes('.')) return direct
  let value: unknown = source
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Source)[key]
  }
  return value
}

function fieldProblem(value: unknown, { type }: FieldDefinition): string | undefined {
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value)) {
    const bad = value.find((one) => !matches(one, type))
    return bad === undefined ? undefined : `must be a list of ${DESCRIPTIONS[type]}s`
  }
  return matches(value, type) ? undefined : `must be ${article(DESCRIPTIONS[type])}`
}

const DESCRIPTIONS = {
  text: 'string',
  keyword: 'string',
  integer: 'whole number',
  long: 'whole number',
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
  if (type === 'float' || type === 'double') return typeof value === 'number'
  if (type === 'boolean') return typeof value === 'boolean'
  return isDate(value)
}

function unmappedField(source: Source, definition: Definition): ServiceError | undefined {
  const known = new Set(definition.fields.map((field) => field.source.split('.')[0]))
  if (definition.embedder.field !== undefined) known.add(definition.embedder.field)
  const unmapped = Object.keys(source).find((key) => !known.has(key.split('.')[0]))
  if (unmapped === undefined) return undefined
  return invalid(
    'document',
    'has a field that the index’s strict mapping does not name',
    'UNKNOWN_FIELD',
  )
}
