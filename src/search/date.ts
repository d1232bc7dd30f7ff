/** Epoch milliseconds from which on the core keeps no date (200 000 years away). */
const EPOCH_MS_END = 6.3e15

const DAY = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`
const HOUR_AND_MINUTE = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`
const SECOND = String.raw`:(?:[0-5]\d|60)(?:[.,]\d+)?`
const ZONE = String.raw`[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?`
const ISO_DATE = new RegExp(`^${DAY}(?:[Tt ]${HOUR_AND_MINUTE}(?:${SECOND})?(?:${ZONE})?)?$`)
const CHARACTERS_MAX = 40

/**
 * Whether a value is a point in time that the core can index: ISO 8601 of a day that the calendar has, or epoch
 * milliseconds. What it takes for one where no mapping says `date` (`native/src/date.rs`) is one where a mapping does.
 */
export function isDate(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) < EPOCH_MS_END
  if (typeof value !== 'string' || value.length > CHARACTERS_MAX) return false
  return ISO_DATE.test(value) && isInCalendar(value)
}

function isInCalendar(date: string): boolean {
  const day = Number(date.slice(8, 10))
  return day <= 28 || day <= daysOf(Number(date.slice(0, 4)), Number(date.slice(5, 7)))
}

/** Days of a month (1–12) in the Gregorian calendar. */
function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

/** Days that the index holds whole, which counts nanoseconds in 64 bits; beyond them dates are kept only. */
export const INDEXED_DAYS = { first: '1677-09-22', last: '2262-04-11' } as const
const INDEXED_MS_MAX = 2 ** 63 / 1e6

/** Whether filters, facets and sorts find a date. */
export function isIndexed(date: unknown): boolean {
  if (typeof date === 'number') return Math.abs(date) < INDEXED_MS_MAX
  if (typeof date !== 'string') return true
  const day = date.slice(0, 10)
  return day >= INDEXED_DAYS.first && day <= INDEXED_DAYS.last
}
