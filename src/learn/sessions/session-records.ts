import type { SessionRecord } from '../../schema/session.ts'
import type { Store } from '../../store/store.ts'
import { type HiddenSessions, openHiddenSessions } from './hidden-sessions.ts'
import { openSessionCache, type SessionCache } from './session-cache.ts'

/** Session records in memory and on the disk. */
export interface SessionRecords {
  /** Resolves when the record is on the disk, and then in the cache. */
  create: (sessionId: string, record: SessionRecord) => Promise<void>
  find: (sessionId: string) => SessionRecord | undefined
  /** One that is in the cache, by any text: only ids in our own spelling are there. Most that searches ask for are. */
  recent: (sessionId: string) => SessionRecord | undefined
  /** Changes the record of a session that was found just now: counts at once, and reaches the disk with the next flush. */
  touch: (sessionId: string, record: SessionRecord, seenMs: number) => void
  flush: () => Promise<void>
  hidden: HiddenSessions
  /** Resolves when these, and their totals, are off the disk. */
  remove: (sessionIds: readonly string[]) => Promise<void>
  /** Removes the records made before a time, oldest first; returns how many. */
  removeBefore: (timeMs: number) => Promise<number>
  cache: SessionCache
  close: () => Promise<void>
}

const FLUSH_MS = 5000
const BATCH_ROWS = 1000
const UPDATED_MAX = 100_000

export function openSessionRecords(store: Store, sessionsMax: number): SessionRecords {
  const cache = openSessionCache(sessionsMax)
  const { sessions } = store.tables
  // Changed since the last flush, and those that are being written; they outlive the cache.
  let updated = new Map<string, SessionRecord>()
  let flushing: ReadonlyMap<string, SessionRecord> = new Map()
  let flushed: Promise<void> = Promise.resolve()
  const hidden = openHiddenSessions()
  const timer = setInterval(() => void flush().catch(() => undefined), FLUSH_MS)
  timer.unref()

  async function writeUpdated(): Promise<void> {
    flushing = updated
    updated = new Map()
    let rows: [string, SessionRecord][] = []
    const writeRows = () => {
      for (const [id, record] of rows) sessions.put(id, record)
    }
    try {
      const all = [...flushing]
      for (let at = 0; at < all.length; at += BATCH_ROWS) {
        rows = all.slice(at, at + BATCH_ROWS)
        await store.write(writeRows)
      }
    } catch (cause) {
      updated = new Map([...flushing, ...updated])
      throw cause
    } finally {
      flushing = new Map()
    }
  }
  function flush(): Promise<void> {
    const next = flushed.then(writeUpdated)
    flushed = next.catch(() => undefined)
    return next
  }
  async function drop(sessionIds: readonly string[]): Promise<void> {
    await removeRows(store, sessionIds)
    for (const id of sessionIds) {
      cache.remove(id)
      updated.delete(id)
    }
  }
  function recent(sessionId: string): SessionRecord | undefined {
    return hidden.isHidden(sessionId) ? undefined : cache.get(sessionId)
  }
  return {
    create: async (sessionId, record) => {
      await store.put('sessions', sessionId, record)
      cache.set(sessionId, record)
    },
    find: (sessionId) => {
      if (hidden.isHidden(sessionId)) return undefined
      const known = cache.get(sessionId) ?? updated.get(sessionId) ?? flushing.get(sessionId)
      if (known !== undefined) return known
      const stored = sessions.get(sessionId)
      if (stored !== undefined) cache.set(sessionId, stored)
      return stored
    },
    recent,
    touch: (sessionId, record, seenMs) => {
      record.lastSeenMs = seenMs
      // Beyond the bound only the cache knows, until a flush makes room.
      if (updated.size < UPDATED_MAX || updated.has(sessionId)) updated.set(sessionId, record)
    },
    flush,
    hidden,
    remove: (sessionIds) => {
      // In line with the flushes: one that is under way would write what is removed.
      const removed = flushed.then(() => drop(sessionIds)).then(() => hidden.settle(sessionIds))
      flushed = removed.catch(() => undefined)
      return removed
    },
    removeBefore: (timeMs) => removeOld(store, timeMs, drop),
    cache,
    close: async () => {
      clearInterval(timer)
      await flush().catch(() => undefined)
    },
  }
}

/** As many as there are: more may come in a round than one step takes. */
async function removeOld(
  store: Store,
  beforeMs: number,
  drop: (sessionIds: readonly string[]) => Promise<void>,
): Promise<number> {
  let removed = 0
  for (;;) {
    const old = oldest(store, beforeMs)
    if (old.length > 0) await drop(old)
    removed += old.length
    if (old.length < BATCH_ROWS) return removed
  }
}

function oldest({ tables }: Store, beforeMs: number): string[] {
  const old: string[] = []
  // Ids begin with their time, so the oldest come first.
  for (const { key, value } of tables.sessions.range({ limit: BATCH_ROWS })) {
    if (value.createdMs >= beforeMs) break
    old.push(key)
  }
  return old
}

async function removeRows(store: Store, sessionIds: readonly string[]): Promise<void> {
  const { sessions, sessionTotals } = store.tables
  for (let at = 0; at < sessionIds.length; at += BATCH_ROWS)
    await store.release(() => {
      for (const id of sessionIds.slice(at, at + BATCH_ROWS)) {
        sessions.remove(id)
        sessionTotals.remove(id)
      }
    })
}
