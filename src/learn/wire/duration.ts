import { wordOf } from '../../word.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

const UNITS_MS = new Map(Object.entries({ ms: 1, s: 1000, m: 60_000, h: HOUR_MS, d: DAY_MS }))

/**
 * A length of time as clients send it, in milliseconds: a number of them, or a text with a unit like 500ms, 30s, 15m,
 * 1.5h, 7d, in any case. Undefined for anything else, and for what is negative.
 */
export function durationOf(sent: unknown): number | undefined {
  const durationMs = typeof sent === 'number' ? sent : readDuration(wordOf(sent))
  return durationMs >= 0 && Number.isFinite(durationMs) ? durationMs : undefined
}

function readDuration(text: string): number {
  const [, amount, unit = 'ms'] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)?\s*$/i.exec(text) ?? []
  return Number(amount) * (UNITS_MS.get(unit.toLowerCase()) ?? Number.NaN)
}
