import { type ServiceError, serviceError } from '../errors.ts'

/**
 * Decodes a query string: a repeated name becomes a list, `+` is a space.
 * Throws VALIDATION_FAILED for a broken percent escape, and for bytes that are not UTF-8.
 */
export function parseQuery(query: string): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = Object.create(null)
  if (query === '') return values
  for (const part of query.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decodeSpaced(equals < 0 ? part : part.slice(0, equals))
    const value = equals < 0 ? '' : decodeSpaced(part.slice(equals + 1))
    const earlier = values[name]
    if (earlier === undefined) values[name] = value
    else if (typeof earlier === 'string') values[name] = [earlier, value]
    else earlier.push(value)
  }
  return values
}

/** Decodes path parameters in the order of `names`. */
export function parseParameters(
  names: readonly string[],
  sent: readonly string[],
): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [at, name] of names.entries()) {
    values[name] = decodeText(sent[at] ?? '', name)
  }
  return values
}

function decodeSpaced(text: string): string {
  return decodeText(text.includes('+') ? text.replaceAll('+', ' ') : text, 'the query string')
}

/** What the library has in place of bytes that are not UTF-8: with it, two ids would be one. */
const UNREADABLE = '\uFFFD'

function decodeText(text: string, where: string): string {
  if (text.includes(UNREADABLE))
    throw notUtf8(`Bytes in ${where} are not UTF-8, or not percent-encoded.`, where)
  return text.includes('%') ? decodePercent(text, where) : text
}

function decodePercent(text: string, where: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw notUtf8(`A percent escape in ${where} is broken.`, where)
  }
}

function notUtf8(message: string, path: string): ServiceError {
  const details = [{ path, message: 'is not percent-encoded UTF-8' }]
  return serviceError('VALIDATION_FAILED', message, { details })
}
