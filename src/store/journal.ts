import { setImmediate as pause } from 'node:timers/promises'
import type { Store } from './store.ts'
import type { JournalEntry } from './tables.ts'
import { openTimeOrder } from './time-order.ts'

/** An entry and the number under which it stands. */
export interface JournalRow {
  sequence: number
  entry: JournalEntry
}

export interface JournalRange {
  /** Only entries with a greater number; in reverse, with a smaller one. */
  after?: number
  limit: number
  /** Newest first. */
  reverse?: boolean
  /** No further one is read after so long, as one may hold megabytes: then fewer come, of which there are more; one at least. */
  stretchMs?: number
}

/**
 * What happened, in order; entries are added and, when they are old, removed. None is changed but for searches of somebody
 * who is forgotten, which are taken out of the entries that name them.
 */
export interface Journal {
  /**
   * Adds an entry as part of the caller's own transaction, only inside `store.write`, so that it is stored together with
   * what it reports; answers its number.
   */
  appendWithin: (entry: JournalEntry) => number
  read: (range: JournalRange) => JournalRow[]
  /** Entries with a greater number, each read when it is its turn: stop when you have had enough. */
  walk: (after: number) => Iterable<JournalRow>
  /** Entries behind `after`, with turns for others in between. */
  stroll: (after: number) => AsyncIterable<JournalRow>
  /** Number of the newest entry, kept or removed; 0 when there never was one. */
  last: () => number
  /**
   * First and last number of each stretch of it in which numbers and times rise together: one, but
   * where the clock was set back.
   */
  stretches: () => [first: number, last: number][]
  /**
   * Removes some entries that are old, if `mayRemove`, which runs in the same transaction, says so; returns how many. Call
   * again while it removes.
   */
  sweep: (age: Age, mayRemove?: () => boolean) => Promise<number>
}

/** Entries older than `beforeMs`, as far as one number, and so many at most. */
interface Age {
  beforeMs: number
  nowMs: number
  until?: number
  rowsMax?: number
}

/** Entries that one transaction removes. */
const SWEEP_ROWS = 1000
/** Entries that are read in a row, and the time after which no further one is. */
const STROLL = { limit: 64, stretchMs: 4 }

export function openJournal(store: Store): Journal {
  const { journal, meta } = store.tables
  const order = openTimeOrder(store, 'journal', (sequence) => journal.get(sequence)?.timeMs)

  /** Numbers live in a row of their own, so that they go on when every entry was removed. */
  function last(): number {
    return meta.get('journal') ?? 0
  }
  function read({
    after,
    limit,
    reverse = false,
    stretchMs = Number.POSITIVE_INFINITY,
  }: JournalRange): JournalRow[] {
    const start = after === undefined ? undefined : after + (reverse ? -1 : 1)
    const range = { reverse, limit, ...(start === undefined ? {} : { start }) }
    const startedMs = performance.now()
    const rows: JournalRow[] = []
    for (const { key, value } of journal.range(range)) {
      rows.push({ sequence: key, entry: value })
      if (performance.now() - startedMs > stretchMs) break
    }
    return rows
  }
  async function* stroll(after: number): AsyncIterable<JournalRow> {
    let last = after
    // The first by itself: who looks for what is old mostly ends there.
    for (let limit = 1; ; limit = STROLL.limit) {
      const rows = read({ after: last, ...STROLL, limit })
      if (rows.length === 0) return
      yield* rows
      last = rows.at(-1)?.sequence ?? last
      await pause()
    }
  }
  return {
    appendWithin: (entry) => {
      const sequence = last() + 1
      journal.append([{ key: sequence, value: entry }])
      meta.put('journal', sequence)
      order.noteWithin(sequence, entry.timeMs)
      return sequence
    },
    read,
    stroll,
    *walk(after) {
      for (const { key, value } of journal.range({ start: after + 1 }))
        yield { sequence: key, entry: value }
    },
    last,
    stretches: () => order.stretches(1, last()),
    sweep: async (age, mayRemove = () => true) => {
      const { until = Infinity, rowsMax = SWEEP_ROWS } = age
      const old: number[] = []
      for await (const { sequence, entry } of stroll(0)) {
        if (sequence > until || old.length === Math.min(rowsMax, SWEEP_ROWS)) break
        if (!order.isOld({ sequence, timeMs: entry.timeMs }, age)) break
        old.push(sequence)
      }
      if (old.length === 0) return 0
      return store.release(() => {
        if (!mayRemove()) return 0
        journal.removeAll(old)
        return old.length
      })
    },
  }
}
