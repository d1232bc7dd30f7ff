import type { Row } from './table.ts'

/*
 * Some rows as one value, keys ascending, numbers little-endian:
 *
 * | offset | bytes | what |
 * |---|---|---|
 * | 0 | 4 | rows, unsigned |
 * | 4 | 8 for each row | where its key ends, and where its bytes end, unsigned |
 * | … | … | each row's key, ASCII, and behind it its bytes |
 */
const START_BYTES = 4
const PLACE_BYTES = 8

/** Bytes of a block: as many as four pages of LMDB hold. A longer row has a block of its own. */
const BLOCK_BYTES = 4 * 4096 - 16

/** A block, opened. */
export interface Block {
  bytes: Buffer
  rows: number
  /** The first and last key of the block. */
  first: string
  last: string
}

/** Opens a block; its bytes must stay as they are. */
export function openBlock(bytes: Buffer): Block {
  const rows = bytes.readUInt32LE(0)
  const block = { bytes, rows, first: '', last: '' }
  block.first = keyAt(block, 0)
  block.last = keyAt(block, rows - 1)
  return block
}

/** Where a row begins. */
function startOf({ bytes, rows }: Block, place: number): number {
  return place === 0
    ? START_BYTES + PLACE_BYTES * rows
    : bytes.readUInt32LE(START_BYTES + PLACE_BYTES * place - 4)
}

export function keyAt(block: Block, place: number): string {
  const end = block.bytes.readUInt32LE(START_BYTES + PLACE_BYTES * place)
  return block.bytes.toString('latin1', startOf(block, place), end)
}

/** The bytes of a row, within the block. */
export function rowAt({ bytes }: Block, place: number): Buffer {
  const at = START_BYTES + PLACE_BYTES * place
  return bytes.subarray(bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4))
}

/** The number of the row with a key, -1 if there is none. */
export function placeOf(block: Block, key: string): number {
  let [from, to] = [0, block.rows]
  while (from < to) {
    const middle = (from + to) >> 1
    const own = keyAt(block, middle)
    if (own === key) return middle
    if (own < key) from = middle + 1
    else to = middle
  }
  return -1
}

let room = Buffer.allocUnsafeSlow(BLOCK_BYTES)

/** Packs rows, keys ascending, into blocks, each named by its first key. The bytes of one are valid until the next. */
export function* packBlocks(
  rows: readonly Row<string, Uint8Array>[],
): Iterable<Row<string, Uint8Array>> {
  let from = 0
  let size = START_BYTES
  for (const [at, row] of rows.entries()) {
    const more = PLACE_BYTES + row.key.length + row.value.length
    if (size + more > BLOCK_BYTES && at > from) {
      yield pack(rows, from, at, size)
      from = at
      size = START_BYTES
    }
    size += more
  }
  if (rows.length > from) yield pack(rows, from, rows.length, size)
}

function pack(
  rows: readonly Row<string, Uint8Array>[],
  from: number,
  to: number,
  size: number,
): Row<string, Uint8Array> {
  if (size > room.length) room = Buffer.allocUnsafeSlow(size)
  room.writeUInt32LE(to - from, 0)
  let end = START_BYTES + PLACE_BYTES * (to - from)
  for (let at = from; at < to; at += 1) {
    const { key, value } = rows[at] as Row<string, Uint8Array>
    const place = START_BYTES + PLACE_BYTES * (at - from)
    end += room.write(key, end, 'latin1')
    room.writeUInt32LE(end, place)
    room.set(value, end)
    end += value.length
    room.writeUInt32LE(end, place + 4)
  }
  return { key: (rows[from] as Row<string, Uint8Array>).key, value: room.subarray(0, size) }
}
