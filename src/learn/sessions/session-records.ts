import type { SessionRecord } from '../../schema/session.ts'
import type { Store } from '../../store/store.ts'
import { openSessionCache, type SessionCache } from './session-cache.ts'

/** Session records in memory and on the disk. */
export interface SessionRecords {
  /** Resolves when the record is on the disk, and then in the cache. */
  create: (sessionId: string, record: SessionRecord) => Promise<void>
  find: (sessionId: string) => SessionRecord | undefined
  /** Counts at once, and reaches the disk with the next flush. */
  update: (sessionId: string, record: SessionRecord) => void
  flush: () => Promise<void>
  /** Removes some records made before a time, oldest first; returns how many. */
  removeBefore: (timeMs: number) => Promise<number>
  cache: SessionCache
  close: () => Promise<void>
}

const FLUSH_MS = 5000
const BATCH_ROWS = 1000
const UPDATED_MAX = 100_000

export function openSessionRecords(store: Store, sessionsMax: number): SessionRecords {
  const cache = openSessionCache(sessionsMax)
  const { sessions, sessionTotals } = store.tables
  // Changed since the last flush; they outlive the cache.
  const updated = new Map<string, SessionRecord>()
  const timer = setInterval(() => void flush().catch(() => undefined), FLUSH_MS)
  timer.unref()

  async function flush(): Promise<void> {
    while (updated.size > 0) {
      const rows = [...updated.entries()].slice(0, BATCH_ROWS)
      await store.write(() => {
        for (const [id, record] of rows) sessions.put(id, record)
      })
      for (const [id, record] of rows) if (updated.get(id) === record) updated.delete(id)
    }
  }
  return {
    create: async (sessionId, record) => {
      await store.put('sessions', sessionId, record)
      cache.set(sessionId, record)
    },
    find: (sessionId) => {
      const known = cache.get(sessionId) ?? updated.get(sessionId)
      if (known !== undefined) return known
      const stored = sessions.get(sessionId)
      if (stored !== undefined) cache.set(sessionId, stored)
      return stored
    },
    update: (sessionId, record) => {
      cache.set(sessionId, record)
      // Beyond the bound only the cache knows, until a flush makes room.
      if (updated.size < UPDATED_MAX || updated.has(sessionId)) updated.set(sessionId, record)
    },
    flush,
    removeBefore: async (timeMs) => {
      const old: string[] = []
      // Ids begin with their time, so the oldest come first.
      for (const { key, value } of sessions.range({ limit: BATCH_ROWS })) {
        if (value.createdMs >= timeMs) break
        old.push(key)
      }
      if (old.length === 0) return 0
      await store.release(() => {
        for (const id of old) {
          sessions.remove(id)
          sessionTotals.remove(id)
        }
      })
      for (const id of old) {
        cache.remove(id)
        updated.delete(id)
      }
      return old.length
    },
    cache,
    close: async () => {
      clearInterval(timer)
      await flush().catch(() => undefined)
    },
  }
}
