import { type Batch, batchOf, packRows, placeIn, rowsOf } from './batch.ts'
import type { Range, Row, Table } from './table.ts'

/** A table whose rows can be removed many at once, which takes far less than one by one. */
export interface PackedTable extends Table<string, Uint8Array> {
  /** Only inside `store.write`. Returns how many rows there were. */
  removeAll(keys: readonly string[]): number
  /** Before a newer commit is read: forgets what is held of an older one. */
  release(): void
}

type Bytes = Table<string, Uint8Array>

/** Ids have this length; rows of other keys are never put into a batch. */
const KEY_LENGTH = 36
/** A row costs as much to write as a batch; a batch must be read as a whole to have one of its rows. */
const BATCH_ROWS = 32
/** Where the number of rows in batches stands: before all ids. */
const COUNT = '#'

/**
 * A table of bytes whose rows come by the hundred and mostly in the order of their ids: those lie together in
 * `batches`, each under an id that is not greater than those in it and not smaller than those in the batch before.
 * Rows that come late, and those of before there were batches, lie by themselves in `rows`.
 */
export function packTable(rows: Bytes, batches: Bytes): PackedTable {
  const held = holdBatch(batches)
  const removeAll = (keys: readonly string[]) => removeRows({ rows, batches, held }, keys)
  let last: string | undefined
  return {
    get: (key) => {
      const own = rows.get(key)
      if (own !== undefined) return own
      const found = held.row(key)
      return found === undefined ? undefined : Buffer.from(found)
    },
    has: (key) => held.known(key) !== undefined || rows.has(key) || held.row(key) !== undefined,
    peek: (key) => held.known(key) ?? rows.peek(key) ?? held.row(key),
    put: (key, value) => {
      removeAll([key])
      rows.put(key, value)
    },
    append: (added) => {
      const before = last ?? newestPacked(batches)
      const isNext = ({ key }: { key: string }) => key.length === KEY_LENGTH && key > before
      const next = added.filter(isNext)
      rows.append(added.filter((row) => !isNext(row)))
      for (let from = 0; from < next.length; from += BATCH_ROWS) {
        const batch = next.slice(from, from + BATCH_ROWS)
        batches.append([{ key: batch[0]?.key ?? '', value: packRows(batch) }])
      }
      countPacked(batches, next.length)
      last = next.at(-1)?.key ?? before
      held.drop()
    },
    remove: (key) => removeAll([key]) === 1,
    removeAll,
    release: held.drop,
    clear: () => {
      rows.clear()
      batches.clear()
      held.drop()
    },
    range: (range = {}) => walk(rows, batches, range),
    *keys(range = {}) {
      for (const { key } of walk(rows, batches, range)) yield key
    },
    count: () => rows.count() + packedOf(batches),
    bytes: () => rows.bytes() + batches.bytes(),
  }
}

/** How many rows lie in batches. */
function packedOf(batches: Bytes): number {
  const bytes = batches.get(COUNT)
  return bytes === undefined ? 0 : Buffer.from(bytes).readUInt32LE(0)
}

function countPacked(batches: Bytes, change: number): void {
  if (change === 0) return
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(packedOf(batches) + change)
  batches.put(COUNT, bytes)
}

/** The greatest id in any batch. */
function newestPacked(batches: Bytes): string {
  const [key] = batches.keys({ reverse: true, limit: 1 })
  return key === undefined || key === COUNT ? '' : batchOf(batches.peek(key)).last
}

interface Packed {
  rows: Bytes
  batches: Bytes
  held: HeldBatch
}

/** A batch is written once, however many of its rows leave. */
function removeRows({ rows, batches, held }: Packed, keys: readonly string[]): number {
  const leaving = new Map<string, Set<string>>()
  let removed = 0
  for (const key of keys) {
    if (rows.remove(key)) removed += 1
    else {
      const batch = held.around(key)
      if (batch === undefined || placeIn(batch, key) < 0) continue
      leaving.set(batch.key, (leaving.get(batch.key) ?? new Set()).add(key))
    }
  }
  let unpacked = 0
  for (const [key, ids] of leaving) {
    const kept = rowsOf(batchOf(batches.get(key))).filter((row) => !ids.has(row.key))
    if (kept.length === 0) batches.remove(key)
    else batches.put(key, packRows(kept))
    unpacked += ids.size
  }
  countPacked(batches, -unpacked)
  held.drop()
  return removed + unpacked
}

interface HeldBatch {
  /** The batch that has this key's place, if there is one. */
  around: (key: string) => Batch | undefined
  /** A row, valid until the next read. */
  row: (key: string) => Buffer | undefined
  /** The same, if the batch was read just now. */
  known: (key: string) => Buffer | undefined
  /** It may have changed. */
  drop: () => void
}

/**
 * Holds the batch that was read last until the event loop turns: whoever reads one row goes on with its neighbours, and
 * no change can come in between.
 */
function holdBatch(batches: Bytes): HeldBatch {
  let batch: Batch | undefined
  let memory = Buffer.allocUnsafeSlow(0)
  let isWaiting = false

  function drop(): void {
    batch = undefined
  }
  function read(key: string): Batch | undefined {
    const [first] = batches.keys({ start: key, reverse: true, limit: 1 })
    const bytes = first === undefined || first === COUNT ? undefined : batches.peek(first)
    if (first === undefined || bytes === undefined) return undefined
    if (memory.length < bytes.length) memory = Buffer.allocUnsafeSlow(2 * bytes.length)
    memory.set(bytes)
    if (!isWaiting) setImmediate(release)
    isWaiting = true
    return { ...batchOf(memory), key: first }
  }
  function release(): void {
    isWaiting = false
    batch = undefined
  }
  function around(key: string): Batch | undefined {
    if (key.length !== KEY_LENGTH) return undefined
    if (batch === undefined || key < batch.key || key > batch.last) batch = read(key)
    return batch
  }
  function rowIn(found: Batch | undefined, key: string): Buffer | undefined {
    const place = found === undefined ? -1 : placeIn(found, key)
    return found === undefined || place < 0 ? undefined : found.value(place)
  }
  return {
    around,
    row: (key) => rowIn(around(key), key),
    known: (key) => rowIn(batch, key),
    drop,
  }
}

/** Rows of both in the order of their keys. */
function* walk(
  rows: Bytes,
  batches: Bytes,
  range: Range<string>,
): Iterable<Row<string, Uint8Array>> {
  const { reverse = false, limit = Number.POSITIVE_INFINITY, ...ends } = range
  const alone = rows.range({ ...ends, reverse })[Symbol.iterator]()
  const together = walkBatches(batches, range)[Symbol.iterator]()
  // Whoever breaks off must not leave a walk open: it would keep old pages alive.
  try {
    let [one, other] = [alone.next(), together.next()]
    for (let given = 0; given < limit; given += 1) {
      if (one.done === true && other.done === true) return
      const isAlone =
        other.done === true || (one.done !== true && one.value.key < other.value.key !== reverse)
      if (isAlone && one.done !== true) {
        yield one.value
        one = alone.next()
      } else if (other.done !== true) {
        yield other.value
        other = together.next()
      }
    }
  } finally {
    alone.return?.()
    together.return?.()
  }
}

function* walkBatches(
  batches: Bytes,
  { start, end, reverse = false }: Range<string>,
): Iterable<Row<string, Uint8Array>> {
  const isAfterStart = (key: string) =>
    start === undefined || (reverse ? key <= start : key >= start)
  const isBeforeEnd = (key: string) => end === undefined || (reverse ? key > end : key < end)
  for (const { key, value } of batches.range(batchRange(batches, start, reverse))) {
    if (key === COUNT) continue
    const found = rowsOf(batchOf(value))
    for (const row of reverse ? found.reverse() : found) {
      if (!isAfterStart(row.key)) continue
      if (!isBeforeEnd(row.key)) return
      yield row
    }
  }
}

/** From the batch on that has the start's place. */
function batchRange(batches: Bytes, start: string | undefined, reverse: boolean): Range<string> {
  if (start === undefined) return { reverse }
  if (reverse) return { start, reverse }
  const [first] = batches.keys({ start, reverse: true, limit: 1 })
  return { start: first ?? start }
}
