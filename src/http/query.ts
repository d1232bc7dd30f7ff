import { serviceError } from '../errors.ts'

/**
 * Decodes a query string: a repeated name becomes a list, `+` is a space.
 * Throws VALIDATION_FAILED for a broken percent escape.
 */
export function parseQuery(query: string): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = Object.create(null)
  if (query === '') return values
  for (const part of query.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decodeText(equals < 0 ? part : part.slice(0, equals), 'the query string')
    const value = equals < 0 ? '' : decodeText(part.slice(equals + 1), 'the query string')
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
    const text = sent[at] ?? ''
    values[name] = text.includes('%') ? decodePercent(text, name) : text
  }
  return values
}

function decodeText(text: string, where: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  return spaced.includes('%') ? decodePercent(spaced, where) : spaced
}

function decodePercent(text: string, where: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw serviceError('VALIDATION_FAILED', `A percent escape in ${where} is broken.`, {
      details: [{ path: where, message: 'is not percent-encoded UTF-8' }],
    })
  }
}
