import type { SessionRecord } from '../../schema/session.ts'

/** Sessions in memory: the least recently used go first when there are too many or they take too much. */
export interface SessionCache {
  get: (sessionId: string) => SessionRecord | undefined
  set: (sessionId: string, record: SessionRecord) => void
  remove: (sessionId: string) => void
  size: () => number
  /** Bytes of the ids, texts and fixed parts of all entries. */
  bytes: () => number
  bytesPeak: () => number
}

const CACHE_BYTES_MAX = 64 << 20
/** Map slot, record object, two heap numbers and string headers in V8, measured over 100 000 entries. */
const ENTRY_BYTES = 260

export function openSessionCache(
  sessionsMax: number,
  bytesMax: number = CACHE_BYTES_MAX,
): SessionCache {
  // A Map walks in order of insertion: the first entry is the least recently used.
  const entries = new Map<string, SessionRecord>()
  // Kept between evictions: one that starts anew first walks over all places that earlier ones left empty.
  let fromOldest = entries.entries()
  let bytes = 0
  let bytesPeak = 0
  /** The most recently used, which need not be moved to the end again. */
  let newest: string | undefined

  /** Twice as many would fit: whoever has to go one day is used again, and moved, before. */
  function isRoomy(): boolean {
    return 2 * entries.size <= sessionsMax && 2 * bytes <= bytesMax
  }
  function drop(sessionId: string, record: SessionRecord): void {
    entries.delete(sessionId)
    bytes -= bytesOf(sessionId, record)
  }
  function shrink(): void {
    while (entries.size > 0 && (entries.size > sessionsMax || bytes > bytesMax)) {
      const oldest = fromOldest.next()
      if (oldest.done === true) fromOldest = entries.entries()
      else drop(...oldest.value)
    }
  }
  return {
    get: (sessionId) => {
      const record = entries.get(sessionId)
      if (record === undefined || sessionId === newest || isRoomy()) return record
      entries.delete(sessionId)
      entries.set(sessionId, record)
      newest = sessionId
      return record
    },
    set: (sessionId, record) => {
      const before = entries.get(sessionId)
      if (before !== undefined) drop(sessionId, before)
      entries.set(sessionId, record)
      newest = sessionId
      bytes += bytesOf(sessionId, record)
      if (entries.size > sessionsMax || bytes > bytesMax) shrink()
      bytesPeak = Math.max(bytesPeak, bytes)
    },
    remove: (sessionId) => {
      const record = entries.get(sessionId)
      if (record !== undefined) drop(sessionId, record)
    },
    size: () => entries.size,
    bytes: () => bytes,
    bytesPeak: () => bytesPeak,
  }
}

function bytesOf(sessionId: string, { clientId, userId, metadata }: SessionRecord): number {
  return (
    ENTRY_BYTES +
    sessionId.length +
    textBytes(metadata) +
    textBytes(clientId ?? '') +
    textBytes(userId ?? '')
  )
}

/** V8 keeps one byte a character, or two when any is beyond Latin-1. */
function textBytes(text: string): number {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0xff) return text.length * 2
  return text.length
}
