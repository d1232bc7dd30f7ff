import type { Store } from '../../store/store.ts'
import type { Table } from '../../store/table.ts'
import { type Key, type RowKind, rangeOf } from './period-rows.ts'
import { dayOfHour, type Level, type Span } from './periods.ts'

/** Sums of counts over windows; what is not written yet is not in them. */
export interface WindowSums<Row> {
  /** By name. */
  sum: (window: Span) => Map<string, Row>
  /** For one name. */
  sumOf: (name: string, window: Span) => Row | undefined
}

export interface TopRowsOptions<Row, Written> extends RowKind<Row> {
  /** By this name it is kept which hour is in no day yet. */
  name: string
  meta: Store['tables']['meta']
  table: Table<Key, Written>
  release: Store['release']
  /** A row as the table holds it. */
  pack: (row: Row) => Written
  unpack: (written: Written) => Row
}

export function openSums<Row, Written>(options: TopRowsOptions<Row, Written>): WindowSums<Row> {
  const { table, meta, unpack, add } = options
  /** The hour that is in none of a window's days yet. */
  function apart({ level, first, last }: Span): number | undefined {
    const newest = meta.get(newestHourName(options))
    if (level === 1 || newest === undefined) return undefined
    const day = dayOfHour(newest)
    return day >= first && day <= last ? newest : undefined
  }
  return {
    sum: (window) => {
      const sums = new Map<string, Row>()
      const addAll = (level: Level, first: number, last: number) => {
        for (const { key, value } of table.range(rangeOf(level, first, last))) {
          const sum = sums.get(key[2])
          if (sum === undefined) sums.set(key[2], unpack(value))
          else add(sum, unpack(value))
        }
      }
      addAll(window.level, window.first, window.last)
      const hour = apart(window)
      if (hour !== undefined) addAll(1, hour, hour)
      return sums
    },
    sumOf: (name, window) => {
      let sum: Row | undefined
      const addOne = (key: Key) => {
        const written = table.get(key)
        const row = written === undefined ? undefined : unpack(written)
        if (sum === undefined) sum = row
        else if (row !== undefined) add(sum, row)
      }
      const { level, first, last } = window
      const hour = apart(window)
      if (hour !== undefined) addOne([1, hour, name])
      for (let period = last; period >= first; period -= 1) addOne([level, period, name])
      return sum
    },
  }
}

/** By this name it is kept which hour is in no day yet. */
export function newestHourName({ name }: { name: string }) {
  return `newest hour of ${name}` as const
}
