import { randomFillSync } from 'node:crypto'
import { v7, validate } from 'uuid'

const HEX = Buffer.from('0123456789abcdef')
/** Where the digits of each byte stand among the dashes. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

/** The id that was made, or read, last: as bytes, as words of four of them, and as text. */
const bytes = new Uint8Array(16)
const words = new Int32Array(bytes.buffer)
let newest = ''
/** Random bytes for many ids at a time: to ask the system for those of sixteen, as the library does, takes longer. */
const pool = new Uint8Array(16 << 8)
const random = new Uint8Array(16)
let used = pool.length
const text = Buffer.alloc(36, '-')

/** The moment of the last id, and its count within it: it begins anywhere in the lower half of its 32 bits. */
const last = { msecs: -1, seq: 0 }

/**
 * A new UUIDv7 (RFC 9562 §5.7, with the counter of §6.2), of now or of `timeMs`: behind those made before it at the same
 * millisecond. Written as one text: the library's own is put together from twenty pieces, which every request would
 * leave behind twice.
 */
export function newId(timeMs?: number): string {
  const msecs = timeMs ?? Date.now()
  const random = nextRandom()
  last.seq = msecs === last.msecs ? (last.seq + 1) | 0 : firstCount(random)
  last.msecs = msecs
  v7({ msecs, random, seq: last.seq }, bytes)
  for (let at = 0; at < 16; at += 1) {
    const byte = bytes[at] as number
    const place = PLACES[at] as number
    text[place] = HEX[byte >> 4] as number
    text[place + 1] = HEX[byte & 15] as number
  }
  newest = text.toString('latin1')
  return newest
}

function firstCount([a = 0, b = 0, c = 0, d = 0]: Uint8Array): number {
  return ((a & 0x7f) << 24) | (b << 16) | (c << 8) | d
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

/** The time at which an id was made, epoch ms: what stands in a UUIDv7 that is written with its hyphens. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** Words of 32 bits that an id takes. */
export const ID_WORDS = 4

/**
 * Keeps an id, as `newId` makes them, as numbers: where many are kept for long, collections would have to copy texts.
 * Takes next to no time for the one that was made last.
 */
export function packId(id: string, into: Int32Array, at: number): void {
  if (id !== newest) {
    bytes.set(Buffer.from(id.replaceAll('-', ''), 'hex'))
    newest = id
  }
  for (let word = 0; word < ID_WORDS; word += 1) into[at + word] = words[word] as number
}

/** The id that was kept there; undefined where nothing but zeros are. */
export function unpackId(from: Int32Array, at: number): string | undefined {
  const kept = from.slice(at, at + ID_WORDS)
  if (kept.every((word) => word === 0)) return undefined
  const hex = Buffer.from(kept.buffer).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Whether a text may be an id of ours, a UUID in any case; others are looked up nowhere. */
export function isId(text: string): boolean {
  return validate(text)
}

/** One spelling of an id that may be ours; others stay as they are. */
export function oneSpelling(id: string): string {
  return isId(id) ? id.toLowerCase() : id
}

const QUERY_HASH = /^[0-9a-f]{16}$/i

/** Whether a text may be the hash of a query, in any case: sixteen hexadecimal digits. */
export function isQueryHash(text: string): boolean {
  return QUERY_HASH.test(text)
}

/** One spelling of a text that may be the hash of a query, that in which searches tell it; others stay as they are. */
export function hashSpelling(hash: string): string {
  return isQueryHash(hash) ? hash.toLowerCase() : hash
}
