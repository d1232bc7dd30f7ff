/** Sessions that are being forgotten, and that were since the start. */
export interface HiddenSessions {
  /** They are not found any more, though they are on the disk. */
  hide: (sessionIds: readonly string[]) => void
  /** They are found again. */
  show: (sessionIds: readonly string[]) => void
  /** They are off the disk. */
  settle: (sessionIds: readonly string[]) => void
  isHidden: (sessionId: string) => boolean
  /** Whether a session is hidden or was forgotten: what was under way for it is to leave no row. In any spelling. */
  isForgotten: (sessionId: string) => boolean
}

/** How many of the last forgotten sessions are remembered: for longer than any search is under way. */
const SETTLED_MAX = 100_000

export function openHiddenSessions(): HiddenSessions {
  const hidden = new Set<string>()
  const settled = new Set<string>()

  return {
    hide: (sessionIds) => {
      for (const id of sessionIds) hidden.add(id)
    },
    show: (sessionIds) => {
      for (const id of sessionIds) hidden.delete(id)
    },
    settle: (sessionIds) => {
      for (const id of sessionIds) {
        hidden.delete(id)
        settled.add(id)
      }
      for (const oldest of settled) {
        if (settled.size <= SETTLED_MAX) break
        settled.delete(oldest)
      }
    },
    // Most of the time there are none, and each search asks.
    isHidden: (sessionId) => hidden.size > 0 && hidden.has(sessionId),
    isForgotten: (sessionId) => {
      if (hidden.size + settled.size === 0) return false
      const id = sessionId.toLowerCase()
      return hidden.has(id) || settled.has(id)
    },
  }
}
