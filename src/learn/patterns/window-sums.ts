import { openBreath } from '../../breath.ts'
import type { Store } from '../../store/store.ts'
import type { Row, Table } from '../../store/table.ts'
import { type Key, type RowKind, rangeOf } from './period-rows.ts'
import { dayOfHour, type Span } from './periods.ts'

/** Sums of counts over windows; what is not written yet is not in them. */
export interface WindowSums<Counts> {
  /** By name, in slices: a busy day, or a month, takes a tenth of a second and more. */
  sum: (window: Span) => Promise<Map<string, Counts>>
  /** For one name. */
  sumOf: (name: string, window: Span) => Counts | undefined
}

export interface TopRowsOptions<Counts, Written> extends RowKind<Counts> {
  /** By this name it is kept which hour is in no day yet. */
  name: string
  meta: Store['tables']['meta']
  table: Table<Key, Written>
  release: Store['release']
  /** A row as the table holds it. */
  pack: (row: Counts) => Written
  unpack: (written: Written) => Counts
}

export function openSums<Counts, Written>(
  options: TopRowsOptions<Counts, Written>,
): WindowSums<Counts> {
  const { table, unpack, add } = options
  return {
    sum: async (window) => {
      const breathe = openBreath()
      for (;;) {
        const newest = newestHourOf(options)
        const sums = new Map<string, Counts>()
        for (const span of spansOf(window, newest))
          for (const rows of slicesOf(table, span)) {
            for (const { key, value } of rows) {
              const sum = sums.get(key[2])
              if (sum === undefined) sums.set(key[2], unpack(value))
              else add(sum, unpack(value))
            }
            await breathe()
          }
        // One that went into its day meanwhile would count twice, or not at all.
        if (newestHourOf(options) === newest) return sums
      }
    },
    sumOf: (name, window) => {
      let sum: Counts | undefined
      for (const { level, first, last } of spansOf(window, newestHourOf(options)).toReversed())
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

function newestHourOf<Counts, Written>(
  options: TopRowsOptions<Counts, Written>,
): number | undefined {
  return options.meta.get(newestHourName(options))
}

/** A window, and behind it the newest hour, which is in none of the window's days yet. */
function spansOf(window: Span, newest: number | undefined): Span[] {
  const { level, first, last } = window
  if (level === 1 || newest === undefined) return [window]
  const day = dayOfHour(newest)
  if (day < first || day > last) return [window]
  return [window, { level: 1, first: newest, last: newest }]
}

/** Rows that are read in one go. */
const SLICE_ROWS = 200

/** The rows of a span, some at a time, as the table is by then. */
function* slicesOf<Written>(
  table: Table<Key, Written>,
  { level, first, last }: Span,
): Iterable<Row<Key, Written>[]> {
  const { start, end } = rangeOf(level, first, last)
  let next: Key | undefined = start
  while (next !== undefined) {
    const rows: Row<Key, Written>[] = [...table.range({ start: next, end, limit: SLICE_ROWS + 1 })]
    yield rows.slice(0, SLICE_ROWS)
    next = rows[SLICE_ROWS]?.key
  }
}

/** By this name it is kept which hour is in no day yet. */
export function newestHourName({ name }: { name: string }) {
  return `newest hour of ${name}` as const
}
