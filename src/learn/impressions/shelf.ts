/**
 * Bytes by their names that come one by one and go all together. A buffer of its own for each would outlive the small
 * collections, as would the tables of a map from which each is taken out by itself: V8 gives such a map a new table every
 * so often, and an old one, once it counts as old, keeps all that comes after it from the small collections, too.
 */
export interface Shelf {
  /** Room for the bytes of a name that is not there yet. */
  room: (name: string, bytes: number) => Buffer
  /** The bytes kept under a name, valid until the shelf is cleared. */
  find: (name: string) => Buffer | undefined
  /** Whether there was ever room for it, removed or not. */
  has: (name: string) => boolean
  remove: (name: string) => void
  /** How many names there were. */
  size: () => number
  /** Memory that is taken by what lies there, or lay there and was removed. */
  bytes: () => number
  /** Empties it; the memory is used again. */
  clear: () => void
}

const CHUNK_BYTES = 256 << 10
/** Empty chunks that are held for the next bytes. */
const EMPTY_MAX = 8
/** In front of what was put there stands its length. */
const LENGTH_BYTES = 4
const REMOVED = -1

export function openShelf(): Shelf {
  /**
   * Where each begins, counted through all chunks as if each had `CHUNK_BYTES`: a small integer, which V8 keeps
   * without an object.
   */
  const places = new Map<string, number>()
  const chunks: Buffer[] = []
  const empty: Buffer[] = []
  /** Bytes used of the last chunk. */
  let used = 0
  /** Bytes of all chunks that are in use. */
  let bytesTaken = 0

  function begin(bytes: number): Buffer {
    const known = bytes <= CHUNK_BYTES ? empty.pop() : undefined
    const chunk = known ?? Buffer.allocUnsafeSlow(Math.max(bytes, CHUNK_BYTES))
    chunks.push(chunk)
    bytesTaken += chunk.length
    used = 0
    return chunk
  }
  return {
    room: (name, length) => {
      const bytes = LENGTH_BYTES + length
      let chunk = chunks.at(-1)
      if (chunk === undefined || used + bytes > CHUNK_BYTES) chunk = begin(bytes)
      places.set(name, (chunks.length - 1) * CHUNK_BYTES + used)
      chunk.writeUInt32LE(length, used)
      const start = used + LENGTH_BYTES
      used += bytes
      return chunk.subarray(start, used)
    },
    find: (name) => {
      const place = places.get(name)
      if (place === undefined || place === REMOVED) return undefined
      const chunk = chunks[Math.floor(place / CHUNK_BYTES)] as Buffer
      const at = place % CHUNK_BYTES
      const start = at + LENGTH_BYTES
      return chunk.subarray(start, start + chunk.readUInt32LE(at))
    },
    has: (name) => places.has(name),
    remove: (name) => {
      if (places.has(name)) places.set(name, REMOVED)
    },
    size: () => places.size,
    bytes: () => bytesTaken,
    clear: () => {
      places.clear()
      for (const chunk of chunks)
        if (chunk.length === CHUNK_BYTES && empty.length < EMPTY_MAX) empty.push(chunk)
      chunks.length = used = bytesTaken = 0
    },
  }
}
