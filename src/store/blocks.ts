import { type Block, keyAt, openBlock, packBlocks, placeOf, rowAt } from './block.ts'
import type { Range, Row, Table } from './table.ts'

type Bytes = Table<string, Uint8Array>

/** The row under this key counts the rows of all blocks; keys of rows are greater. */
const COUNT = '!'

/**
 * A table of bytes whose rows mostly come in the order of their keys, many at a time: those lie together in blocks. A
 * row by itself costs a walk down the tree, and what is longer than half a page a page of its own. Blocks never
 * overlap: what comes behind the last of them begins the next one, and a row that comes late stays by itself (after a
 * clock that was ahead all do, until its time is reached).
 *
 * Keys are ASCII, and greater than `!`; `append` takes those that are not there yet. Without `writable` others write:
 * then each read looks anew.
 */
export function openBlocks(singles: Bytes, blocks: Bytes, writable?: () => boolean): Bytes {
  const place = openPlace(blocks, writable)
  const { find } = place

  function removeAll(keys: readonly string[]): number {
    // Known before it goes: should the transaction fail, it is there again.
    place.last()
    place.forget()
    return singles.removeAll(keys) + removeFrom(blocks, place, keys.toSorted())
  }
  return {
    get: (key) => {
      const row = find(key)
      return row === undefined ? singles.get(key) : Buffer.from(row)
    },
    has: (key) => find(key) !== undefined || singles.has(key),
    peek: (key) => find(key) ?? singles.peek(key),
    put: (key, value) => {
      removeAll([key])
      singles.put(key, value)
    },
    append: (rows) => {
      const last = place.last()
      place.forget()
      const behind: Row<string, Uint8Array>[] = []
      for (const row of rows)
        if (row.key > last) behind.push(row)
        else singles.put(row.key, row.value)
      const newest = behind.at(-1)
      if (newest === undefined) return
      blocks.append(packBlocks(behind))
      countMore(blocks, behind.length)
      place.noteLast(newest.key)
    },
    remove: (key) => removeAll([key]) > 0,
    removeAll,
    clear: () => {
      place.last()
      place.forget()
      singles.clear()
      blocks.clear()
    },
    range: (range = {}) => rowsOf(singles, blocks, range),
    *keys(range = {}) {
      for (const { key } of rowsOf(singles, blocks, range)) yield key
    },
    count: () => singles.count() + countOf(blocks),
    bytes: () => singles.bytes() + blocks.bytes(),
  }
}

/** The block that is read: rows are mostly asked for one after the other. */
interface Place {
  /** The block in which a row with this key would lie; its bytes are valid until the next read. */
  blockOf: (key: string) => Block | undefined
  /** The bytes of a row, valid until the next read. */
  find: (key: string) => Buffer | undefined
  /** The greatest key that any block has had since this was opened: it, too, begins no block anew. */
  last: () => string
  noteLast: (key: string) => void
  forget: () => void
}

function openPlace(blocks: Bytes, writable?: () => boolean): Place {
  let known: Block | undefined
  // One for whatever is read: buffers of their own would be many, and outlive small collections.
  let room = Buffer.alloc(0)
  let isForgotten = true
  let greatest: string | undefined

  function forget(): void {
    known = undefined
    isForgotten = true
  }
  function open(first: string | undefined): Block | undefined {
    const bytes = first === undefined || first === COUNT ? undefined : blocks.peek(first)
    if (bytes === undefined) return undefined
    known = undefined
    if (bytes.length > room.length) room = Buffer.allocUnsafeSlow(bytes.length)
    room.set(bytes)
    const block = openBlock(room.subarray(0, bytes.length))
    if (writable === undefined || writable()) return block
    // No longer than LMDB's own view of it lasts: a block may be on its way to be changed.
    if (isForgotten) queueMicrotask(forget)
    isForgotten = false
    known = block
    return block
  }
  function blockOf(key: string): Block | undefined {
    if (known !== undefined && known.first <= key && key <= known.last) return known
    const [first] = blocks.keys({ start: key, reverse: true, limit: 1 })
    return open(first)
  }
  return {
    blockOf,
    find: (key) => {
      const block = blockOf(key)
      const row = block === undefined ? -1 : placeOf(block, key)
      return block === undefined || row < 0 ? undefined : rowAt(block, row)
    },
    last: () => {
      if (greatest !== undefined) return greatest
      const [first] = blocks.keys({ reverse: true, limit: 1 })
      greatest = open(first)?.last ?? ''
      return greatest
    },
    noteLast: (key) => {
      greatest = key
    },
    forget,
  }
}

function countOf(blocks: Bytes): number {
  return blocks.peek(COUNT)?.readDoubleLE(0) ?? 0
}

function countMore(blocks: Bytes, rows: number): void {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(countOf(blocks) + rows)
  blocks.put(COUNT, bytes)
}

/** Removes rows, keys ascending, a block at a time; returns how many there were. */
function removeFrom(blocks: Bytes, { blockOf }: Place, keys: readonly string[]): number {
  let removed = 0
  for (let at = 0; at < keys.length; ) {
    const block = blockOf(keys[at] as string)
    let end = at + 1
    while (block !== undefined && end < keys.length && (keys[end] as string) <= block.last) end += 1
    if (block !== undefined) removed += removeIn(blocks, block, keys.slice(at, end))
    at = end
  }
  if (removed > 0) countMore(blocks, -removed)
  return removed
}

function removeIn(blocks: Bytes, block: Block, keys: readonly string[]): number {
  const doomed = new Set(keys.map((key) => placeOf(block, key)))
  doomed.delete(-1)
  if (doomed.size === 0) return 0
  const left: Row<string, Uint8Array>[] = []
  for (let row = 0; row < block.rows; row += 1)
    if (!doomed.has(row)) left.push({ key: keyAt(block, row), value: rowAt(block, row) })
  blocks.remove(block.first)
  for (const { key, value } of packBlocks(left)) blocks.put(key, value)
  return doomed.size
}

/** The rows of both in one order. */
function* rowsOf(
  singles: Bytes,
  blocks: Bytes,
  range: Range<string>,
): Iterable<Row<string, Uint8Array>> {
  const { reverse = false, limit = Number.POSITIVE_INFINITY } = range
  const { limit: _, ...unlimited } = range
  const alone = singles.range(unlimited)[Symbol.iterator]()
  const isFirst = (key: string, other: string) => (reverse ? key > other : key < other)
  let left = limit
  try {
    let single = alone.next()
    for (const row of blockRows(blocks, range)) {
      while (!single.done && isFirst(single.value.key, row.key)) {
        if (left-- <= 0) return
        yield single.value
        single = alone.next()
      }
      if (left-- <= 0) return
      yield row
    }
    for (; !single.done && left-- > 0; single = alone.next()) yield single.value
  } finally {
    alone.return?.()
  }
}

function* blockRows(
  blocks: Bytes,
  { start, end, reverse = false }: Range<string>,
): Iterable<Row<string, Uint8Array>> {
  for (const first of blockKeys(blocks, start, reverse)) {
    const bytes = first === COUNT ? undefined : blocks.get(first)
    if (bytes === undefined) continue
    const block = openBlock(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    for (let step = 0; step < block.rows; step += 1) {
      const place = reverse ? block.rows - 1 - step : step
      const key = keyAt(block, place)
      const isBefore = start !== undefined && (reverse ? key > start : key < start)
      if (isBefore) continue
      if (end !== undefined && (reverse ? key <= end : key >= end)) return
      yield { key, value: rowAt(block, place) }
    }
  }
}

/** The keys of the blocks that may hold rows from `start` on: the first of them may begin before it. */
function* blockKeys(blocks: Bytes, start: string | undefined, reverse: boolean): Iterable<string> {
  if (reverse || start === undefined) {
    yield* blocks.keys(start === undefined ? { reverse } : { reverse, start })
    return
  }
  const [before] = blocks.keys({ start, reverse: true, limit: 1 })
  yield* blocks.keys({ start: before ?? start })
}
