import type { Store } from '../../store/store.ts'
import type { Table } from '../../store/table.ts'

/** Rows of a table with a status; how many there are of each is written with every change of them, in its transaction. */
export interface CountedRows<Row> {
  /** Inside a transaction. */
  putWithin: (id: string, row: Row) => void
  /** Inside a transaction. */
  removeWithin: (id: string) => void
  /** How many rows have a status, by status; without those that none has. */
  counts: () => Record<string, number>
}

/** `mark` is where the counts are kept. */
export function openCountedRows<Row extends { status: string }>(
  store: Store,
  table: Table<string, Row>,
  mark: 'adaptationStatuses' | 'suggestionStatuses',
): CountedRows<Row> {
  const { meta } = store.tables

  /** Undefined in stores of earlier versions, and where such a version wrote since. */
  function kept(): Record<string, number> | undefined {
    const counts = meta.get(mark) ?? {}
    const sum = Object.values(counts).reduce((total, count) => total + count, 0)
    return sum === table.count() ? counts : undefined
  }
  /** `status`: of the row from now on, if it is still there. */
  function changeWithin(id: string, status: string | undefined, change: () => void): void {
    const before = kept()
    const was = table.get(id)?.status
    change()
    meta.put(mark, before === undefined ? countAll(table) : moved(before, was, status))
  }
  // Whoever asks before it is on the disk has all of them counted.
  if (kept() === undefined)
    store.write(() => meta.put(mark, countAll(table))).catch(() => undefined)
  return {
    putWithin: (id, row) => changeWithin(id, row.status, () => table.put(id, row)),
    removeWithin: (id) => changeWithin(id, undefined, () => table.remove(id)),
    counts: () => kept() ?? countAll(table),
  }
}

function moved(
  counts: Record<string, number>,
  was: string | undefined,
  is: string | undefined,
): Record<string, number> {
  const next = { ...counts }
  if (was !== undefined) next[was] = (next[was] ?? 0) - 1
  if (is !== undefined) next[is] = (next[is] ?? 0) + 1
  return Object.fromEntries(Object.entries(next).filter(([, count]) => count !== 0))
}

function countAll(table: Table<string, { status: string }>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { value } of table.range()) counts[value.status] = (counts[value.status] ?? 0) + 1
  return counts
}
