import type { Row } from './table.ts'

/*
 * Rows with ids of 36 letters as one value, numbers little-endian:
 *
 * | offset | bytes | what |
 * |---|---|---|
 * | 0 | 4 | rows, unsigned |
 * | 4 | 4 for each row | where its value ends, from the first value on, unsigned |
 * | … | 36 for each row | its id, ascending |
 * | … | … | the values |
 */
const ID_BYTES = 36

/** Rows that lie together. */
export interface Batch {
  /** Where it stands; not greater than any of its ids. */
  key: string
  /** Its greatest id. */
  last: string
  rows: number
  bytes: Buffer
  /** The value of a row, from 0 on. */
  value: (row: number) => Buffer
}

/** The rows, ascending, as one value; valid until the next call. */
export function packRows(rows: readonly Row<string, Uint8Array>[]): Uint8Array {
  const values = rows.reduce((sum, { value }) => sum + value.length, 0)
  const start = 4 + (4 + ID_BYTES) * rows.length
  if (scratch.length < start + values) scratch = Buffer.allocUnsafeSlow(2 * (start + values))
  scratch.writeUInt32LE(rows.length, 0)
  let end = 0
  for (const [at, { key, value }] of rows.entries()) {
    scratch.set(value, start + end)
    end += value.length
    scratch.writeUInt32LE(end, 4 + 4 * at)
    scratch.write(key, 4 + 4 * rows.length + ID_BYTES * at, 'latin1')
  }
  return scratch.subarray(0, start + end)
}

let scratch = Buffer.allocUnsafeSlow(0)

/** Reads a batch; its key is the least id unless it is told. */
export function batchOf(value: Uint8Array | undefined): Batch {
  if (value === undefined) throw new Error('The record store lost a batch of rows.')
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length)
  const rows = bytes.readUInt32LE(0)
  const values = 4 + (4 + ID_BYTES) * rows
  return {
    key: idAt(bytes, rows, 0),
    last: idAt(bytes, rows, rows - 1),
    rows,
    bytes,
    value: (row) => {
      const from = row === 0 ? 0 : bytes.readUInt32LE(4 * row)
      return bytes.subarray(values + from, values + bytes.readUInt32LE(4 + 4 * row))
    },
  }
}

/** The number of the row with an id, negative when there is none. */
export function placeIn({ rows, bytes }: Batch, id: string): number {
  let low = 0
  let high = rows
  while (low < high) {
    const middle = (low + high) >> 1
    if (idAt(bytes, rows, middle) < id) low = middle + 1
    else high = middle
  }
  return low < rows && idAt(bytes, rows, low) === id ? low : -1
}

export function rowsOf({ rows, bytes, value }: Batch): Row<string, Uint8Array>[] {
  return Array.from({ length: rows }, (_, row) => ({
    key: idAt(bytes, rows, row),
    value: value(row),
  }))
}

function idAt(bytes: Buffer, rows: number, row: number): string {
  const at = 4 + 4 * rows + ID_BYTES * row
  return bytes.toString('latin1', at, at + ID_BYTES)
}
