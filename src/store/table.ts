import { compareKeys, type Database, type Key as LmdbKey } from 'lmdb'

/** Which keys a walk visits: from `start` on, up to but not including `end`. */
export interface Range<Key> {
  start?: Key
  end?: Key
  /** From the greatest key downwards; `start` is then the upper end, itself included. */
  reverse?: boolean
  limit?: number
}

export interface Row<Key, Value> {
  key: Key
  value: Value
}

/** One table. Reads see the newest commit and, inside a write, everything that the write has done so far. */
export interface Table<Key, Value> {
  get(key: Key): Value | undefined
  has(key: Key): boolean
  /**
   * The stored bytes without a copy of their own: valid until the next read of any table on this thread.
   * Only for tables of bytes.
   */
  peek(key: Key): Buffer | undefined
  /** Only inside `store.write`; throws otherwise, because nobody would hear of a failure. */
  put(key: Key, value: Value): void
  /**
   * Puts rows, ascending, that mostly come behind all others: pages are then filled to their end, not split in
   * halves. Each row is copied before the next one is asked for.
   */
  append(rows: Iterable<Row<Key, Value>>): void
  /** Only inside `store.write`. Returns whether there was such a row. */
  remove(key: Key): boolean
  /** Only inside `store.write`. Returns how many of these rows there were. */
  removeAll(keys: readonly Key[]): number
  /** Removes every row. Only inside `store.write`. */
  clear(): void
  /** Walks rows in key order over one snapshot. Don't await between rows: an open walk keeps old pages alive. */
  range(range?: Range<Key>): Iterable<Row<Key, Value>>
  keys(range?: Range<Key>): Iterable<Key>
  /** Rows of the table; read from its root page, not counted. */
  count(): number
  /** Bytes of the pages that the table occupies. */
  bytes(): number
}

/** LMDB's figures: of one table, and of the environment around it. */
interface Stats {
  entryCount: number
  lastPageNumber: number
  lastTxnId: number
  mapSize: number
  pageSize: number
  treeBranchPageCount: number
  treeLeafPageCount: number
  overflowPages: number
}

/** Wraps one; `writable` says whether a write is under way on this thread, which without it only reads. */
export function wrapTable<Key extends LmdbKey, Value>(
  database: Database<Value, Key>,
  writable: () => boolean = () => false,
): Table<Key, Value> {
  function mustBeWriting(): void {
    if (!writable()) throw new Error('A table can only be changed inside store.write.')
  }
  return {
    get: (key) => database.get(key),
    has: (key) => database.doesExist(key),
    peek: (key) => {
      const bytes = database.getBinaryFast(key)
      // The reused buffer shadows its length; a view makes it an ordinary one.
      return bytes === undefined
        ? undefined
        : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    },
    put: (key, value) => {
      mustBeWriting()
      database.putSync(key, value)
    },
    append: (rows) => {
      mustBeWriting()
      const [last] = database.getKeys({ reverse: true, limit: 1 })
      for (const { key, value } of rows) {
        // LMDB gives up the whole transaction when a row is appended that does not belong there.
        const isLast = last === undefined || compareKeys(last, key) < 0
        if (isLast) database.putSync(key, value, { append: true })
        else database.putSync(key, value)
      }
    },
    remove: (key) => {
      mustBeWriting()
      return database.removeSync(key)
    },
    removeAll: (keys) => {
      mustBeWriting()
      return keys.filter((key) => database.removeSync(key)).length
    },
    clear: () => {
      mustBeWriting()
      database.clearSync()
    },
    range: (range = {}) => endedByFailure(database.getRange(range)),
    keys: (range = {}) => endedByFailure(database.getKeys(range)),
    count: () => statsOf(database).entryCount,
    bytes: () => bytesOf(database),
  }
}

/**
 * A walk that is over when a page can't be read. A loop ends none that failed by itself, and as long as one is open lmdb
 * reads all tables by its transaction, with which no read passes any more.
 */
function endedByFailure<Item>(walk: Iterable<Item>): Iterable<Item> {
  return {
    [Symbol.iterator]: () => {
      const steps = walk[Symbol.iterator]()
      const end = (): IteratorResult<Item> => steps.return?.() ?? { done: true, value: undefined }
      return {
        next: () => {
          try {
            return steps.next()
          } catch (cause) {
            end()
            throw cause
          }
        },
        return: end,
      }
    },
  }
}

export function statsOf(database: Database): Stats {
  return database.getStats() as Stats
}

/** Bytes of the pages that a table occupies. */
export function bytesOf(database: Database): number {
  const stats = statsOf(database)
  const pages = stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages
  return pages * stats.pageSize
}
