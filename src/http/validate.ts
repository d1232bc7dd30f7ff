import { Ajv, type Options, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { type ErrorDetail, serviceError } from '../errors.ts'
import { explain, isSmall, mistakesOf } from './mistakes.ts'

/** Checks a value against one schema; throws VALIDATION_FAILED naming the first wrong place, and maybe others. */
export type Check = (value: unknown) => void

export interface Validators {
  /** For bodies: types are exact. `whole` is what a refusal calls the value itself; default: body. */
  exact: (schema: TSchema, whole?: string) => Check
  /** As `exact`, for a body that comes alone: its details name further mistakes, too. */
  thorough: (schema: TSchema) => Check
  /**
   * For path and query parameters: texts become the numbers, booleans and lists that the schema asks for, and
   * parameters that it does not name are taken out, so that no handler sees one that nobody checked. A schema with
   * `additionalProperties: true` keeps them, as the texts that they are, for a handler that tells of them. Details name
   * each that is wrong.
   */
  coercing: (schema: TSchema) => Check
}

/** Makes the compilers that turn schemas into checks at start. */
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
  const keep = { ...options, coerceTypes: 'array' } as const
  const coerce = { ...keep, removeAdditional: 'all' } as const
  const exact = compilersOf(options)
  const keeping = compilersOf(keep)
  const coercing = compilersOf(coerce)
  return {
    exact: (schema, name = 'body') => checkWith(exact.first.compile(schema), name),
    thorough: (schema) => checkWith(exact.first.compile(schema), 'body', findAllIn(exact, schema)),
    coercing: (schema) => {
      const { additionalProperties } = schema as { additionalProperties?: unknown }
      const compilers = additionalProperties === true ? keeping : coercing
      const findAll = findAllIn(compilers, schema)
      const check = checkWith(compilers.first.compile(schema), 'parameter', findAll)
      const numbers = numbersOf(schema)
      const optional = nonEmptyOf(schema)
      const single = singleOf(schema)
      const booleans = booleansOf(schema)
      return (value) => {
        const sent = value as Record<string, unknown>
        for (const name of booleans) if (name in sent) sent[name] = booleanText(sent[name])
        const [first, ...others] = [
          ...repeatedOf(single, sent),
          ...unusualOf(numbers, sent),
          ...emptyOf(optional, sent),
        ]
        if (first === undefined) check(value)
        else throw refusal('parameter', mistakesOf([first, ...others], findAll(value)))
      }
    },
  }
}

interface Compilers {
  /** For checks that end at the first mistake. */
  first: Ajv
  /** For checks that find all mistakes; made when the first is met. */
  all: () => Ajv
}

function compilersOf(options: Options): Compilers {
  let all: Ajv | undefined
  return {
    first: compilerOf(options),
    all: () => {
      // Makes an object for each error there is, of however many: only for what is refused already, and small.
      all ??= compilerOf({ ...options, allErrors: true })
      return all
    },
  }
}

function compilerOf(options: Options): Ajv {
  const ajv = new Ajv(options)
  formats.default(ajv)
  return ajv
}

type FindAll = (value: unknown) => FoundErrors
type FoundErrors = NonNullable<ValidateFunction['errors']>

/** Compiled at the first mistake: most routes never see one. */
function findAllIn({ all }: Compilers, schema: TSchema): FindAll {
  return (value) => {
    const validate = all().compile(schema)
    validate(value)
    const errors = validate.errors ?? []
    validate.errors = null
    return errors
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

function unusualOf(
  numbers: readonly [string, Written][],
  sent: Record<string, unknown>,
): ErrorDetail[] {
  return numbers.flatMap(([path, { form, message }]) => {
    const text = sent[path]
    return typeof text !== 'string' || form.test(text) ? [] : [{ path, message }]
  })
}

/** The parameters that are true or false. */
function booleansOf({ properties = {} }: Members): string[] {
  const named = Object.entries(properties as Record<string, { type?: unknown }>)
  return named.flatMap(([name, { type }]) => (type === 'boolean' ? [name] : []))
}

/** True and false as they are read; some languages write them with a capital (`True`). */
export function booleanText(sent: unknown): unknown {
  return typeof sent === 'string' && /^(true|false)$/i.test(sent) ? sent.toLowerCase() : sent
}

/** The parameters that hold one value. */
function singleOf({ properties = {} }: Members): string[] {
  const named = Object.entries(properties as Record<string, { type?: unknown }>)
  const isSingle = (type: unknown) => typeof type === 'string' && type !== 'array'
  return named.flatMap(([name, { type }]) => (isSingle(type) ? [name] : []))
}

function repeatedOf(names: readonly string[], sent: Record<string, unknown>): ErrorDetail[] {
  const message = 'must be sent once'
  return names.filter((name) => Array.isArray(sent[name])).map((path) => ({ path, message }))
}

/** The parameters that may be left out, and are no empty text where they are sent. */
function nonEmptyOf({ properties = {}, required = [] }: Members): string[] {
  const named = Object.entries(properties as Record<string, { minLength?: unknown }>)
  return named.flatMap(([name, { minLength }]) =>
    minLength === 1 && !required.includes(name) ? [name] : [],
  )
}

/** An empty id names nothing: whether nothing or everything is meant, only who asks knows. */
function emptyOf(names: readonly string[], sent: Record<string, unknown>): ErrorDetail[] {
  const message = 'must not be empty: give it a value, or leave it out'
  return names.filter((name) => sent[name] === '').map((path) => ({ path, message }))
}

function checkWith(validate: ValidateFunction, whole: string, findAll?: FindAll): Check {
  return (value) => {
    if (validate(value)) return
    const first = explain(validate.errors ?? [])
    const isAlone = findAll === undefined || !isSmall(value)
    throw refusal(whole, isAlone ? [first] : mistakesOf([first], findAll(value)))
  }
}

/** What refuses a value for these mistakes, the first of them in its sentence. */
function refusal(whole: string, details: ErrorDetail[]): Error {
  const { path, message } = details[0] as ErrorDetail
  const error = path === '' ? `The ${whole} ${message}.` : `${path} ${message}.`
  return serviceError('VALIDATION_FAILED', error, { details })
}
