import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

const HEX = Buffer.from('0123456789abcdef')
/** Where the digits of each byte stand among the dashes. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

const bytes = new Uint8Array(16)
/** Random bytes for many ids at a time: to ask the system for those of sixteen, as the library does, takes longer. */
const pool = new Uint8Array(16 << 8)
const random = new Uint8Array(16)
let used = pool.length
const text = Buffer.alloc(36, '-')

/**
 * A new UUIDv7 (RFC 9562 §5.7), of now or of `timeMs`. Written as one text: the library's own is put together from
 * twenty pieces, which every request would leave behind twice.
 */
export function newId(timeMs?: number): string {
  v7({ msecs: timeMs ?? Date.now(), random: nextRandom() }, bytes)
  for (let at = 0; at < 16; at += 1) {
    const byte = bytes[at] as number
    const place = PLACES[at] as number
    text[place] = HEX[byte >> 4] as number
    text[place + 1] = HEX[byte & 15] as number
  }
  return text.toString('latin1')
}

function nextRandom(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  for (let at = 0; at < random.length; at += 1) random[at] = pool[used + at] as number
  used += random.length
  return random
}

/** The least of the ids that are made at a time, epoch ms: a UUIDv7 begins with it, so ids sort by age. */
export function firstIdOf(timeMs: number): string {
  const hex = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}
