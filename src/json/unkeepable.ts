import { invalid } from '../errors.ts'

/**
 * Members of a body whose texts are content and may hold half a surrogate pair, such as a cut-off emoji leaves
 * behind: it is stored as U+FFFD. `all`: the whole body.
 */
export type Content = 'all' | readonly string[]

/** To assign a member of this name sets an object's prototype instead, here and in most clients that copy objects. */
const FORBIDDEN_KEY = '__proto__'
/** Longest place that a refusal names. */
const PATH_CHARACTERS_MAX = 256
const HALF_PAIR = /\p{Surrogate}/u

/** Cheap signs that names or texts in JSON may be refused below: walking every value costs as much as parsing it. */
export function mayBeUnkeepable(json: string): boolean {
  return json.includes('\\u') || json.includes(FORBIDDEN_KEY)
}

/**
 * Throws VALIDATION_FAILED naming the place of what JSON can say and the service can't keep: the key that sets an
 * object's prototype, a number out of range (or a whole one that would become another), and outside of content a text
 * that is no UTF-8, which would come back as another one.
 */
export function refuseUnkeepable(body: unknown, content: Content = []): void {
  if (content === 'all') {
    refuse(body, '', true)
    return
  }
  if (content.length === 0 || typeof body !== 'object' || body === null || Array.isArray(body)) {
    refuse(body, '', false)
    return
  }
  for (const [key, value] of Object.entries(body)) {
    refuseKey(key, key, false)
    refuse(value, key, content.includes(key))
  }
}

/** Whether something in a part of a body is refused, or would be where it is no content. */
export function mayHoldUnkeepable(part: unknown): boolean {
  return mayBeRefused(part, true, false)
}

function refuse(value: unknown, path: string, isContent: boolean): void {
  // The place of each value is made only where one of them is refused: it takes longer than the look.
  if (mayBeRefused(value, path !== '', isContent)) refuseWithPlace(value, path, isContent)
}

/** Whether something in it is refused; a text or a number that is the whole body is not looked at. */
function mayBeRefused(value: unknown, isInside: boolean, isContent: boolean): boolean {
  if (typeof value === 'string') return isInside && !isContent && HALF_PAIR.test(value)
  if (typeof value === 'number') return isInside && !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((item) => mayBeRefused(item, true, isContent))
  return Object.entries(value).some(
    ([key, item]) =>
      key === FORBIDDEN_KEY ||
      (!isContent && HALF_PAIR.test(key)) ||
      // A name may be empty, and the place behind it with it.
      mayBeRefused(item, true, isContent),
  )
}

function refuseWithPlace(value: unknown, path: string, isContent: boolean): void {
  if (typeof value === 'string') {
    // A body that is nothing but a text has the wrong shape anyway.
    if (!isContent && path !== '' && HALF_PAIR.test(value))
      throw invalid(named(path, path), `${HALF_PAIR_REFUSED}; send whole characters`)
    return
  }
  if (typeof value === 'number' && path !== '' && !Number.isFinite(value))
    throw invalid(named(path, path), NUMBER_REFUSED)
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    value.forEach((item, at) => {
      refuseWithPlace(item, `${path}[${at}]`, isContent)
    })
    return
  }
  for (const [key, item] of Object.entries(value)) {
    const inside = path === '' ? key : `${path}.${key}`
    refuseKey(key, inside, isContent)
    refuseWithPlace(item, inside, isContent)
  }
}

const NUMBER_REFUSED = `is a number out of range: whole numbers are kept up to 2^53 - 1 (${Number.MAX_SAFE_INTEGER}), others up to ${Number.MAX_VALUE}; send a longer one as a text`
const HALF_PAIR_REFUSED = "holds half a surrogate pair, which UTF-8 can't say"

function refuseKey(key: string, path: string, isContent: boolean): void {
  if (key === FORBIDDEN_KEY)
    throw invalid(
      named(path, key),
      'is refused: JavaScript objects use this name for themselves; choose another',
    )
  if (!isContent && HALF_PAIR.test(key))
    throw invalid(named(path, key), `is a name that ${HALF_PAIR_REFUSED}; choose another`)
}

/** A place as a refusal can show it; of a long one, only its end. */
function named(path: string, end: string): string {
  const shown = path.length > PATH_CHARACTERS_MAX ? end.slice(-PATH_CHARACTERS_MAX) : path
  return shown.replace(/\p{Surrogate}/gu, '\ufffd')
}
