import { wordOf } from '../../word.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** The hour of a moment, counted from the epoch: what happens is counted by it. */
export function hourOf(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS)
}

/** The day (UTC) of a moment, counted from the epoch. */
export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS)
}

const UNITS: readonly (readonly [unitMs: number, words: string])[] = [
  [1, 'ms msec msecs millisecond milliseconds'],
  [1000, 's sec secs second seconds'],
  [60_000, 'm min mins minute minutes'],
  [HOUR_MS, 'h hr hrs hour hours'],
  [DAY_MS, 'd day days'],
]
const UNITS_MS = new Map(
  UNITS.flatMap(([unitMs, words]) => words.split(' ').map((word) => [word, unitMs] as const)),
)

/** ISO 8601, but for years and months, which are no fixed time. */
const AMOUNT = String.raw`(\d+(?:[.,]\d+)?)`
const ISO_DURATION = new RegExp(
  String.raw`^\s*P(?=\d|T\d)(?:${AMOUNT}W)?(?:${AMOUNT}D)?(?:T(?=\d)(?:${AMOUNT}H)?(?:${AMOUNT}M)?(?:${AMOUNT}S)?)?\s*$`,
  'i',
)
const ISO_UNITS_MS = [7 * DAY_MS, DAY_MS, HOUR_MS, 60_000, 1000]

/**
 * A length of time as clients send it, in milliseconds: a number of them, a text with a unit like 500ms, 30s, 15m, 1.5h,
 * 7d, 5 minutes, or one of ISO 8601 like PT5M, P1DT12H, P2W, in any case. Undefined for anything else, and for what is
 * negative. A text without a unit, which any number in an address is, is milliseconds from a second on: whoever writes `7`
 * means days, or hours. Always a whole number, for answers tell it as one; what is not 0 is at least 1.
 */
export function durationOf(sent: unknown): number | undefined {
  const durationMs = typeof sent === 'number' ? sent : readDuration(wordOf(sent))
  if (!(durationMs >= 0 && Number.isFinite(durationMs))) return undefined
  return Math.max(Math.round(durationMs), Math.sign(durationMs))
}

/** Numbers below may be meant in seconds, in hours or in days. */
const DOUBTFUL_MS_MAX = 1000

/** What is said of a number that was sent for a time which lies at `path`, where milliseconds are most likely not meant. */
export function durationWarnings(sent: unknown, path: string): string[] {
  if (typeof sent !== 'number' || sent <= 0 || sent >= DOUBTFUL_MS_MAX) return []
  return [`${path}: a number is milliseconds; a text has its unit, like "30s", "15m", "1h".`]
}

function readDuration(text: string): number {
  const iso = ISO_DURATION.exec(text)
  if (iso !== null)
    return ISO_UNITS_MS.reduce(
      (sum, unitMs, at) => sum + unitMs * Number((iso[at + 1] ?? '0').replace(',', '.')),
      0,
    )
  // Trimmed before: two rows of blanks in a pattern take the square of a text's length to try.
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]+)?$/i.exec(text.trim()) ?? []
  if (unit === undefined) return Number(amount) < DOUBTFUL_MS_MAX ? Number.NaN : Number(amount)
  return Number(amount) * (UNITS_MS.get(unit.toLowerCase()) ?? Number.NaN)
}
