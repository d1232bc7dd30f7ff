import { type Journal, openJournal } from '../../store/journal.ts'
import type { Store } from '../../store/store.ts'
import type { JournalEntry } from '../../store/tables.ts'
import { asLogEntry, type LogEntry } from '../entries.ts'
import type { Impression, StoredImpression } from '../facts.ts'
import {
  decodeImpression,
  type ImpressionParts,
  readShown,
  readWho,
} from '../impressions/impression.ts'
import { openRecent, type Recent } from '../impressions/recent.ts'
import { willRelearn } from './forgetting.ts'

/** What happened, durable and in order: what was shown, and the journal of what was told. */
export interface Log {
  journal: Journal
  /**
   * Takes a copy of an impression; it is written within `FLUSH_MS`, or together with the next entry. Dropped, and
   * counted, when too many wait: a search never waits for it.
   */
  show: (queryId: string, parts: ImpressionParts) => void
  /** Counts an impression that is not even made. */
  drop: () => void
  /**
   * Runs `work` in a transaction behind all impressions shown so far, and appends the entry that it returns;
   * `work` may write rows of its own. Resolves with its value when all of it is on the disk.
   */
  append: <T>(work: () => { entry: JournalEntry; value: T }) => Promise<T>
  /** Appends an entry as part of the caller's own transaction: only inside `store.write`. */
  appendWithin: (entry: JournalEntry) => void
  /** What a search showed, written already or not. */
  find: (queryId: string) => StoredImpression | undefined
  /** An impression without what only few ask for, in half the time of `find`. */
  shown: (queryId: string) => Impression | undefined
  /** Who searched: what is asked of each search there is, when somebody is forgotten. */
  who: (queryId: string) => Pick<Impression, 'unit' | 'sessionId'> | undefined
  /** Whether a search that showed something is known, written already or not. */
  isShown: (queryId: string) => boolean
  /** Writes the impressions that wait. */
  flush: () => Promise<void>
  /** Removes written impressions as part of the caller's own transaction. */
  removeWithin: (queryIds: readonly string[]) => void
  /** Whether retention has removed any of it: what was learned can't be folded anew from what is left. */
  isCut: () => boolean
  /**
   * Whether retention may remove some of it now, and notes that it does; inside the transaction that removes. While
   * somebody is forgotten by learning all anew, what others did must stay.
   */
  cutWithin: () => boolean
  figures: () => { waiting: number; written: number; dropped: number }
  /** `listener` runs after each transaction that appended something. */
  onAppend: (listener: () => void) => void
  close: () => Promise<void>
}

/**
 * Longest time that an impression waits for others, or for feedback: what is told is written with all shown before it.
 * A commit costs as much as a dozen impressions, but the writing and taking of some hundred at a time holds up every
 * search that comes meanwhile.
 */
const FLUSH_MS = 100
/** By this name it is kept whether retention has removed something; in stores of earlier versions it is not. */
const CUT = 'log cut'
/** Impressions that one journal entry names; the processor takes an entry whole. */
const ENTRY_IMPRESSIONS = 64

export function openLog(store: Store, waitingMax: number, clock: () => number): Log {
  const journal = openJournal(store)
  const recent = openRecent(waitingMax)
  const listeners: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let written = 0
  let dropped = 0

  const write = (ids: readonly string[]) =>
    writeImpressionsWithin({ store, journal, recent, timeMs: clock() }, ids)
  function tell(): void {
    for (const listener of listeners) listener()
  }
  function settle(ids: string[]): void {
    recent.settle(ids)
    written += ids.length
    tell()
  }
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    // Also for those under way: who flushes wants to find them on the disk.
    if (recent.size() === 0) return
    let ids: string[] = []
    try {
      await store.write(() => {
        ids = recent.take()
        write(ids)
      })
    } catch {
      // The store is full or broken, and says so itself; impressions may be lost, feedback may not.
      const lost = ids.length === 0 ? recent.take() : ids
      recent.lose(lost)
      dropped += lost.length
      return
    }
    settle(ids)
  }
  return {
    journal,
    show: (queryId, parts) => {
      if (!recent.add(queryId, parts)) {
        dropped += 1
        return
      }
      timer ??= setTimeout(() => void flush(), FLUSH_MS)
    },
    drop: () => {
      dropped += 1
    },
    append: async (work) => {
      let ids: string[] = []
      try {
        const value = await store.write(() => {
          ids = recent.take()
          write(ids)
          const done = work()
          journal.appendWithin(done.entry)
          return done.value
        })
        settle(ids)
        return value
      } catch (error) {
        recent.putBack(ids)
        timer ??= setTimeout(() => void flush(), FLUSH_MS)
        throw error
      }
    },
    appendWithin: (entry) => {
      journal.appendWithin(entry)
      // A store that takes nothing, or is closed: the entry is taken with the next one, or at the next start.
      behind(store).then(tell, () => undefined)
    },
    ...impressionsOf(store, recent),
    ...openCut(store, journal),
    flush,
    figures: () => ({ waiting: recent.size(), written, dropped }),
    onAppend: (listener) => listeners.push(listener),
    close: flush,
  }
}

function openCut(store: Store, journal: Journal): Pick<Log, 'isCut' | 'cutWithin'> {
  const { meta } = store.tables
  const isCut = () => meta.get(CUT) ?? looksCut(store, journal)
  // Noted before anybody is forgotten here: from then on it would look cut. A full disk leaves it to the next start.
  if (meta.get(CUT) === undefined) store.put('meta', CUT, isCut()).catch(() => undefined)
  return {
    isCut,
    cutWithin: () => {
      const may = !willRelearn(store)
      if (may) meta.put(CUT, true)
      return may
    },
  }
}

/** Whether the beginning is missing. It may be that of somebody forgotten: then others' lessons are kept all the same. */
function looksCut({ tables: { impressions } }: Store, journal: Journal): boolean {
  let next = 1
  for (const { sequence, entry } of journal.walk(0)) {
    if (sequence > next) return true
    const { type, data } = asLogEntry(entry)
    if (type === 'searches') return !data.every(impressions.has)
    next = sequence + 1
  }
  return journal.last() >= next
}

function impressionsOf(
  { tables: { impressions } }: Store,
  recent: Recent,
): Pick<Log, 'find' | 'shown' | 'who' | 'isShown' | 'removeWithin'> {
  const read = <Told>(queryId: string, decode: (bytes: Uint8Array) => Told): Told | undefined => {
    const bytes = recent.find(queryId) ?? impressions.peek(queryId)
    return bytes === undefined ? undefined : decode(bytes)
  }
  return {
    find: (queryId) => {
      const waits = recent.find(queryId)
      // A copy: features and replay may be read when it waits no more.
      const bytes = waits === undefined ? impressions.get(queryId) : Buffer.from(waits)
      return bytes === undefined ? undefined : decodeImpression(bytes)
    },
    shown: (queryId) => read(queryId, readShown),
    who: (queryId) => read(queryId, readWho),
    isShown: (queryId) => recent.find(queryId) !== undefined || impressions.has(queryId),
    removeWithin: (queryIds) => {
      recent.forget(queryIds)
      impressions.removeAll(queryIds)
    },
  }
}

/** Resolves behind the transaction in which it is called, committed or not. */
async function behind(store: Store): Promise<undefined> {
  await new Promise(setImmediate)
  return store.write(() => undefined)
}

interface Writing {
  store: Store
  journal: Journal
  recent: Recent
  timeMs: number
}

/** Inside a transaction: the rows of what was taken, and the entries that name them. */
function writeImpressionsWithin(
  { store, journal, recent, timeMs }: Writing,
  ids: readonly string[],
): void {
  if (ids.length === 0) return
  const rows = ids.map((key) => ({ key, value: recent.find(key) as Buffer }))
  // Ids begin with their time.
  store.tables.impressions.append(rows.sort((a, b) => (a.key < b.key ? -1 : 1)))
  for (let from = 0; from < ids.length; from += ENTRY_IMPRESSIONS) {
    const data = ids.slice(from, from + ENTRY_IMPRESSIONS)
    journal.appendWithin({ timeMs, type: 'searches', data } satisfies LogEntry)
  }
}
