import { openChunks } from './chunks.ts'
import { encodeImpression, type ImpressionParts } from './impression.ts'

/** Impressions on their way to the disk. Each is given to one transaction at a time. */
export interface Unwritten {
  /** Copies the parts. False when there is no room. */
  add: (queryId: string, parts: ImpressionParts) => boolean
  /** All that wait; no other transaction gets them until they are put back. */
  take: () => string[]
  /** Its bytes, until it is forgotten. */
  find: (queryId: string) => Buffer | undefined
  /** They were taken, and are on the disk or lost. */
  forget: (queryIds: readonly string[]) => void
  /** Their transaction failed: the next one writes them. */
  putBack: (queryIds: readonly string[]) => void
  size: () => number
}

export function openUnwritten(max: number): Unwritten {
  const chunks = openChunks()
  const kept = new Map<string, Buffer>()
  let waiting: string[] = []
  return {
    add: (queryId, parts) => {
      if (kept.size >= max) return false
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
    forget: (queryIds) => {
      for (const queryId of queryIds) {
        const bytes = kept.get(queryId)
        if (bytes === undefined) continue
        kept.delete(queryId)
        chunks.release(bytes)
      }
    },
    putBack: (queryIds) => {
      waiting = [...queryIds, ...waiting]
    },
    size: () => kept.size,
  }
}
