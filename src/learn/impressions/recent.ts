import { openChunks } from './chunks.ts'
import { encodeImpression, type ImpressionParts } from './impression.ts'

/**
 * Impressions on their way to the disk, and the last that came there: learning reads each a moment later, and would find
 * it in pages that nobody has touched yet. Each is given to one transaction at a time.
 */
export interface Recent {
  /** Copies the parts. False when there is no room. */
  add: (queryId: string, parts: ImpressionParts) => boolean
  /** All that wait; no other transaction gets them until they are put back. */
  take: () => string[]
  /** Its bytes, until the next call that forgets. */
  find: (queryId: string) => Buffer | undefined
  /** They were taken, and are on the disk: the last of them stay. */
  settle: (queryIds: readonly string[]) => void
  /** They were taken, and never came there. */
  lose: (queryIds: readonly string[]) => void
  /** They are on the disk no longer. */
  forget: (queryIds: readonly string[]) => void
  /** Their transaction failed: the next one writes them. */
  putBack: (queryIds: readonly string[]) => void
  /** How many wait or are under way. */
  size: () => number
}

/** Impressions on the disk that stay: with some 3 kB each, those of a tenth of a second and more under full load. */
const WRITTEN_MAX = 1024

export function openRecent(max: number): Recent {
  const chunks = openChunks()
  const kept = new Map<string, Buffer>()
  let waiting: string[] = []
  let unsettled = 0
  /** Those on the disk, as they came there; some may be forgotten. */
  const written: (readonly string[])[] = []
  let settled = 0

  function release(queryIds: readonly string[]): void {
    for (const queryId of queryIds) {
      const bytes = kept.get(queryId)
      if (bytes === undefined) continue
      kept.delete(queryId)
      chunks.release(bytes)
    }
  }
  return {
    add: (queryId, parts) => {
      if (unsettled >= max) return false
      unsettled += 1
      kept.set(queryId, encodeImpression(parts, chunks.room))
      waiting.push(queryId)
      return true
    },
    take: () => {
      const taken = waiting
      waiting = []
      return taken
    },
    find: (queryId) => kept.get(queryId),
    settle: (queryIds) => {
      unsettled -= queryIds.length
      written.push(queryIds)
      settled += queryIds.length
      while (settled > WRITTEN_MAX) {
        const oldest = written.shift() ?? []
        settled -= oldest.length
        release(oldest)
      }
    },
    lose: (queryIds) => {
      unsettled -= queryIds.length
      release(queryIds)
    },
    forget: release,
    putBack: (queryIds) => {
      waiting = [...queryIds, ...waiting]
    },
    size: () => unsettled,
  }
}
