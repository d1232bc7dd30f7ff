/** Which pairs of a session and a query may have a row: most searches are a pair's first, and need not look. */
export interface WrittenPairs {
  /** False when there is certainly no row of this pair; from now on there may be one. */
  note: (sessionId: string, pair: string) => boolean
  /** Nothing is known of sessions up to this one, and all of later ones. */
  restart: (sessionId: string) => void
}

/** Slots of four bytes; at most half of them are filled. */
const SLOTS = 1 << 19

/** A set of hashes of all pairs of the sessions behind one, whose ids sort by the time of their creation. */
export function openWrittenPairs(): WrittenPairs {
  const slots = new Uint32Array(SLOTS)
  let filled = 0
  let unknownUpTo = ''
  let newest = ''

  function restart(sessionId: string): void {
    slots.fill(0)
    filled = 0
    unknownUpTo = newest = sessionId
  }
  return {
    note: (sessionId, pair) => {
      if (sessionId > newest) newest = sessionId
      if (sessionId <= unknownUpTo) return true
      const hash = hashOf(pair)
      let at = hash & (SLOTS - 1)
      for (; slots[at] !== 0; at = (at + 1) & (SLOTS - 1)) if (slots[at] === hash) return true
      slots[at] = hash
      filled += 1
      if (filled > SLOTS / 2) restart(newest)
      return false
    },
    restart,
  }
}

/** FNV-1a with a last mix; never 0, which is a free slot. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 12)) >>> 0 || 1
}
