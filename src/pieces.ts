/** Pieces up to this length are put together: each by itself takes some two hundred bytes more than it holds. */
const PIECE_BYTES = 64 << 10
const NOTHING = new Uint8Array()

/**
 * What came in pieces, copied, in few pieces: whoever sends a body a byte at a time makes nobody keep a hundred times what
 * was sent.
 */
export interface Pieces {
  add: (piece: Uint8Array) => void
  /** Takes the first one out; undefined when there is none. */
  take: () => Uint8Array | undefined
  /** Takes all of them out. */
  takeAll: () => Uint8Array[]
}

export function openPieces(): Pieces {
  let closed: Uint8Array[] = []
  /** The last one, of which the first `used` bytes count. */
  let growing: Uint8Array = NOTHING
  let used = 0
  const close = (): void => {
    if (used > 0) closed.push(growing.subarray(0, used))
    growing = NOTHING
    used = 0
  }
  return {
    add: (piece) => {
      const bytes = used + piece.length
      if (bytes > PIECE_BYTES) close()
      if (used === 0) growing = new Uint8Array(piece)
      else {
        if (bytes > growing.length) growing = grown(growing, bytes)
        growing.set(piece, used)
      }
      used += piece.length
    },
    take: () => {
      if (closed.length === 0) close()
      return closed.shift()
    },
    takeAll: () => {
      close()
      const all = closed
      closed = []
      return all
    },
  }
}

function grown(bytes: Uint8Array, least: number): Uint8Array {
  const larger = new Uint8Array(Math.min(PIECE_BYTES, Math.max(2 * bytes.length, least)))
  larger.set(bytes)
  return larger
}
