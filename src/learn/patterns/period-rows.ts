import type { Table } from '../../store/table.ts'
import { type Asker, SEVERAL } from './askers.ts'
import type { Level } from './periods.ts'

export type Key = [level: number, period: number, name: string]

/** What is counted of a name, and how it is bounded. */
export interface RowKind<Row> {
  /** Names that one hour keeps; a day keeps twice as many. */
  hourRowsMax: number
  fresh: () => Row
  /** How much a row counts: when a period is full, those with least go. */
  weight: (row: Row) => number
  /** Who asked for it; absent where a row says nothing of anybody. */
  askerOf?: (row: Row) => Asker
  /** Adds the second to the first. */
  add: (sum: Row, row: Row) => void
  /** Adds an hour to its day, in bounded room. */
  join: (day: Row, hour: Row) => void
}

/** One period in memory, and the names in it that are to be written. */
export interface OpenPeriod<Row> {
  level: Level
  period: number
  rows: Map<string, Row>
  changed: Set<string>
}

/** A period may hold so many times its names until the least ones go, many at once. */
const SPARE = 1.25

/** Changes the row of a name, a fresh one if it is new to the period; where too many are, those with least go first. */
export function countIn<Row>(
  period: OpenPeriod<Row>,
  name: string,
  change: (row: Row) => void,
  kind: RowKind<Row>,
): void {
  const { level, rows, changed } = period
  let row = rows.get(name)
  if (row === undefined) {
    if (rows.size >= Math.ceil(mostOf(level, kind) * SPARE)) dropLightest(period, kind)
    row = kind.fresh()
    rows.set(name, row)
  }
  change(row)
  changed.add(name)
}

/** Adds all rows of an hour before any is dropped, so that their order does not matter. */
export function joinDay<Row>(
  day: OpenPeriod<Row>,
  hour: ReadonlyMap<string, Row>,
  kind: RowKind<Row>,
): void {
  const { rows, changed } = day
  for (const [name, row] of hour) {
    const sum = rows.get(name) ?? kind.fresh()
    kind.join(sum, row)
    rows.set(name, sum)
    changed.add(name)
  }
  if (rows.size > mostOf(24, kind) * SPARE) dropLightest(day, kind)
}

/**
 * Removes the rows of a name in which nothing counts but what is to go: `periods` has a period as often as something is to
 * go that was counted there.
 */
export function* forgetIn<Row>(
  opened: (period: number) => OpenPeriod<Row>,
  periods: readonly number[],
  name: string,
  { weight }: RowKind<Row>,
): Iterable<unknown> {
  for (const period of new Set(periods)) {
    yield
    const { rows, changed } = opened(period)
    const row = rows.get(name)
    if (row === undefined || weight(row) > periods.filter((each) => each === period).length)
      continue
    rows.delete(name)
    changed.add(name)
  }
}

/** Removes the rows that one of these alone asked for. */
export function forgetAskersIn<Row>(
  { rows, changed }: OpenPeriod<Row>,
  askers: ReadonlySet<Asker>,
  { askerOf }: RowKind<Row>,
): void {
  for (const [name, row] of rows) {
    if (!askers.has(askerOf?.(row) ?? SEVERAL)) continue
    rows.delete(name)
    changed.add(name)
  }
}

function mostOf(level: Level, { hourRowsMax }: { hourRowsMax: number }): number {
  return level === 1 ? hourRowsMax : 2 * hourRowsMax
}

/** Those that count least go; of equals the last ones by name, so that the same counts lose the same names. */
function dropLightest<Row>(
  { level, rows, changed }: OpenPeriod<Row>,
  { weight, hourRowsMax }: RowKind<Row>,
): void {
  const spare = rows.size - mostOf(level, { hourRowsMax })
  const heaviest = Float64Array.from(rows.values(), weight).sort()[spare - 1] as number
  const lighter: string[] = []
  const equal: string[] = []
  for (const [name, row] of rows) {
    const own = weight(row)
    if (own < heaviest) lighter.push(name)
    else if (own === heaviest) equal.push(name)
  }
  for (const name of [...lighter, ...lastOf(equal, spare - lighter.length)]) {
    rows.delete(name)
    changed.add(name)
  }
}

/** So many of different names that come last, in any order; to sort them all would take most of the time. */
function lastOf(names: readonly string[], count: number): readonly string[] {
  if (count <= 0) return []
  if (names.length <= count) return names
  const pivot = names[names.length >> 1] as string
  const above = names.filter((name) => name > pivot)
  if (above.length >= count) return lastOf(above, count)
  const below = names.filter((name) => name < pivot)
  return [...above, pivot, ...lastOf(below, count - above.length - 1)]
}

/** Keys of all rows of some periods, the first and the last among them. */
export function rangeOf(level: Level, first: number, last: number): { start: Key; end: Key } {
  return { start: [level, first, ''], end: [level, last + 1, ''] }
}

/** Periods that hold a row, found without a look at each row. */
export function* periodsIn<Written>(table: Table<Key, Written>): Iterable<[Level, number]> {
  let start: Key = [1, 0, '']
  for (;;) {
    const [next] = table.keys({ start, limit: 1 })
    if (next === undefined) return
    const [level, period] = next
    yield [level as Level, period]
    start = [level, period + 1, '']
  }
}
