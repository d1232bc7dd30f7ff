import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { serviceError } from '../errors.ts'

const PATH_CHARACTERS_MAX = 128

/** Checks a value against one schema; throws VALIDATION_FAILED naming the first wrong place. */
export type Check = (value: unknown) => void

export interface Validators {
  /** For bodies: types are exact. */
  exact: (schema: TSchema) => Check
  /**
   * For path and query parameters: texts become the numbers, booleans and lists that the schema asks for, and
   * parameters that it does not name are taken out, so that no handler sees one that nobody checked.
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
    validateFormats: true,
    ownProperties: true,
  }
  const exact = new Ajv(options)
  const coercing = new Ajv({ ...options, coerceTypes: 'array', removeAdditional: 'all' })
  formats.default(exact)
  formats.default(coercing)
  return {
    exact: (schema) => checkWith(exact.compile(schema), 'body'),
    coercing: (schema) => checkWith(coercing.compile(schema), 'parameter'),
  }
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
  if (last.keyword !== 'anyOf') return { path: pathOf(last), message: messageOf(last) }
  const deeper = errors.filter((error) => pathOf(error).length > pathOf(last).length)
  const deepest = deeper.at(-1)
  if (deepest !== undefined) return { path: pathOf(deepest), message: messageOf(deepest) }
  const others = errors.filter((error) => error.keyword !== 'anyOf')
  const precise = others.find((error) => error.keyword !== 'type')
  if (precise !== undefined) return { path: pathOf(precise), message: messageOf(precise) }
  const types = others.map((error) => String(error.params.type))
  return { path: pathOf(last), message: `must be ${[...new Set(types)].join(' or ')}` }
}

function pathOf(error: ErrorObject): string {
  const named: unknown =
    error.params.missingProperty ?? error.params.additionalProperty ?? error.params.propertyName
  const pointer = named === undefined ? error.instancePath : `${error.instancePath}/${named}`
  let path = ''
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (/^\d+$/.test(name)) path += `[${name}]`
    else path += path === '' ? name : `.${name}`
  }
  return path.slice(0, PATH_CHARACTERS_MAX)
}

function messageOf(error: ErrorObject): string {
  if (error.keyword === 'required') return 'is required'
  if (error.keyword === 'additionalProperties') return 'is not a known property'
  if (error.keyword === 'enum')
    return `must be one of ${(error.params.allowedValues as unknown[]).join(', ')}`
  if (error.keyword === 'minItems') return `must have at least ${error.params.limit} items`
  if (error.keyword === 'minProperties')
    return `must have at least ${error.params.limit} properties`
  if (error.keyword === 'pattern') {
    // A list of words as a pattern is read as the list.
    const [, words] = /^\^\((?:\?:)?([\w|]+)\)\$$/.exec(String(error.params.pattern)) ?? []
    if (words !== undefined) return `must be one of ${words.replaceAll('|', ', ')}`
  }
  return error.message ?? 'is not valid'
}
