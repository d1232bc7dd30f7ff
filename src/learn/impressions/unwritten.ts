import { openChunks } from './chunks.ts'
import { encodeImpression, type ImpressionParts } from './impression.ts'

/**
 * Impressions on their way to the disk. Each is given to one transaction at a time, and stays until the one after it is
 * written, too: by then the processor has mostly taken it, and need not read it from the disk.
 */
export interface Unwritten {
  /** Copies the parts. False when there is no room. */
  add: (queryId: string, parts: ImpressionParts) => boolean
  /** All that wait; no other transaction gets them until they are put back. */
  take: () => string[]
  /** Its bytes, until it is forgotten. */
  find: (queryId: string) => Buffer | undefined
  /** They were taken, and are on the disk. */
  settle: (queryIds: readonly string[]) => void
  /** They were taken, and are lost. */
  forget: (queryIds: readonly string[]) => void
  /** Forgets all that is on the disk. */
  forgetSettled: () => void
  /** Their transaction failed: the next one writes them. */
  putBack: (queryIds: readonly string[]) => void
  /** How many are not on the disk yet. */
  size: () => number
}

export function openUnwritten(max: number): Unwritten {
  const chunks = openChunks()
  const kept = new Map<string, Buffer>()
  let waiting: string[] = []
  let settled: readonly string[] = []

  function forget(queryIds: readonly string[]): void {
    for (const queryId of queryIds) {
      const bytes = kept.get(queryId)
      if (bytes === undefined) continue
      kept.delete(queryId)
      chunks.release(bytes)
    }
  }
  function settle(queryIds: readonly string[]): void {
    forget(settled)
    settled = queryIds
  }
  return {
    add: (queryId, parts) => {
      if (kept.size - settled.length >= max) return false
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
    settle,
    forget,
    forgetSettled: () => settle([]),
    putBack: (queryIds) => {
      waiting = [...queryIds, ...waiting]
    },
    size: () => kept.size - settled.length,
  }
}
