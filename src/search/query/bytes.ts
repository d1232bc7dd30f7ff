import { type LentBytes, openSlabs } from './slab.ts'

/** Gathers text and bytes into this thread's shared memory, one page at a time. */
export interface BytesWriter {
  text: (text: string) => void
  bytes: (bytes: Uint8Array) => void
  /** Once more what lies between two places. */
  again: (start: number, end: number) => void
  /** Bytes so far. */
  length: () => number
  /** Where the main thread finds what was gathered. */
  finish: () => LentBytes
}

const slabs = openSlabs()

/** Most characters that are written here: the call of the platform's own writer costs as much as some dozen. */
const SHORT_MAX = 64
const ASCII_MAX = 0x7f

/** Starts a new page. */
export function bytesWriter(): BytesWriter {
  let buffer = slabs.next()
  let end = 0

  function reserve(bytes: number): void {
    if (end + bytes > buffer.length) buffer = slabs.grow(end, end + bytes)
  }

  /** Bytes written; none of a text that is not all ASCII. */
  function writeAscii(text: string): number {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code > ASCII_MAX) return 0
      buffer[end + at] = code
    }
    return text.length
  }

  return {
    text: (text) => {
      // At most three bytes of UTF-8 for each UTF-16 unit.
      reserve(text.length * 3)
      const written = text.length <= SHORT_MAX ? writeAscii(text) : 0
      end += written > 0 ? written : buffer.write(text, end)
    },
    bytes: (bytes) => {
      reserve(bytes.length)
      buffer.set(bytes, end)
      end += bytes.length
    },
    again: (from, to) => {
      reserve(to - from)
      buffer.copyWithin(end, from, to)
      end += to - from
    },
    length: () => end,
    finish: () => slabs.lend(end),
  }
}
