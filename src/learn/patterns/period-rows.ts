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

/** A row in memory. */
export interface KeptRow<Row> {
  name: string
  row: Row
  /** It is on the disk, as it is or as it was before. */
  isWritten: boolean
  /** It is among those to be written. */
  isChanged: boolean
}

/** One period in memory, and what of it is to be written: most rows come and go in between, and never are. */
export interface OpenPeriod<Row> {
  level: Level
  period: number
  rows: Map<string, KeptRow<Row>>
  changed: KeptRow<Row>[]
  /** Names of rows on the disk that are there no longer. */
  removed: string[]
}

/** A period with the rows that are on the disk. */
export function openPeriod<Row>(
  level: Level,
  period: number,
  written: Iterable<readonly [string, Row]>,
): OpenPeriod<Row> {
  const opened: OpenPeriod<Row> = { level, period, rows: new Map(), changed: [], removed: [] }
  for (const [name, row] of written)
    opened.rows.set(name, { name, row, isWritten: true, isChanged: false })
  return opened
}

/** Forgets what is in memory of a period that goes from the disk. */
export function emptyPeriod<Row>(period: OpenPeriod<Row>): void {
  period.rows.clear()
  period.changed = []
  period.removed = []
}

/** A period may hold so many times its names until the least ones go, many at once. */
const SPARE = 1.25

/** Changes the row of a name, a fresh one if it is new to the period; where too many are, those with least go first. */
export function countIn<Row, Of>(
  period: OpenPeriod<Row>,
  name: string,
  change: (row: Row, of: Of) => void,
  of: Of,
  kind: RowKind<Row>,
): void {
  let kept = period.rows.get(name)
  if (kept === undefined) {
    if (period.rows.size >= Math.ceil(mostOf(period.level, kind) * SPARE))
      dropLightest(period, kind)
    kept = addFresh(period, name, kind)
  }
  change(kept.row, of)
  noteChanged(period, kept)
}

function addFresh<Row>(
  { rows }: OpenPeriod<Row>,
  name: string,
  { fresh }: RowKind<Row>,
): KeptRow<Row> {
  const kept = { name, row: fresh(), isWritten: false, isChanged: false }
  rows.set(name, kept)
  return kept
}

function noteChanged<Row>({ changed }: OpenPeriod<Row>, kept: KeptRow<Row>): void {
  if (kept.isChanged) return
  kept.isChanged = true
  changed.push(kept)
}

function drop<Row>({ rows, removed }: OpenPeriod<Row>, kept: KeptRow<Row>): void {
  rows.delete(kept.name)
  kept.isChanged = false
  if (kept.isWritten) removed.push(kept.name)
}

/** Adds all rows of an hour before any is dropped, so that their order does not matter. */
export function joinDay<Row>(
  day: OpenPeriod<Row>,
  hour: OpenPeriod<Row>,
  kind: RowKind<Row>,
): void {
  for (const { name, row } of hour.rows.values()) {
    const sum = day.rows.get(name) ?? addFresh(day, name, kind)
    kind.join(sum.row, row)
    noteChanged(day, sum)
  }
  if (day.rows.size > mostOf(24, kind) * SPARE) dropLightest(day, kind)
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
    const found = opened(period)
    const kept = found.rows.get(name)
    const times = periods.filter((each) => each === period).length
    if (kept !== undefined && weight(kept.row) <= times) drop(found, kept)
  }
}

/** Removes the rows that one of these alone asked for. */
export function forgetAskersIn<Row>(
  period: OpenPeriod<Row>,
  askers: ReadonlySet<Asker>,
  { askerOf }: RowKind<Row>,
): void {
  for (const kept of period.rows.values())
    if (askers.has(askerOf?.(kept.row) ?? SEVERAL)) drop(period, kept)
}

function mostOf(level: Level, { hourRowsMax }: { hourRowsMax: number }): number {
  return level === 1 ? hourRowsMax : 2 * hourRowsMax
}

/** Drops the rows that count least; of equal ones the last by name, so that the same counts lose the same names. */
function dropLightest<Row>(period: OpenPeriod<Row>, kind: RowKind<Row>): void {
  const { level, rows } = period
  const spare = rows.size - mostOf(level, kind)
  const all = [...rows.values()]
  const weights = Float64Array.from(all, ({ row }) => kind.weight(row))
  const heaviest = weights.toSorted()[spare - 1] as number
  const lighter = all.filter((_, at) => (weights[at] as number) < heaviest)
  const equal = all.filter((_, at) => weights[at] === heaviest)
  for (const kept of [...lighter, ...lastOf(equal, spare - lighter.length)]) drop(period, kept)
  period.changed = period.changed.filter(({ isChanged }) => isChanged)
}

/** So many of rows with different names that come last, in any order; to sort them all would take most of the time. */
function lastOf<Row>(rows: readonly KeptRow<Row>[], count: number): readonly KeptRow<Row>[] {
  if (count <= 0) return []
  if (rows.length <= count) return rows
  const pivot = rows[rows.length >> 1] as KeptRow<Row>
  const above = rows.filter(({ name }) => name > pivot.name)
  if (above.length >= count) return lastOf(above, count)
  const below = rows.filter(({ name }) => name < pivot.name)
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
