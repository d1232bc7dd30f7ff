import { ServiceError, serviceError } from '../errors.ts'
import { nearestName } from '../nearest-name.ts'
import { isObject, ownValue } from '../object.ts'
import { plainWord } from '../word.ts'

/** Says more of the first thing that a refused request lacks, where `explain` knows more of its path. */
export function explainMissing(
  cause: unknown,
  explain: (path: string) => string | undefined,
): unknown {
  const [first, ...others] = cause instanceof ServiceError ? (cause.details ?? []) : []
  if (first?.message !== 'is required') return cause
  const message = explain(first.path)
  if (message === undefined) return cause
  return serviceError('VALIDATION_FAILED', `${first.path} ${message}.`, {
    details: [{ ...first, message }, ...others],
  })
}

/**
 * What is said of a required field that a body, or an address, lacks, where it has a name beside it that is the field's in
 * another spelling (`session_id`), or at its top one with a slip in it (`sesionId`) that no field has.
 */
export function misspelt(path: string, body: unknown, schema: unknown): string | undefined {
  const names = path.split(/[.[\]]+/).filter((name) => name !== '')
  const field = names.pop() ?? ''
  const holder = names.reduce<unknown>((held, name) => valueIn(held, name), body)
  if (!isObject(holder)) return undefined
  const others = Object.keys(holder).slice(0, NAMES_MAX)
  const same = others.find((name) => plainWord(name) === plainWord(field))
  const sent = same ?? (names.length === 0 ? slipIn(field, others, schema) : undefined)
  // Refusals repeat nothing of what was sent.
  return sent === undefined
    ? undefined
    : 'is required in this spelling; a name beside it that is nearly this one is not read'
}

/** Names that are looked at: a client may send thousands. */
const NAMES_MAX = 64

function valueIn(held: unknown, name: string): unknown {
  if (Array.isArray(held)) return held[Number(name)]
  return isObject(held) ? ownValue(held, name) : undefined
}

function slipIn(field: string, names: readonly string[], schema: unknown): string | undefined {
  const { properties = {} } = (schema ?? {}) as { properties?: object }
  const unknown = names.filter((name) => !Object.hasOwn(properties, name))
  return nearestName(field, unknown)
}
