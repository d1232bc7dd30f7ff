const ENCODER = new TextEncoder()
/** Bytes of the text that is hashed; a buffer for each would take longer than to hash them. */
const SCRATCH = new Uint8Array(1024)
/** UTF-8 bytes that one UTF-16 unit takes at most. */
const UNIT_BYTES_MAX = 3

/** MurmurHash3_x86_32 (Appleby) of the text's UTF-8 bytes, as an unsigned 32-bit integer. */
export function murmur3(text: string, seed: number): number {
  const bytesMax = UNIT_BYTES_MAX * text.length
  const bytes = bytesMax <= SCRATCH.length ? SCRATCH : new Uint8Array(bytesMax)
  const { written } = ENCODER.encodeInto(text, bytes)
  const whole = written & ~3
  let hash = seed | 0
  for (let at = 0; at < whole; at += 4) {
    hash ^= scramble(wordOf(bytes, at, at + 4))
    hash = (hash << 13) | (hash >>> 19)
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
  }
  hash ^= scramble(wordOf(bytes, whole, written)) ^ written
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** At most four bytes as a little-endian word. */
function wordOf(bytes: Uint8Array, from: number, until: number): number {
  let word = 0
  for (let at = until - 1; at >= from; at -= 1) word = (word << 8) | (bytes[at] as number)
  return word
}

function scramble(word: number): number {
  const mixed = Math.imul(word, 0xcc9e2d51)
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593)
}
