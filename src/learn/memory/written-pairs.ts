/** Which pairs of a session and a query may have a row: most searches are a pair's first, and need not look. */
export interface WrittenPairs {
  /** False when there is certainly no row of the pair with this hash; from now on there may be one. */
  note: (sessionId: string, pairHash: number) => boolean
  /** Nothing is known of sessions up to this one, and all of later ones. */
  restart: (sessionId: string) => void
}

/** Slots of four bytes; at most half of them are filled. */
const SLOTS = 1 << 19

/** A set of hashes of all pairs of the sessions behind one, whose ids sort by the time of their creation. */
export function openWrittenPairs(): WrittenPairs {
  const slots = new Int32Array(SLOTS)
  let filled = 0
  let unknownUpTo = ''
  let newest = ''

  function restart(sessionId: string): void {
    slots.fill(0)
    filled = 0
    unknownUpTo = newest = sessionId
  }
  return {
    note: (sessionId, hash) => {
      if (sessionId > newest) newest = sessionId
      if (sessionId <= unknownUpTo) return true
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

/** The hash of a pair, 32 bits, never 0, which is a free slot: FNV-1a with a last mix, of both as one text. */
export function hashOfPair(sessionId: string, queryHash: string): number {
  let hash = Math.imul(addTo(0x811c9dc5, sessionId) ^ SLASH, PRIME)
  hash = addTo(hash, queryHash)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return hash ^ (hash >>> 12) || 1
}

function addTo(start: number, text: string): number {
  let hash = start
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME)
  return hash
}

const SLASH = 0x2f
const PRIME = 0x01000193
