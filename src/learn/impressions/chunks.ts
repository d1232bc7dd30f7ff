/**
 * Memory for bytes that stay for a moment. A buffer of its own for each would outlive the small collections and then
 * wait, as memory outside the heap, for a full one: that comes the sooner for it, and takes longer than many searches.
 */
export interface Chunks {
  /** Room for so many bytes, which lasts until it is released. */
  room: (bytes: number) => Buffer
  /** Takes back what `room` gave; nobody may read it any more. */
  release: (room: Buffer) => void
}

const CHUNK_BYTES = 256 << 10
/** Empty chunks that are held for the next bytes. */
const EMPTY_MAX = 4

interface Chunk {
  memory: Buffer
  used: number
  /** How many parts of it last. */
  kept: number
}

export function openChunks(): Chunks {
  const chunks = new Map<ArrayBufferLike, Chunk>()
  const empty: Chunk[] = []
  let current: Chunk | undefined

  function begin(bytes: number): Chunk {
    const known = bytes <= CHUNK_BYTES ? empty.pop() : undefined
    if (known !== undefined) return known
    const memory = Buffer.allocUnsafeSlow(Math.max(bytes, CHUNK_BYTES))
    const chunk = { memory, used: 0, kept: 0 }
    chunks.set(memory.buffer, chunk)
    return chunk
  }
  function retire(chunk: Chunk): void {
    chunk.used = 0
    if (chunk.memory.length === CHUNK_BYTES && empty.length < EMPTY_MAX) empty.push(chunk)
    else chunks.delete(chunk.memory.buffer)
  }
  return {
    room: (bytes) => {
      if (current === undefined || current.used + bytes > current.memory.length) {
        if (current?.kept === 0) retire(current)
        current = begin(bytes)
      }
      const { memory, used } = current
      current.used += bytes
      current.kept += 1
      return memory.subarray(used, current.used)
    },
    release: ({ buffer }) => {
      const chunk = chunks.get(buffer)
      if (chunk === undefined) return
      chunk.kept -= 1
      if (chunk.kept > 0) return
      if (chunk === current) chunk.used = 0
      else retire(chunk)
    },
  }
}
