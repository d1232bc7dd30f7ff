import { threadId } from 'node:worker_threads'

/**
 * Bytes that a worker wrote into memory shared with the main thread. Copying a page through a message costs
 * more in garbage collection than making it: memory outside the heap is what V8 collects most eagerly for.
 */
export interface LentBytes {
  /** Which slab of which thread. */
  slab: string
  length: number
  /** The slab's memory, when the main thread has not seen it yet; it takes the place of an earlier one. */
  memory?: SharedArrayBuffer
}

const SLAB_BYTES = 256 << 10

/**
 * A thread's two slabs, used in turn. What is written into one is overwritten two jobs later: by then the
 * main thread, which hands out the next job in the turn in which it takes an answer, has sent it.
 */
export interface Slabs {
  /** The buffer for the next page. */
  next: () => Buffer
  /** A larger one in its place, with the first `used` bytes in it. */
  grow: (used: number, bytes: number) => Buffer
  /** What the main thread needs to see the first `length` bytes. */
  lend: (length: number) => LentBytes
}

interface Slab {
  name: string
  memory: SharedArrayBuffer
  buffer: Buffer
  isKnown: boolean
}

/** Opens the slabs of this thread. */
export function openSlabs(): Slabs {
  const create = (place: 0 | 1, bytes: number): Slab => {
    const memory = new SharedArrayBuffer(bytes)
    return { name: `${threadId}.${place}`, memory, buffer: Buffer.from(memory), isKnown: false }
  }
  const pair: [Slab, Slab] = [create(0, SLAB_BYTES), create(1, SLAB_BYTES)]
  let turn: 0 | 1 = 0
  return {
    next: () => {
      turn = turn === 0 ? 1 : 0
      // A page of many megabytes was an exception: its memory is given back.
      if (pair[turn].buffer.length > 16 * SLAB_BYTES) pair[turn] = create(turn, SLAB_BYTES)
      return pair[turn].buffer
    },
    grow: (used, bytes) => {
      const larger = create(turn, Math.max(bytes, 2 * pair[turn].buffer.length))
      pair[turn].buffer.copy(larger.buffer, 0, 0, used)
      pair[turn] = larger
      return larger.buffer
    },
    lend: (length) => {
      const slab = pair[turn]
      const lent: LentBytes = { slab: slab.name, length }
      if (slab.isKnown) return lent
      slab.isKnown = true
      return { ...lent, memory: slab.memory }
    },
  }
}

/** The main thread's side: turns what workers lend into bytes, valid until the event loop's next turn. */
export function openLentBytes(): (lent: LentBytes) => Uint8Array {
  const known = new Map<string, Uint8Array>()
  return ({ slab, length, memory }) => {
    if (memory !== undefined) known.set(slab, new Uint8Array(memory))
    const bytes = known.get(slab)
    if (bytes === undefined) throw new Error(`A worker lent bytes of an unknown slab ${slab}.`)
    return bytes.subarray(0, length)
  }
}
