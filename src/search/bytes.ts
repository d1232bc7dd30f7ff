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

/** Starts a new page. */
export function bytesWriter(): BytesWriter {
  let buffer = slabs.next()
  let end = 0

  function reserve(bytes: number): void {
    if (end + bytes > buffer.length) buffer = slabs.grow(end, end + bytes)
  }

  return {
    text: (text) => {
      // At most three bytes of UTF-8 for each UTF-16 unit.
      reserve(text.length * 3)
      end += buffer.write(text, end)
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
