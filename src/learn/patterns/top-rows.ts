import type { Table } from '../../store/table.ts'
import { LEVELS, type Level, oldestKept, periodOf, type Span } from './periods.ts'

type Key = [level: number, period: number, name: string]

/** Counts by name and period; of each period the names that count most are kept. */
export interface TopRows<Row> {
  /** Changes the rows of a name in the hour and the day of a moment. */
  count: (timeMs: number, name: string, change: (row: Row) => void) => void
  /** Sums over the periods of a window, by name; what is not written yet is not in them. */
  sum: (window: Span) => Map<string, Row>
  /** The same for one name. */
  sumOf: (name: string, window: Span) => Row | undefined
  /** Forgets what is in memory; the table is read again. */
  load: () => void
  /** Inside a transaction. */
  save: () => void
  /** Inside a transaction: no counts at all. */
  reset: () => void
}

export interface TopRowsOptions<Row, Written> {
  table: Table<Key, Written>
  /** A row as the table holds it. */
  pack: (row: Row) => Written
  unpack: (written: Written) => Row
  /** Names that one hour keeps; a day keeps twice as many. */
  hourRowsMax: number
  fresh: () => Row
  /** How much a row counts: when a period is full, those with least go. */
  weight: (row: Row) => number
  /** Adds the second to the first. */
  add: (sum: Row, row: Row) => void
}

/** A period may hold so many times its names until the least ones go, many at once. */
const SPARE = 1.25
/** Periods held in memory between two writes. */
const OPEN_PERIODS_MAX = 8

/** One period in memory, and the names in it that are to be written. */
interface OpenPeriod<Row> {
  level: Level
  period: number
  rows: Map<string, Row>
  changed: Set<string>
}

export function openTopRows<Row, Written>(options: TopRowsOptions<Row, Written>): TopRows<Row> {
  const { table, pack, unpack } = options
  const open = new Map<number, OpenPeriod<Row>>()
  let newestMs = 0
  /** The oldest periods that were kept when everything before them had been removed. */
  let cleared = ''

  function opened(level: Level, period: number): OpenPeriod<Row> {
    const place = period * LEVELS.length + LEVELS.indexOf(level)
    let found = open.get(place)
    if (found === undefined) {
      const read = table.range(rangeOf(level, period, period))
      const rows = new Map(Array.from(read, ({ key, value }) => [key[2], unpack(value)]))
      found = { level, period, rows, changed: new Set() }
      open.set(place, found)
    }
    return found
  }
  /** What lies before the oldest period that is kept goes a slice at a time. */
  function removeOld(): void {
    const oldest = LEVELS.map((level) => oldestKept(level, newestMs)).join(' ')
    if (oldest === cleared) return
    let removed = 0
    for (const level of LEVELS) {
      const range = { ...rangeOf(level, 0, oldestKept(level, newestMs) - 1), limit: REMOVED_ROWS }
      for (const key of [...table.keys(range)]) {
        table.remove(key)
        removed += 1
      }
    }
    if (removed === 0) cleared = oldest
  }
  return {
    count: (timeMs, name, change) => {
      newestMs = Math.max(newestMs, timeMs)
      for (const level of LEVELS) {
        const period = periodOf(level, timeMs)
        if (period >= oldestKept(level, newestMs))
          countIn(opened(level, period), name, change, options)
      }
    },
    ...readTopRows(options),
    load: () => {
      open.clear()
      cleared = ''
    },
    save: () => {
      let written = 0
      for (const { level, period, rows, changed } of open.values()) {
        for (const name of changed) {
          const row = rows.get(name)
          if (row === undefined) table.remove([level, period, name])
          else table.put([level, period, name], pack(row))
        }
        written += changed.size
        changed.clear()
      }
      if (written > 0) removeOld()
      if (open.size > OPEN_PERIODS_MAX) open.clear()
    },
    reset: () => {
      for (const key of [...table.keys()]) table.remove(key)
      open.clear()
      cleared = ''
    },
  }
}

function countIn<Row, Written>(
  { level, rows, changed }: OpenPeriod<Row>,
  name: string,
  change: (row: Row) => void,
  { hourRowsMax, fresh, weight }: TopRowsOptions<Row, Written>,
): void {
  let row = rows.get(name)
  if (row === undefined) {
    const most = hourRowsMax * (level === 1 ? 1 : 2)
    if (rows.size >= Math.ceil(most * SPARE))
      for (const out of lightest(rows, rows.size - most, weight)) {
        rows.delete(out)
        changed.add(out)
      }
    row = fresh()
    rows.set(name, row)
  }
  change(row)
  changed.add(name)
}

function readTopRows<Row, Written>({
  table,
  unpack,
  add,
}: TopRowsOptions<Row, Written>): Pick<TopRows<Row>, 'sum' | 'sumOf'> {
  return {
    sum: ({ level, first, last }) => {
      const sums = new Map<string, Row>()
      for (const { key, value } of table.range(rangeOf(level, first, last))) {
        const sum = sums.get(key[2])
        if (sum === undefined) sums.set(key[2], unpack(value))
        else add(sum, unpack(value))
      }
      return sums
    },
    sumOf: (name, { level, first, last }) => {
      let sum: Row | undefined
      for (let period = last; period >= first; period -= 1) {
        const written = table.get([level, period, name])
        const row = written === undefined ? undefined : unpack(written)
        if (sum === undefined) sum = row
        else if (row !== undefined) add(sum, row)
      }
      return sum
    },
  }
}

/** Rows that one write removes at most. */
const REMOVED_ROWS = 200

function rangeOf(level: Level, first: number, last: number): { start: Key; end: Key } {
  return { start: [level, first, ''], end: [level, last + 1, ''] }
}

/** The names that count least; of equals the last ones by name, so that the same counts lose the same names. */
function lightest<Row>(
  rows: ReadonlyMap<string, Row>,
  count: number,
  weight: (row: Row) => number,
): string[] {
  return Array.from(rows, ([name, row]) => ({ name, weight: weight(row) }))
    .sort((a, b) => a.weight - b.weight || (a.name > b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name)
}
