/** Epoch milliseconds from which on the core keeps no date (200 000 years away). */
const EPOCH_MS_END = 6.3e15
/** Years that texts may have, of which each moment in any zone is nearer. */
const YEARS = { first: -197_667, last: 201_607 }

/** Before 0 and after 9999 a year has a sign and six digits. */
const YEAR = String.raw`\d{4}|[+-]\d{6}`
const DAY = String.raw`(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`
const HOUR_AND_MINUTE = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`
const SECOND = String.raw`:(?:[0-5]\d|60)(?:[.,]\d+)?`
const ZONE = String.raw`[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?`
const ISO_DATE = new RegExp(
  `^(?:${YEAR})-${DAY}(?:[Tt ]${HOUR_AND_MINUTE}(?:${SECOND})?(?:${ZONE})?)?$`,
)
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
  const isSigned = date.startsWith('-') || date.startsWith('+')
  const end = isSigned ? 7 : 4
  const day = Number(date.slice(end + 4, end + 6))
  if (isSigned && !isYear(date.slice(0, end))) return false
  return (
    day <= 28 || day <= daysOf(Number(date.slice(0, end)), Number(date.slice(end + 1, end + 3)))
  )
}

/** ISO 8601 has no year -000000. */
function isYear(signed: string): boolean {
  const year = Number(signed)
  return year >= YEARS.first && year <= YEARS.last && signed !== '-000000'
}

/** Days of a month (1–12) in the Gregorian calendar. */
function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}
