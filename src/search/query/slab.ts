import { threadId } from 'node:worker_threads'
import type { Claim } from '../../answer-room.ts'

/**
 * Bytes that a worker wrote into memory shared with the main thread. A page copied by message is copied three
 * times into memory outside the heap, and that is what V8 collects most eagerly for.
 */
export interface LentBytes {
  /** Which slab of which thread; undefined where no slab has room. */
  slab: string | undefined
  length: number
  /** The slab's memory, when the main thread has not seen it yet; it takes the place of an earlier one. */
  memory?: SharedArrayBuffer
  /** The bytes themselves, of a page that no slab has room for: the main thread takes their memory over. */
  pieces?: Uint8Array<ArrayBuffer>[]
  /** What is claimed of the room for answers, of a long page. */
  claimed?: Claim
}

const SLAB_BYTES = 64 << 10
/**
 * Longer pages, and those that would make a thread keep more in all, are handed over. Shared memory must be used again:
 * V8 does not count it, and a thread at rest never lets go of what it dropped. A hundred pages of 10 MB left 2.3 GB.
 */
const KEPT_BYTES_MAX = 8 << 20
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
  /** A larger one in its place, with the first `used` bytes in it; undefined when a slab has no room for so many. */
  grow: (used: number, bytes: number) => Buffer | undefined
  /** What the main thread needs to take the first `length` bytes. */
  lend: (length: number) => LentBytes
}

/** Opens the slabs of this thread. */
export function openSlabs(): Slabs {
  const slabs: Slab[] = []
  let at = 0
  let bytesInAll = 0

  function create(bytes: number): Slab {
    bytesInAll += bytes - (slabs[at]?.bytes.length ?? 0)
    const memory = new SharedArrayBuffer(STATE_BYTES + bytes)
    const slab: Slab = {
      name: slabName(threadId, at),
      memory,
      state: new Int32Array(memory, 0, 1),
      bytes: Buffer.from(memory, STATE_BYTES),
      isKnown: false,
    }
    slabs[at] = slab
    return slab
  }

  function hasRoom(bytes: number): boolean {
    const own = slabs[at]?.bytes.length ?? 0
    return bytes <= KEPT_BYTES_MAX && bytesInAll - own + bytes <= THREAD_BYTES_MAX
  }

  return {
    next: () => {
      at = slabs.findIndex(({ state }) => Atomics.load(state, 0) === FREE)
      if (at < 0) at = slabs.length
      return (slabs[at] ?? create(SLAB_BYTES)).bytes
    },
    grow: (used, bytes) => {
      const before = slabs[at]?.bytes
      const wanted = Math.max(bytes, 2 * (before?.length ?? 0))
      if (!hasRoom(wanted)) return undefined
      const larger = create(wanted)
      before?.copy(larger.bytes, 0, 0, used)
      return larger.bytes
    },
    lend: (length) => {
      const slab = slabs[at] ?? create(SLAB_BYTES)
      Atomics.store(slab.state, 0, LENT)
      const lent: LentBytes = { slab: slab.name, length }
      if (slab.isKnown) return lent
      slab.isKnown = true
      return { ...lent, memory: slab.memory }
    },
  }
}

/** A page, and what travels behind it. */
export interface TakenPage {
  /** In pieces where it was handed over. */
  data: Uint8Array | Uint8Array[]
  appendix: Uint8Array
}

/** The main thread's side of all threads' slabs. */
export interface LentSlabs {
  /** Copies what a worker lent and gives the slab back, or takes over what it handed over. */
  take: (lent: LentBytes, dataLength: number) => TakenPage
  /** Lets go of the slabs of a thread that ended: nobody else writes into them, and its number is never given again. */
  threadEnded: (thread: number) => void
}

/** Opens the main thread's side. */
export function openLentSlabs(): LentSlabs {
  const known = new Map<string, SharedArrayBuffer>()
  return {
    take: ({ slab, length, memory, pieces }, dataLength) => {
      if (pieces !== undefined) return parted(pieces, dataLength)
      const name = String(slab)
      if (memory !== undefined) known.set(name, memory)
      const shared = memory ?? known.get(name)
      if (shared === undefined) throw new Error(`A worker lent bytes of an unknown slab ${name}.`)
      const bytes = Buffer.allocUnsafe(length)
      bytes.set(new Uint8Array(shared, STATE_BYTES, length))
      Atomics.store(new Int32Array(shared, 0, 1), 0, FREE)
      return { data: bytes.subarray(0, dataLength), appendix: bytes.subarray(dataLength) }
    },
    threadEnded: (thread) => {
      for (const name of known.keys()) if (name.startsWith(slabName(thread, ''))) known.delete(name)
    },
  }
}

function slabName(thread: number, at: number | ''): string {
  return `${thread}.${at}`
}

function parted(pieces: readonly Uint8Array[], dataLength: number): TakenPage {
  const data: Uint8Array[] = []
  const behind: Uint8Array[] = []
  let left = dataLength
  for (const piece of pieces) {
    if (left > 0) data.push(piece.subarray(0, left))
    if (piece.length > left) behind.push(piece.subarray(left))
    left = Math.max(0, left - piece.length)
  }
  // Copied: what it shares with the page's last piece goes with that.
  return { data, appendix: Buffer.concat(behind) }
}
