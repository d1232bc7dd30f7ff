import type { Table } from '../../store/table.ts'
import { LEVELS, type Level, oldestKept, periodOf, type Window } from './periods.ts'

type Key = [level: number, period: number, name: string]
type Span = Pick<Window, 'level' | 'first' | 'last'>

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

export interface TopRowsOptions<Row> {
  table: Table<Key, Row>
  /** Names that one hour keeps; a day keeps twice as many. */
  hourRowsMax: number
  fresh: () => Row
  /** How much a row counts: when a period is full, the least one goes. */
  weight: (row: Row) => number
  /** Adds the second to the first. */
  add: (sum: Row, row: Row) => void
}

/** Periods held in memory between two writes. */
const OPEN_PERIODS_MAX = 8

export function openTopRows<Row>(options: TopRowsOptions<Row>): TopRows<Row> {
  const { table, hourRowsMax, fresh, weight } = options
  const open = new Map<string, Map<string, Row>>()
  const changed = new Map<string, Key>()
  let newestMs = 0

  function rowsOf(level: Level, period: number): Map<string, Row> {
    const name = `${level} ${period}`
    let rows = open.get(name)
    if (rows === undefined) {
      const read = table.range(rangeOf(level, period, period))
      rows = new Map(Array.from(read, ({ key, value }) => [key[2], value]))
      open.set(name, rows)
    }
    return rows
  }
  function mark(key: Key): void {
    changed.set(key.join(' '), key)
  }
  function countIn(level: Level, period: number, name: string, change: (row: Row) => void): void {
    const rows = rowsOf(level, period)
    let row = rows.get(name)
    if (row === undefined) {
      if (rows.size >= hourRowsMax * (level === 1 ? 1 : 2)) {
        const out = leastOf(rows, weight)
        rows.delete(out)
        mark([level, period, out])
      }
      row = fresh()
      rows.set(name, row)
    }
    change(row)
    mark([level, period, name])
  }
  /** What lies before the oldest period that is kept goes a slice at a time. */
  function removeOld(): void {
    for (const level of LEVELS) {
      const range = { ...rangeOf(level, 0, oldestKept(level, newestMs) - 1), limit: REMOVED_ROWS }
      for (const key of [...table.keys(range)]) table.remove(key)
    }
  }
  function load(): void {
    open.clear()
    changed.clear()
  }
  return {
    count: (timeMs, name, change) => {
      newestMs = Math.max(newestMs, timeMs)
      for (const level of LEVELS)
        if (periodOf(level, timeMs) >= oldestKept(level, newestMs))
          countIn(level, periodOf(level, timeMs), name, change)
    },
    ...readTopRows(options),
    load,
    save: () => {
      for (const key of changed.values()) {
        const row = open.get(`${key[0]} ${key[1]}`)?.get(key[2])
        if (row === undefined) table.remove(key)
        else table.put(key, row)
      }
      if (changed.size > 0) removeOld()
      changed.clear()
      if (open.size > OPEN_PERIODS_MAX) open.clear()
    },
    reset: () => {
      for (const key of [...table.keys()]) table.remove(key)
      load()
    },
  }
}

function readTopRows<Row>({
  table,
  add,
}: TopRowsOptions<Row>): Pick<TopRows<Row>, 'sum' | 'sumOf'> {
  return {
    sum: ({ level, first, last }) => {
      const sums = new Map<string, Row>()
      for (const { key, value } of table.range(rangeOf(level, first, last))) {
        const sum = sums.get(key[2])
        if (sum === undefined) sums.set(key[2], value)
        else add(sum, value)
      }
      return sums
    },
    sumOf: (name, { level, first, last }) => {
      let sum: Row | undefined
      for (let period = last; period >= first; period -= 1) {
        const row = table.get([level, period, name])
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

/** The name that counts least; of equals the last by name, so that the same counts lose the same name. */
function leastOf<Row>(rows: ReadonlyMap<string, Row>, weight: (row: Row) => number): string {
  let least = ''
  let leastWeight = Infinity
  for (const [name, row] of rows) {
    const own = weight(row)
    if (own < leastWeight || (own === leastWeight && name > least)) {
      least = name
      leastWeight = own
    }
  }
  return least
}
