import { workerData } from 'node:worker_threads'
import { LONG_BYTES, openClaims } from '../../answer-room.ts'
import { type LentBytes, openSlabs } from './slab.ts'

/**
 * Gathers text and bytes into this thread's shared memory, one page at a time. What finds no room there goes on in pieces
 * of the thread's own, which the main thread takes over. Throws OVERLOADED when there is no room for so long an answer.
 */
export interface BytesWriter {
  text: (text: string) => void
  bytes: (bytes: Uint8Array) => void
  /** Once more what lies between two places. */
  again: (start: number, end: number) => void
  /** Bytes so far. */
  length: () => number
  /** Where the main thread finds what was gathered. */
  finish: () => LentBytes
  /** The page is not wanted any more. */
  drop: () => void
}

const slabs = openSlabs()
const claims = openClaims((workerData as { answers?: SharedArrayBuffer } | null)?.answers)

/** Most characters that are written here: the call of the platform's own writer costs as much as some dozen. */
const SHORT_MAX = 64
const ASCII_MAX = 0x7f
const PIECE_BYTES = 1 << 20
const NONE: Uint8Array<ArrayBuffer>[] = []

/** Starts a new page. */
export function bytesWriter(): BytesWriter {
  /** The memory at hand, how much of it is written, and up to where nothing need be asked. */
  let buffer = slabs.next()
  let end = 0
  let fence = Math.min(buffer.length, LONG_BYTES)
  /** What was gathered before it, once no slab has room for the page, and how long it is. */
  let closed = NONE
  let before = 0

  /** Makes room in one piece. */
  function reserve(bytes: number): void {
    if (end + bytes > fence) makeRoom(bytes)
  }

  function makeRoom(bytes: number): void {
    const claimed = claims.reach(before + end + bytes)
    if (end + bytes > buffer.length) {
      const larger = closed === NONE ? slabs.grow(end, end + bytes) : undefined
      if (larger === undefined) nextPiece(bytes)
      else buffer = larger
    }
    fence = Math.min(buffer.length, claimed - before)
  }

  function nextPiece(bytes: number): void {
    const isOwn = closed !== NONE
    if (!isOwn) closed = []
    // A slab is used again for the next page.
    closed.push(isOwn ? written() : new Uint8Array(written()))
    before += end
    end = 0
    buffer = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, bytes))
  }

  function written(): Uint8Array<ArrayBuffer> {
    return buffer.subarray(0, end) as Uint8Array<ArrayBuffer>
  }

  /** Leaves no memory of a piece unused that would go over with it. */
  function writeParted(bytes: Uint8Array): void {
    const fits = closed === NONE ? 0 : Math.min(buffer.length - end, bytes.length)
    buffer.set(bytes.subarray(0, fits), end)
    end += fits
    makeRoom(bytes.length - fits)
    buffer.set(bytes.subarray(fits), end)
    end += bytes.length - fits
  }

  return {
    text: (text) => {
      // At most three bytes of UTF-8 for each UTF-16 unit.
      reserve(text.length * 3)
      const ascii = text.length <= SHORT_MAX ? writeAscii(buffer, end, text) : 0
      end += ascii > 0 ? ascii : buffer.write(text, end)
    },
    bytes: (bytes) => {
      if (end + bytes.length > fence) {
        writeParted(bytes)
        return
      }
      buffer.set(bytes, end)
      end += bytes.length
    },
    again: (from, to) => {
      reserve(to - from)
      if (from >= before) {
        buffer.copyWithin(end, from - before, to - before)
        end += to - from
        return
      }
      const range = rangeOf([...closed, written()], from, to)
      buffer.set(range, end)
      end += range.length
    },
    length: () => before + end,
    finish: () => {
      const claimed = claims.handOver()
      if (closed !== NONE) closed.push(written())
      const lent =
        closed === NONE
          ? slabs.lend(end)
          : { slab: undefined, length: before + end, pieces: closed }
      return claimed === undefined ? lent : { ...lent, claimed }
    },
    drop: claims.giveUp,
  }
}

/** Bytes written; none of a text that is not all ASCII. */
function writeAscii(buffer: Buffer, end: number, text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > ASCII_MAX) return 0
    buffer[end + at] = code
  }
  return text.length
}

/** What lies between two places of what the pieces hold together. */
function rangeOf(pieces: readonly Uint8Array[], from: number, to: number): Uint8Array {
  const parts: Uint8Array[] = []
  let start = 0
  for (const piece of pieces) {
    if (to > start) parts.push(piece.subarray(Math.max(from - start, 0), to - start))
    start += piece.length
  }
  return Buffer.concat(parts)
}
