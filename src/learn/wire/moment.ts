import { invalid } from '../../errors.ts'
import { DAY_MS } from './duration.ts'

/** A moment as answers tell it. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+ -]\d\d(?::?\d\d)?)?)?$/i

/**
 * A moment as clients write it in an address: ISO 8601 or epoch milliseconds; without a zone it is UTC. A day alone
 * is its first millisecond, or with `end` its last. Throws VALIDATION_FAILED about `path`.
 */
export function readMoment(text: string, path: string, end = false): number {
  if (/^\d{1,15}$/.test(text) && text.length !== 4) return Number(text)
  const [, day, time, zone = 'Z'] = ISO.exec(text) ?? []
  // A plus that was not escaped arrives as a space.
  const ms = Date.parse(`${day}T${time ?? '00:00'}${zone.replace(' ', '+')}`)
  // A day that its month does not have is counted on into the next one.
  if (Number.isNaN(ms) || Number(day?.slice(8)) !== new Date(`${day}T00:00Z`).getUTCDate())
    throw invalid(path, 'must be an ISO 8601 time or epoch milliseconds')
  return end && time === undefined ? ms + DAY_MS - 1 : ms
}

/** How far a client's clock may be ahead of ours. */
const AHEAD_MS_MAX = 5 * 60_000
/** The greatest time that ECMAScript can name. */
const TIME_MS_MAX = 8.64e15

/** When something is said to have happened, in a body. Throws VALIDATION_FAILED about `path` when it lies ahead, or is none. */
export function readHappened(moment: string | number, nowMs: number, path: string): number {
  const timeMs = typeof moment === 'number' ? moment : Date.parse(moment)
  if (!(Math.abs(timeMs) <= TIME_MS_MAX)) throw invalid(path, 'must be a moment')
  if (timeMs > nowMs + AHEAD_MS_MAX)
    throw invalid(path, 'must not lie more than 5 minutes in the future')
  return timeMs
}
