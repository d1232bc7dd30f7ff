/** Gathers text and bytes into one buffer. One a thread is enough: `finish` empties it. */
interface BytesWriter {
  text: (text: string) => void
  bytes: (bytes: Uint8Array) => void
  /** A copy of what was gathered. */
  finish: () => Uint8Array
}

let buffer = Buffer.allocUnsafeSlow(256 * 1024)
const KEPT_BYTES_MAX = 4 * 1024 * 1024

/** Starts a new text in the thread's buffer, which grows as needed and is kept for the next one. */
export function bytesWriter(): BytesWriter {
  let end = 0

  function reserve(bytes: number): void {
    if (end + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, end + bytes))
    buffer.copy(larger, 0, 0, end)
    buffer = larger
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
    finish: () => {
      const taken = new Uint8Array(end)
      taken.set(buffer.subarray(0, end))
      if (buffer.length > KEPT_BYTES_MAX) buffer = Buffer.allocUnsafeSlow(256 * 1024)
      return taken
    },
  }
}
