import type { Table } from '../../store/table.ts'
import { hourOf } from '../wire/duration.ts'
import { type Asker, SEVERAL } from './askers.ts'
import {
  countIn,
  emptyPeriod,
  forgetAskersIn,
  forgetIn,
  joinDay,
  type Key,
  type OpenPeriod,
  openPeriod,
  periodsIn,
  rangeOf,
} from './period-rows.ts'
import { dayOfHour, type Level, oldestKept, periodOf } from './periods.ts'
import { newestHourName, openSums, type TopRowsOptions, type WindowSums } from './window-sums.ts'

/** Counts by name and period; of each period the names that count most are kept. */
export interface TopRows<Row> extends WindowSums<Row> {
  /**
   * What happens now happens at this time, by which hours are over: to be told before it is counted. Hours far ahead of it
   * were counted while the clock was ahead.
   */
  pass: (timeMs: number) => void
  /** Changes the rows of a name in which a moment counts, each in the same way; `change` is handed `of`. */
  count: <Of>(timeMs: number, name: string, change: (row: Row, of: Of) => void, of: Of) => void
  /** Forgets what is in memory; the table is read again. */
  load: () => void
  /** Inside a transaction. */
  save: () => void
  /** Inside a transaction: no counts at all. */
  reset: () => void
  /** Removes the rows of a name in which nothing counts but what was counted at these times; yields at each period. */
  forget: (name: string, timesMs: readonly number[]) => Iterable<unknown>
  /** Removes the rows that one of these alone asked for; yields at each period. */
  forgetAskers: (askers: ReadonlySet<Asker>) => Iterable<unknown>
  /** Removes some rows of periods that were over before a moment, also of an hour that is in no day yet; returns how many. */
  sweep: (beforeMs: number) => Promise<number>
}

/** Periods held in memory between two writes. */
const OPEN_PERIODS_MAX = 8
/**
 * An hour that is ahead by more was counted while the clock was: what comes then is not late. The newest is then the next
 * one whose rows are in no day; until it comes, what is counted goes into its hour and its day.
 */
const AHEAD_HOURS_MAX = 24

/** The newest hour is counted by itself, and joins its day when it is over; what comes late counts in both. */
export function openTopRows<Row, Written>(options: TopRowsOptions<Row, Written>): TopRows<Row> {
  const { table, meta } = options
  const open = new Map<number, OpenPeriod<Row>>()
  /** The hour that is in no day yet. */
  let newest: number | undefined
  /** The rows of the newest hour, when they are open. */
  let hour: OpenPeriod<Row> | undefined
  let isMarked = true
  /** The newest hour when all that was too old had been removed. */
  let cleared: number | undefined
  /** An hour far behind the newest, with something in each that is between them. */
  let busy: number | undefined

  const opened = (level: Level, period: number) => openIn(open, level, period, options)
  // An hour in which something was counted before is in its day: the clock was set back since.
  function begin(period: number): number {
    if (newest !== undefined) joinDay(opened(24, dayOfHour(newest)), opened(1, newest), options)
    newest = firstFree(period, (each) => opened(1, each))
    isMarked = false
    busy = undefined
    hour = opened(1, newest)
    return newest
  }
  function load(): void {
    open.clear()
    ;[hour, cleared] = [undefined, undefined]
    const known = meta.get(newestHourName(options))
    newest = known ?? afterLast(table)
    isMarked = newest === known
  }
  load()
  return {
    pass: (timeMs) => {
      const period = hourOf(timeMs)
      if (newest === undefined || period > newest) begin(period)
      else if (period < newest - AHEAD_HOURS_MAX && period !== busy) {
        if (firstFree(period + 1, (each) => opened(1, each)) < newest) begin(period + 1)
        else busy = period
      }
    },
    count: (timeMs, name, change, of) => {
      const period = hourOf(timeMs)
      const last = newest ?? begin(period)
      if (period === last) {
        hour ??= opened(1, period)
        countIn(hour, name, change, of, options)
      } else {
        if (period >= oldestKept(1, last)) countIn(opened(1, period), name, change, of, options)
        const day = dayOfHour(period)
        if (day >= oldestKept(24, last)) countIn(opened(24, day), name, change, of, options)
      }
    },
    ...openSums(options),
    load,
    save: () => {
      let written = 0
      for (const period of open.values()) written += writePeriod(period, options)
      if (!isMarked) meta.put(newestHourName(options), newest)
      isMarked = true
      if (written > 0 && newest !== cleared && removeOld(table, newest) === 0) cleared = newest
      if (open.size <= OPEN_PERIODS_MAX) return
      open.clear()
      hour = undefined
    },
    *forget(name, timesMs) {
      const hours = timesMs.map(hourOf)
      const days = hours.filter((each) => each !== newest).map(dayOfHour)
      yield* forgetIn((period) => opened(1, period), hours, name, options)
      yield* forgetIn((period) => opened(24, period), days, name, options)
    },
    forgetAskers: (askers) => forgetAskers(askers, opened, options),
    sweep: (beforeMs) => sweep(beforeMs, open.values(), options),
    reset: () => {
      table.clear()
      meta.remove(newestHourName(options))
      load()
    },
  }
}

/** The first hour from one on in which nothing is counted. */
function firstFree<Row>(from: number, opened: (hour: number) => OpenPeriod<Row>): number {
  let free = from
  while (opened(free).rows.size > 0) free += 1
  return free
}

function openIn<Row, Written>(
  open: Map<number, OpenPeriod<Row>>,
  level: Level,
  period: number,
  options: TopRowsOptions<Row, Written>,
): OpenPeriod<Row> {
  const place = period * 2 + (level === 1 ? 0 : 1)
  const found = open.get(place)
  if (found !== undefined) return found
  const begun = openPeriod(level, period, readPeriod(level, period, options))
  open.set(place, begun)
  return begun
}

/** Opens a period only where something goes: what is open stays in memory until it is saved. */
function* forgetAskers<Row, Written>(
  askers: ReadonlySet<Asker>,
  opened: (level: Level, period: number) => OpenPeriod<Row>,
  options: TopRowsOptions<Row, Written>,
): Iterable<unknown> {
  const { table, askerOf } = options
  for (const [level, period] of periodsIn(table)) {
    yield
    const rows = readPeriod(level, period, options)
    if (rows.some(([, row]) => askers.has(askerOf?.(row) ?? SEVERAL)))
      forgetAskersIn(opened(level, period), askers, options)
  }
}

function readPeriod<Row, Written>(
  level: Level,
  period: number,
  { table, unpack }: TopRowsOptions<Row, Written>,
): [string, Row][] {
  const rows = table.range(rangeOf(level, period, period))
  return Array.from(rows, ({ key, value }) => [key[2], unpack(value)])
}

/** Days that were written without a mark hold their newest hour, too: the hour after it is the first one apart. */
function afterLast<Written>(table: Table<Key, Written>): number | undefined {
  const { start, end } = rangeOf(1, 0, Number.MAX_SAFE_INTEGER - 1)
  const [last] = table.keys({ start: end, end: start, reverse: true, limit: 1 })
  return last === undefined ? undefined : last[1] + 1
}

/** Returns how many rows it wrote or removed. */
function writePeriod<Row, Written>(
  opened: OpenPeriod<Row>,
  { table, pack }: TopRowsOptions<Row, Written>,
): number {
  const { level, period, changed, removed } = opened
  // First, as a name that went may have come again.
  for (const name of removed) table.remove([level, period, name])
  let written = removed.length
  for (const kept of changed) {
    // Removed since it was changed.
    if (!kept.isChanged) continue
    table.put([level, period, kept.name], pack(kept.row))
    kept.isChanged = false
    kept.isWritten = true
    written += 1
  }
  opened.changed = []
  opened.removed = []
  return written
}

/** Those that are open go with their rows, whether these are written or not. */
async function sweep<Row, Written>(
  beforeMs: number,
  open: Iterable<OpenPeriod<Row>>,
  { table, release }: TopRowsOptions<Row, Written>,
): Promise<number> {
  for (const period of open)
    if (period.period < periodOf(period.level, beforeMs)) emptyPeriod(period)
  const due = keysBefore(table, (level) => periodOf(level, beforeMs))
  return due.length === 0 ? 0 : release(() => table.removeAll(due))
}

/** Removes a slice of what lies before the oldest periods that are kept; returns how much. */
function removeOld<Written>(table: Table<Key, Written>, newest = 0): number {
  return table.removeAll(keysBefore(table, (level) => oldestKept(level, newest)))
}

/** Keys of some rows that lie before the first periods that are kept. */
function keysBefore<Written>(
  table: Table<Key, Written>,
  firstKept: (level: Level) => number,
): Key[] {
  return ([1, 24] as const).flatMap((level) => [
    ...table.keys({ ...rangeOf(level, 0, firstKept(level) - 1), limit: REMOVED_ROWS }),
  ])
}

/** Rows of a level that go at a time. */
const REMOVED_ROWS = 200
