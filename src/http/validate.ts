import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { invalid, serviceError } from '../errors.ts'
import { beginningOf } from '../word.ts'

const PATH_CHARACTERS_MAX = 128

/** Checks a value against one schema; throws VALIDATION_FAILED naming the first wrong place. */
export type Check = (value: unknown) => void

export interface Validators {
  /** For bodies: types are exact. `whole` is what a refusal calls the value itself; default: body. */
  exact: (schema: TSchema, whole?: string) => Check
  /**
   * For path and query parameters: texts become the numbers, booleans and lists that the schema asks for, and
   * parameters that it does not name are taken out, so that no handler sees one that nobody checked. A schema with
   * `additionalProperties: true` keeps them, as the texts that they are, for a handler that tells of them.
   */
  coercing: (schema: TSchema) => Check
}

/** Makes the two compilers that turn schemas into checks at start. */
export function openValidators(): Validators {
  const options = {
    allErrors: false,
    strict: false,
    // A parameter such as 1e999 is no number.
    strictNumbers: true,
    // Errors carry the schema that they come from.
    verbose: true,
    validateFormats: true,
    ownProperties: true,
  }
  const exact = new Ajv(options)
  const keeping = new Ajv({ ...options, coerceTypes: 'array' })
  const coercing = new Ajv({ ...options, coerceTypes: 'array', removeAdditional: 'all' })
  formats.default(exact)
  formats.default(keeping)
  formats.default(coercing)
  return {
    exact: (schema, whole = 'body') => checkWith(exact.compile(schema), whole),
    coercing: (schema) => {
      const { additionalProperties } = schema as { additionalProperties?: unknown }
      const ajv = additionalProperties === true ? keeping : coercing
      const check = checkWith(ajv.compile(schema), 'parameter')
      const numbers = numbersOf(schema)
      const optional = nonEmptyOf(schema)
      return (value) => {
        refuseUnusual(numbers, value as Record<string, unknown>)
        refuseEmpty(optional, value as Record<string, unknown>)
        check(value)
      }
    },
  }
}

/** How numbers are written; what JavaScript takes for one besides, such as `0x10` or a blank before it, is a slip. */
const WRITTEN = {
  integer: { form: /^-?\d+$/, message: 'must be a whole number in plain digits' },
  number: { form: /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i, message: 'must be a number, such as 2 or 0.5' },
} as const
type Written = (typeof WRITTEN)[keyof typeof WRITTEN]

type Members = TSchema & { properties?: object; required?: string[] }

/** The parameters that are numbers. */
function numbersOf({ properties = {} }: Members): [string, Written][] {
  const named = Object.entries(properties as Record<string, { type?: unknown }>)
  return named.flatMap(([name, { type }]) =>
    type === 'integer' || type === 'number' ? [[name, WRITTEN[type]]] : [],
  )
}

function refuseUnusual(numbers: readonly [string, Written][], sent: Record<string, unknown>): void {
  for (const [path, { form, message }] of numbers) {
    const text = sent[path]
    if (typeof text !== 'string' || form.test(text)) continue
    throw invalid(path, message)
  }
}

/** The parameters that may be left out, and are no empty text where they are sent. */
function nonEmptyOf({ properties = {}, required = [] }: Members): string[] {
  const named = Object.entries(properties as Record<string, { minLength?: unknown }>)
  return named.flatMap(([name, { minLength }]) =>
    minLength === 1 && !required.includes(name) ? [name] : [],
  )
}

/** An empty id names nothing: whether nothing or everything is meant, only who asks knows. */
function refuseEmpty(names: readonly string[], sent: Record<string, unknown>): void {
  const path = names.find((name) => sent[name] === '')
  if (path === undefined) return
  const message = 'must not be empty: give it a value, or leave it out'
  throw invalid(path, message)
}

function checkWith(validate: ValidateFunction, whole: string): Check {
  return (value) => {
    if (validate(value)) return
    const { path, message } = explain(validate.errors ?? [])
    const error = path === '' ? `The ${whole} ${message}.` : `${path} ${message}.`
    throw serviceError('VALIDATION_FAILED', error, { details: [{ path, message }] })
  }
}

/** Picks the error that helps most: the deepest one inside a union, else the union's choices in one sentence. */
function explain(errors: ErrorObject[]): { path: string; message: string } {
  const last = errors.at(-1)
  if (last === undefined) return { path: '', message: 'is not valid' }
  if (last.keyword === 'propertyNames') return { path: pathOf(last), message: nameMessage(errors) }
  if (last.keyword !== 'anyOf') return { path: pathOf(last), message: messageOf(last) }
  const deeper = errors.filter((error) => pathOf(error).length > pathOf(last).length)
  const deepest = deeper.at(-1)
  if (deepest !== undefined) {
    const within = deeper.slice(0, deeper.indexOf(deepest) + 1)
    // A union inside the union is explained by itself.
    return explain(within.filter(({ instancePath: at }) => at.startsWith(deepest.instancePath)))
  }
  return { path: pathOf(last), message: choicesOf(errors) }
}

/** Of a name in a map, which may be too long to be said again. */
function nameMessage(errors: ErrorObject[]): string {
  const within = errors.at(-2)
  return `has a name that ${within === undefined ? 'is not valid' : messageOf(within)}`
}

/** What a union asks for whose choices all fail at the same place. */
function choicesOf(errors: ErrorObject[]): string {
  const others = errors.filter((error) => error.keyword !== 'anyOf')
  const precise = others.filter((error) => error.keyword !== 'type')
  const [first] = precise
  if (first === undefined) {
    const types = others.map((error) => typeNamed(error.params.type))
    return `must be ${[...new Set(types)].join(' or ')}`
  }
  if (precise.some((error) => error.keyword !== 'const')) return messageOf(first)
  return `must be one of ${precise.map((error) => String(error.params.allowedValue)).join(', ')}`
}

function pathOf(error: ErrorObject): string {
  const named: unknown = error.params.missingProperty ?? error.params.additionalProperty
  const pointer = named === undefined ? error.instancePath : `${error.instancePath}/${named}`
  let path = ''
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (/^\d+$/.test(name)) path += `[${name}]`
    else path += path === '' ? name : `.${name}`
  }
  return beginningOf(path, PATH_CHARACTERS_MAX)
}

/** What a value must keep to, by the keyword of the schema, in the words of other messages. */
const LIMITS: Readonly<Record<string, (limit: number) => string>> = {
  minItems: (limit) => `must have at least ${counted(limit, 'item', 'items')}`,
  maxItems: (limit) => `must have at most ${counted(limit, 'item', 'items')}`,
  minProperties: (limit) => `must have at least ${counted(limit, 'property', 'properties')}`,
  maxProperties: (limit) => `must have at most ${counted(limit, 'property', 'properties')}`,
  minLength: (limit) =>
    limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`,
  maxLength: (limit) => `must have at most ${counted(limit, 'character', 'characters')}`,
  minimum: (limit) => `must be at least ${limit}`,
  maximum: (limit) => `must be at most ${limit}`,
}

function messageOf(error: ErrorObject): string {
  if (error.keyword === 'required') return 'is required'
  if (error.keyword === 'additionalProperties') return 'is not a known property'
  if (error.keyword === 'enum')
    return `must be one of ${(error.params.allowedValues as unknown[]).join(', ')}`
  const limit = LIMITS[error.keyword]
  if (limit !== undefined) return limit(error.params.limit)
  if (error.keyword === 'type') return `must be ${typeNamed(error.params.type)}`
  if (error.keyword === 'const') return `must be ${error.params.allowedValue}`
  if (error.keyword === 'pattern') return patternMessage(error)
  if (error.params.format === 'date-time') return 'must be a time such as 2026-01-31T12:00:00Z'
  return error.message ?? 'is not valid'
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
}

/** A JSON type, in the words of other messages. */
function typeNamed(type: unknown): string {
  return TYPES[String(type)] ?? String(type)
}

/** A list of words as a pattern is read as the list; of another pattern, an example is shown. */
function patternMessage({ params, parentSchema }: ErrorObject): string {
  const pattern = String(params.pattern)
  const inOneCase = pattern.replace(/\[([a-z])[A-Z]\]/g, '$1')
  const [, words] = /^\^\((?:\?:)?([\w|]+)\)\$$/.exec(inOneCase) ?? []
  if (words !== undefined) return `must be one of ${words.replaceAll('|', ', ')}`
  const examples: unknown = parentSchema?.examples
  if (!Array.isArray(examples)) return `must match the pattern ${pattern}`
  return `must be of the form of ${examples.join(', ')} (${pattern})`
}
