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
/** What ISO 8601 can say with four digits for the year: later years would be answered as no client reads them. */
const [TIME_MS_MIN, TIME_MS_MAX] = [-62_167_219_200_000, 253_402_300_799_999]

/** Whether answers can tell the moment, as a date and a time. */
export function isTellable(timeMs: number): boolean {
  return timeMs >= TIME_MS_MIN && timeMs <= TIME_MS_MAX
}

/** When something is said to have happened, in a body. Throws VALIDATION_FAILED about `path` when it lies ahead, or is none. */
export function readHappened(moment: string | number, nowMs: number, path: string): number {
  const timeMs = typeof moment === 'number' ? moment : Date.parse(moment)
  if (!isTellable(timeMs)) throw invalid(path, 'must be a moment of the years 0 to 9999')
  if (timeMs > nowMs + AHEAD_MS_MAX)
    throw invalid(path, 'must not lie more than 5 minutes in the future')
  return timeMs
}
