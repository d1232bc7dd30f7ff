import type { Config } from '../../config.ts'
import { invalid } from '../../errors.ts'
import { isId, newId } from '../../ids.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import {
  type SessionAnalytics,
  SessionCreate,
  type SessionCreated,
  type SessionRead,
  type SessionRecord,
} from '../../schema/session.ts'
import type { Store } from '../../store/store.ts'
import { openStaysAhead } from '../wire/stays-ahead.ts'
import { bodyOf, unreadFields } from '../wire/unread-fields.ts'
import { glimpseOf, type SessionGlimpse } from './glimpse.ts'
import type { SessionCache } from './session-cache.ts'
import { openSessionRecords } from './session-records.ts'
import { openTotals, type Totals } from './totals.ts'

/** Sessions: made durable before they are answered, read from memory. */
export interface Sessions {
  /** Resolves when the session is on the disk and in the cache. Throws VALIDATION_FAILED for metadata over 8 KiB. */
  create: (sent: SessionCreate) => Promise<SessionCreated>
  /** Throws SESSION_NOT_FOUND. */
  get: (sessionId: string) => SessionRead
  analytics: (sessionId: string) => SessionAnalytics
  /** What known sessions did so far. */
  totals: Totals
  peek: (sessionId: string) => SessionGlimpse | undefined
  /**
   * The session was seen now. Counts at once; reaches the disk with the next flush, so that a crash may let
   * an idle session expire that much earlier. An expired or unknown session stays what it is.
   */
  touch: (sessionId: string) => void
  /** Writes what `touch` and `totals.add` learned. */
  flush: () => Promise<void>
  /** From now on these sessions are unknown, though their records are kept; `show` takes it back. */
  hide: (sessionIds: readonly string[]) => void
  show: (sessionIds: readonly string[]) => void
  /** Whether a session is hidden, or was removed since the start: what was under way for it is to leave no row. */
  isForgotten: (sessionId: string) => boolean
  /** Resolves when these sessions and what they did are off the disk. */
  remove: (sessionIds: readonly string[]) => Promise<void>
  /** Removes the sessions whose analytics are past their time; returns how many. */
  sweep: (nowMs: number) => Promise<number>
  /** Bytes that the cache holds, now and at most so far, as text in megabytes. */
  health: () => Promise<{ memory: { used: string; peak: string } }>
  close: () => Promise<void>
}

export interface SessionsOptions {
  store: Store
  config: Pick<Config, 'sessionIdleMs' | 'sessionAbsoluteMs' | 'sessionCacheMax' | 'retentionMs'>
  /** Milliseconds since the epoch. */
  clock?: () => number
  metrics?: Pick<Metrics, 'collect'>
}

const METADATA_BYTES_MAX = 8 << 10
/** A session whose `userId` is not read is nobody's: tests and limits take each of them for another person. */
const BODY = bodyOf('a session', SessionCreate, {
  user: 'userId',
  client: 'clientId',
  deviceType: 'metadata.deviceType',
  platform: 'metadata.platform',
})

const UNKNOWN = 'is not the id of a session that is kept; POST /cortex/sessions begins one'

/** Opens the sessions of a store. `clock` decides what "now" is. */
export function openSessions(options: SessionsOptions): Sessions {
  const { store, config, clock = Date.now, metrics } = options
  const records = openSessionRecords(store, config.sessionCacheMax)
  const totals = openTotals(store)
  const staysAhead = openStaysAhead(clock)
  if (metrics !== undefined) collect(metrics, records.cache)

  function find(sessionId: string): SessionRecord | undefined {
    const known = records.recent(sessionId)
    if (known !== undefined) return known
    // Anything but one of our ids can't be there, and may not even fit a key.
    return isId(sessionId) ? records.find(sessionId.toLowerCase()) : undefined
  }
  function mustFind(sessionId: string): SessionRecord {
    const found = find(sessionId)
    if (found === undefined) throw invalid('id', UNKNOWN, 'SESSION_NOT_FOUND')
    return found
  }
  function isActive({ createdMs, lastSeenMs }: SessionRecord): boolean {
    const now = clock()
    return now - lastSeenMs <= config.sessionIdleMs && now - createdMs <= config.sessionAbsoluteMs
  }
  return {
    create: async (sent) => {
      const { sessionId, record } = makeRecord(sent, clock())
      await records.create(sessionId, record)
      const created = new Date(record.createdMs).toISOString()
      const warnings = unreadFields(sent, BODY)
      return {
        sessionId,
        created,
        metadata: sent.metadata ?? {},
        ...(warnings.length > 0 && { warnings }),
      }
    },
    get: (sessionId) => {
      const record = mustFind(sessionId)
      return describe(sessionId, record, isActive(record))
    },
    analytics: (sessionId) => {
      const record = mustFind(sessionId)
      return { ...describeTimes(sessionId, record, isActive(record)), ...totals.of(sessionId) }
    },
    totals,
    peek: (sessionId) => {
      const record = find(sessionId)
      return record === undefined ? undefined : glimpseOf(sessionId, record, isActive(record))
    },
    touch: (sessionId) => {
      const record = find(sessionId)
      if (record === undefined || !isActive(record)) return
      // One that was made, or seen, while the clock was ahead would be active until that time, or a day beyond it.
      if (staysAhead(record.createdMs)) record.createdMs = clock()
      const beforeMs = staysAhead(record.lastSeenMs) ? 0 : record.lastSeenMs
      records.touch(sessionId.toLowerCase(), record, Math.max(beforeMs, clock()))
    },
    flush: async () => {
      await records.flush()
      await totals.flush()
    },
    hide: records.hidden.hide,
    show: records.hidden.show,
    isForgotten: records.hidden.isForgotten,
    remove: async (sessionIds) => {
      // What waits would be written behind their rows.
      await totals.flush(store.release)
      await records.remove(sessionIds)
    },
    sweep: (nowMs) => records.removeBefore(nowMs - config.sessionAbsoluteMs - config.retentionMs),
    health: async () => ({
      memory: {
        used: megabytes(records.cache.bytes()),
        peak: megabytes(records.cache.bytesPeak()),
      },
    }),
    close: async () => {
      await records.close()
      await totals.flush().catch(() => undefined)
    },
  }
}

function collect(metrics: Pick<Metrics, 'collect'>, cache: SessionCache): void {
  metrics.collect('svc_sessions_cached', 'Sessions in the session cache', [], () => [
    { value: cache.size() },
  ])
  metrics.collect('svc_sessions_cache_bytes', 'Bytes that cached sessions take', [], () => [
    { value: cache.bytes() },
  ])
}

function makeRecord(
  sent: SessionCreate,
  nowMs: number,
): { sessionId: string; record: SessionRecord } {
  const metadata = JSON.stringify(sent.metadata ?? {})
  if (metadata.length > METADATA_BYTES_MAX || Buffer.byteLength(metadata) > METADATA_BYTES_MAX)
    throw invalid('metadata', `must be at most ${METADATA_BYTES_MAX} bytes of JSON`)
  const record: SessionRecord = { createdMs: nowMs, lastSeenMs: nowMs, metadata }
  if (sent.clientId !== undefined) record.clientId = sent.clientId
  if (sent.userId !== undefined) record.userId = sent.userId
  return { sessionId: newId(nowMs), record }
}

function describe(sessionId: string, record: SessionRecord, active: boolean): SessionRead {
  const { clientId, userId } = record
  return {
    ...describeTimes(sessionId, record, active),
    ...(clientId === undefined ? {} : { clientId }),
    ...(userId === undefined ? {} : { userId }),
    metadata: JSON.parse(record.metadata),
  }
}

function describeTimes(sessionId: string, record: SessionRecord, active: boolean) {
  return {
    sessionId: sessionId.toLowerCase(),
    status: active ? ('ACTIVE' as const) : ('EXPIRED' as const),
    created: new Date(record.createdMs).toISOString(),
    lastSeen: new Date(record.lastSeenMs).toISOString(),
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / (1 << 20)).toFixed(1)}MB`
}
