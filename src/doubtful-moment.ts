/** As epoch milliseconds, a moment of the first months of 1970. */
const [FROM, TO] = [1000, 1e10]

/** What is said of such a number. */
export const DOUBTFUL_MOMENT =
  'a number is epoch milliseconds, and this one is a moment of 1970; send the date as text, or seconds times 1000'

/**
 * Whether a number that is read as epoch milliseconds, as itself or in a text, is most likely something else: a year, a day
 * as one number, or seconds.
 */
export function isDoubtfulMoment(value: unknown): boolean {
  const number = typeof value === 'string' && /^\d{4,10}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && number >= FROM && number < TO
}

/** What is said of a number that was sent for a moment which lies at `path`, where seconds, say, are most likely meant. */
export function momentWarnings(sent: unknown, path: string): string[] {
  return isDoubtfulMoment(sent) ? [`${path}: ${DOUBTFUL_MOMENT}.`] : []
}
