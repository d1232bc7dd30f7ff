import { invalid } from '../../errors.ts'
import { DAY_MS } from './duration.ts'

/** A moment as answers tell it. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:(Z)|([+ -]\d\d)(?::?(\d\d))?)?)?$/i

/**
 * A moment as clients write it: ISO 8601 or epoch milliseconds; without a zone it is UTC. A day alone is its first
 * millisecond where something `begins` with it, its last where something `ends`. Throws VALIDATION_FAILED about `path`.
 */
export function readMoment(text: string, path: string, what: 'begins' | 'ends' = 'begins'): number {
  if (/^-?\d{1,15}$/.test(text) && !/^\d{4}$/.test(text)) return Number(text)
  const [, day, time, , hours, minutes = '00'] = ISO.exec(text) ?? []
  // A plus that was not escaped in an address arrives as a space.
  const zone = hours === undefined ? 'Z' : `${hours.replace(' ', '+')}:${minutes}`
  const ms = Date.parse(`${day}T${time ?? '00:00'}${zone}`)
  // A day that its month does not have is counted on into the next one.
  if (Number.isNaN(ms) || Number(day?.slice(8)) !== new Date(`${day}T00:00Z`).getUTCDate())
    throw invalid(
      path,
      'must be an ISO 8601 time, such as 2026-01-31T12:00:00Z, or epoch milliseconds',
    )
  return what === 'ends' && time === undefined ? ms + DAY_MS - 1 : ms
}

/** Whether a text says a time of a day, and not where. */
function lacksZone(text: string): boolean {
  const [, , time, utc, hours] = ISO.exec(text) ?? []
  return time !== undefined && utc === undefined && hours === undefined
}

/** How far a client's clock may be ahead of ours, or ours of what it was. */
const AHEAD_MS_MAX = 5 * 60_000
/** What ISO 8601 can say with four digits for the year: later years would be answered as no client reads them. */
const [TIME_MS_MIN, TIME_MS_MAX] = [-62_167_219_200_000, 253_402_300_799_999]

/** Whether answers can tell the moment, as a date and a time. */
export function isTellable(timeMs: number): boolean {
  return timeMs >= TIME_MS_MIN && timeMs <= TIME_MS_MAX
}

/** No clock that shows less is right, as after a start without a battery: it is about to be set. */
const RIGHT_MS_MIN = Date.UTC(2026, 0)

/** Whether a moment that was noted here lies ahead, as by a clock that has been set back since: nothing may wait for it. */
export function isAhead(timeMs: number, nowMs: number): boolean {
  return nowMs >= RIGHT_MS_MIN && timeMs > nowMs + AHEAD_MS_MAX
}

/** When something is said to have happened, in a body. Throws VALIDATION_FAILED about `path` when it lies ahead, or is none. */
export function readHappened(moment: string | number, nowMs: number, path: string): number {
  const timeMs = typeof moment === 'number' ? moment : readMoment(moment, path)
  if (!isTellable(timeMs)) throw invalid(path, 'must be a moment of the years 0 to 9999')
  if (timeMs > nowMs + AHEAD_MS_MAX) {
    const isLocal = typeof moment === 'string' && lacksZone(moment)
    const hint = isLocal ? ': without a zone, such as +02:00, it is a time in UTC' : ''
    throw invalid(path, `must not lie more than 5 minutes in the future${hint}`)
  }
  return timeMs
}
