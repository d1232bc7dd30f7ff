import { invalid } from '../../errors.ts'
import { HOUR_MS } from '../wire/duration.ts'

/** Hours in one period: counts are kept by the hour for two days, and by the day for a month. */
export type Level = 1 | 24

const KEPT: Record<Level, number> = { 1: 49, 24: 32 }
const WINDOWS: Record<string, { hours: number; level: Level }> = {
  '1h': { hours: 1, level: 1 },
  '24h': { hours: 24, level: 1 },
  '7d': { hours: 7 * 24, level: 24 },
  '30d': { hours: 30 * 24, level: 24 },
}

/** Whole periods that cover a window, both ends among them. */
export interface Window {
  name: string
  level: Level
  first: number
  last: number
}

/** The periods of a window, whatever its name. */
export type Span = Pick<Window, 'level' | 'first' | 'last'>

/** Today and yesterday. */
export function recentDays(nowMs: number): Span {
  const today = periodOf(24, nowMs)
  return { level: 24, first: today - 1, last: today }
}

/** The period that a moment lies in. */
export function periodOf(level: Level, timeMs: number): number {
  return Math.floor(timeMs / (level * HOUR_MS))
}

export function dayOfHour(hour: number): number {
  return Math.floor(hour / 24)
}

/** The oldest period that is kept beside an hour. */
export function oldestKept(level: Level, hour: number): number {
  return Math.floor(hour / level) - KEPT[level] + 1
}

/** 1h, 24h, 7d or 30d back from now. Throws VALIDATION_FAILED for any other word, which was sent as `path`. */
export function readWindow(name: string, nowMs: number, path = 'window'): Window {
  const word = name.toLowerCase()
  const window = Object.hasOwn(WINDOWS, word) ? WINDOWS[word] : undefined
  if (window === undefined) throw invalid(path, `must be one of ${Object.keys(WINDOWS).join(', ')}`)
  const { hours, level } = window
  return {
    name: word,
    level,
    first: periodOf(level, nowMs - hours * HOUR_MS),
    last: periodOf(level, nowMs),
  }
}
