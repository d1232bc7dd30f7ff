import { threadId } from 'node:worker_threads'

/**
 * Bytes that a worker wrote into memory shared with the main thread. A page sent by message is copied three
 * times into memory outside the heap, and that is what V8 collects most eagerly for.
 */
export interface LentBytes {
  /** Which slab of which thread. */
  slab: string
  length: number
  /** The slab's memory, when the main thread has not seen it yet; it takes the place of an earlier one. */
  memory?: SharedArrayBuffer
  /** It will not be used again: a page so long is an exception. */
  isLast?: true
}

const SLAB_BYTES = 64 << 10
/**
 * Beyond it a slab is used once. Nobody collects what is used once: V8 does not count memory that threads share, and
 * lets hundreds of megabytes of it lie. So pages of a thousand hits, say, have slabs that are used again.
 */
const KEPT_BYTES_MAX = 8 << 20
/** So much a thread keeps in all; then large slabs become small ones when their turn comes. */
const THREAD_BYTES_MAX = 16 << 20
/** Slabs are looked through for a free one; a thread whose pages wait longer than for these makes more. */
const FREE = 0
const LENT = 1
/** In front of a slab's bytes stands its state. */
const STATE_BYTES = 4

interface Slab {
  name: string
  memory: SharedArrayBuffer
  state: Int32Array
  bytes: Buffer
  isKnown: boolean
}

/** A thread's slabs: one is taken for each page, and free again when the main thread has copied it. */
export interface Slabs {
  /** A free buffer for the next page. */
  next: () => Buffer
  /** A larger one in its place, with the first `used` bytes in it. */
  grow: (used: number, bytes: number) => Buffer
  /** What the main thread needs to take the first `length` bytes. */
  lend: (length: number) => LentBytes
}

/** Opens the slabs of this thread. */
export function openSlabs(): Slabs {
  const slabs: Slab[] = []
  let at = 0

  function create(place: number, bytes: number): Slab {
    const memory = new SharedArrayBuffer(STATE_BYTES + bytes)
    const slab: Slab = {
      name: `${threadId}.${place}`,
      memory,
      state: new Int32Array(memory, 0, 1),
      bytes: Buffer.from(memory, STATE_BYTES),
      isKnown: false,
    }
    slabs[place] = slab
    return slab
  }

  /** One that grew for a page that was refused in the end may be larger than any that is kept. */
  function mayStay({ bytes }: Slab): boolean {
    if (bytes.length <= SLAB_BYTES) return true
    const all = slabs.reduce((sum, slab) => sum + slab.bytes.length, 0)
    return bytes.length <= KEPT_BYTES_MAX && all <= THREAD_BYTES_MAX
  }

  return {
    next: () => {
      at = slabs.findIndex(({ state }) => Atomics.load(state, 0) === FREE)
      if (at < 0) at = slabs.length
      const slab = slabs[at]
      return slab !== undefined && mayStay(slab) ? slab.bytes : create(at, SLAB_BYTES).bytes
    },
    grow: (used, bytes) => {
      const before = slabs[at]
      const larger = create(at, Math.max(bytes, 2 * (before?.bytes.length ?? 0)))
      before?.bytes.copy(larger.bytes, 0, 0, used)
      return larger.bytes
    },
    lend: (length) => {
      const slab = slabs[at] ?? create(at, SLAB_BYTES)
      Atomics.store(slab.state, 0, LENT)
      const lent: LentBytes = { slab: slab.name, length }
      if (slab.bytes.length > KEPT_BYTES_MAX) {
        create(at, SLAB_BYTES)
        return { ...lent, memory: slab.memory, isLast: true }
      }
      if (slab.isKnown) return lent
      slab.isKnown = true
      return { ...lent, memory: slab.memory }
    },
  }
}

/** The main thread's side: copies what a worker lent and gives the slab back. */
export function openLentBytes(): (lent: LentBytes) => Uint8Array {
  const known = new Map<string, SharedArrayBuffer>()
  return ({ slab, length, memory, isLast }) => {
    if (memory !== undefined && isLast !== true) known.set(slab, memory)
    const shared = memory ?? known.get(slab)
    if (shared === undefined) throw new Error(`A worker lent bytes of an unknown slab ${slab}.`)
    const bytes = Buffer.allocUnsafe(length)
    bytes.set(new Uint8Array(shared, STATE_BYTES, length))
    Atomics.store(new Int32Array(shared, 0, 1), 0, FREE)
    return bytes
  }
}
