import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { type ErrorDetail, invalid, serviceError } from '../errors.ts'
import { explain, isSmall, mistakesOf } from './mistakes.ts'

/** Checks a value against one schema; throws VALIDATION_FAILED naming the first wrong place, and maybe others. */
export type Check = (value: unknown) => void

export interface Validators {
  /** For bodies: types are exact. `whole` is what a refusal calls the value itself; default: body. */
  exact: (schema: TSchema, whole?: string) => Check
  /** The same for a body that comes alone: its details name further mistakes, too. */
  thorough: (schema: TSchema) => Check
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
  // Makes an object for each error there is, of however many: only for what is refused already, and small.
  const whole = new Ajv({ ...options, allErrors: true })
  formats.default(exact)
  formats.default(whole)
  formats.default(keeping)
  formats.default(coercing)
  return {
    exact: (schema, name = 'body') => checkWith(exact.compile(schema), name),
    // Compiled at the first mistake: most routes never see one.
    thorough: (schema) => checkWith(exact.compile(schema), 'body', () => whole.compile(schema)),
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

function checkWith(
  validate: ValidateFunction,
  whole: string,
  findAll?: () => ValidateFunction,
): Check {
  return (value) => {
    if (validate(value)) return
    const first = explain(validate.errors ?? [])
    const { path, message } = first
    const error = path === '' ? `The ${whole} ${message}.` : `${path} ${message}.`
    throw serviceError('VALIDATION_FAILED', error, { details: [first, ...others(first, value)] })
  }

  function others(first: ErrorDetail, value: unknown): ErrorDetail[] {
    if (findAll === undefined || !isSmall(value)) return []
    const all = findAll()
    all(value)
    const errors = all.errors ?? []
    all.errors = null
    return mistakesOf(first, errors).slice(1)
  }
}
