/** Impressions on their way to the disk. Each is given to one transaction at a time. */
export interface Unwritten {
  /** False when there is no room. */
  add: (queryId: string, bytes: Uint8Array) => boolean
  /** All that wait; no other transaction gets them until they are put back. */
  take: () => string[]
  find: (queryId: string) => Uint8Array | undefined
  /** They are on the disk, or lost. */
  forget: (queryIds: readonly string[]) => void
  /** Their transaction failed: the next one writes them. */
  putBack: (queryIds: readonly string[]) => void
  waiting: () => readonly string[]
  size: () => number
}

export function openUnwritten(max: number): Unwritten {
  const waiting = new Map<string, Uint8Array>()
  const underWay = new Map<string, Uint8Array>()
  const size = () => waiting.size + underWay.size
  return {
    add: (queryId, bytes) => {
      if (size() >= max) return false
      waiting.set(queryId, bytes)
      return true
    },
    take: () => {
      for (const [queryId, bytes] of waiting) underWay.set(queryId, bytes)
      const taken = [...waiting.keys()]
      waiting.clear()
      return taken
    },
    find: (queryId) => waiting.get(queryId) ?? underWay.get(queryId),
    forget: (queryIds) => {
      for (const queryId of queryIds) {
        waiting.delete(queryId)
        underWay.delete(queryId)
      }
    },
    putBack: (queryIds) => {
      for (const queryId of queryIds) {
        const bytes = underWay.get(queryId)
        underWay.delete(queryId)
        if (bytes !== undefined) waiting.set(queryId, bytes)
      }
    },
    waiting: () => [...waiting.keys()],
    size,
  }
}
