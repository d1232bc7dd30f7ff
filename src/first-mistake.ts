// Of this file, as in the others that read JSON byte by byte: V8 loads a constant of another module anew for each byte.
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const LETTER_U = 0x75
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
/** Bytes that are looked through in one go. */
const STRETCH_BYTES = 256 << 10
/** Behind a backslash; after a `u` come four digits. */
const ESCAPED = Buffer.from('"\\/bfnrtu')
const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word))

/**
 * What must come next: the inside of a string (`text` of a value, `key` of a name) goes on; `first` and `firstName` may be
 * the end of their list or object, too.
 */
type Wanted = 'value' | 'first' | 'name' | 'firstName' | 'colon' | 'next' | 'text' | 'key'

/** Where a text stops being JSON, or the place at which it is nested too deep. */
export interface Mistake {
  at: number
  isTooDeep: boolean
}

/** Byte position of the first mistake of a text that JSON.parse has refused; V8 tells it for some mistakes only. */
export function firstMistake(bytes: Uint8Array): number {
  return openMistakeSearch(bytes)(bytes.length)?.at ?? bytes.length
}

/**
 * As `firstMistake`, or the first place deeper than `depthMax`, with turns for others: `breathe` is awaited between
 * parts.
 */
export async function findMistake(
  bytes: Uint8Array,
  depthMax: number,
  breathe: () => Promise<void> | undefined,
): Promise<Mistake> {
  const readTo = openMistakeSearch(bytes, depthMax)
  for (let limit = STRETCH_BYTES; ; limit += STRETCH_BYTES) {
    const mistake = readTo(Math.min(limit, bytes.length))
    if (mistake !== undefined) return mistake
    await breathe()
  }
}

/**
 * Each call reads on up to some place, and answers undefined if the mistake is behind it. Keeps its own list of what is
 * around: a text of brackets alone would overflow the stack of functions.
 */
function openMistakeSearch(
  bytes: Uint8Array,
  depthMax = Number.POSITIVE_INFINITY,
): (limit: number) => Mistake | undefined {
  const inLists: boolean[] = []
  let at = 0
  let wanted: Wanted = 'value'
  const goOn = (to: number, next: Wanted): boolean => {
    at = to
    wanted = next
    return true
  }
  /** False where what begins here is the mistake. */
  const take = (byte: number | undefined): boolean => {
    if (wanted === 'colon') return byte === COLON && goOn(at + 1, 'value')
    const isInList = inLists.at(-1)
    if (wanted === 'next' && byte === COMMA && isInList !== undefined)
      return goOn(at + 1, isInList ? 'value' : 'name')
    const closes = isInList !== undefined && byte === (isInList ? CLOSE_LIST : CLOSE_OBJECT)
    if (closes && (wanted === 'next' || wanted === 'first' || wanted === 'firstName')) {
      inLists.pop()
      return goOn(at + 1, 'next')
    }
    if (wanted === 'next') return false
    if (wanted === 'name' || wanted === 'firstName') return byte === QUOTE && goOn(at + 1, 'key')
    if (byte === QUOTE) return goOn(at + 1, 'text')
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      inLists.push(byte === OPEN_LIST)
      return goOn(at + 1, byte === OPEN_LIST ? 'first' : 'firstName')
    }
    const end = endOfWord(bytes, at) ?? endOfNumber(bytes, at)
    return end !== undefined && goOn(end, 'next')
  }
  /** What is not plain inside of a string. */
  const takeInside = (byte: number | undefined): boolean => {
    if (byte === QUOTE) return goOn(at + 1, wanted === 'text' ? 'next' : 'colon')
    const end = byte === BACKSLASH ? endOfEscape(bytes, at) : undefined
    return end !== undefined && goOn(end, wanted)
  }
  return (limit) => {
    while (at < limit) {
      if (wanted === 'text' || wanted === 'key') {
        while (at < limit && isPlain(bytes[at])) at += 1
        if (at === limit) break
        if (!takeInside(bytes[at])) return { at, isTooDeep: false }
      } else if (isSpace(bytes[at])) at += 1
      else if (!take(bytes[at])) return { at, isTooDeep: false }
      if (inLists.length > depthMax) return { at, isTooDeep: true }
    }
    return at < bytes.length ? undefined : { at, isTooDeep: false }
  }
}

function isPlain(byte = 0): boolean {
  return byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH
}

function endOfEscape(bytes: Uint8Array, at: number): number | undefined {
  const byte = bytes[at + 1] ?? 0
  if (!ESCAPED.includes(byte)) return undefined
  if (byte !== LETTER_U) return at + 2
  const digits = String.fromCharCode(...bytes.subarray(at + 2, at + 6))
  return /^[0-9a-fA-F]{4}$/.test(digits) ? at + 6 : undefined
}

function endOfWord(bytes: Uint8Array, at: number): number | undefined {
  const word = WORDS.find((one) => one.every((byte, place) => bytes[at + place] === byte))
  return word && at + word.length
}

function endOfNumber(bytes: Uint8Array, start: number): number | undefined {
  const first = bytes[start] === 0x2d ? start + 1 : start
  const whole = bytes[first] === 0x30 ? first + 1 : endOfDigits(bytes, first)
  if (whole === first) return undefined
  const fraction = bytes[whole] === 0x2e ? endOfDigits(bytes, whole + 1) : whole
  const end = fraction > whole + 1 ? fraction : whole
  if (((bytes[end] ?? 0) | 0x20) !== 0x65) return end
  const sign = bytes[end + 1]
  const digits = sign === 0x2b || sign === 0x2d ? end + 2 : end + 1
  const exponent = endOfDigits(bytes, digits)
  return exponent > digits ? exponent : end
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  let at = start
  while ((bytes[at] ?? 0) >= 0x30 && (bytes[at] ?? 0) <= 0x39) at += 1
  return at
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/**
 * The place of the first mistake for people, who look for it in an editor: its line, and its column in characters,
 * both from 1.
 */
export function placeOfMistake(bytes: Uint8Array): { line: number; column: number } {
  const text = withoutMark(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const before = text.subarray(0, firstMistake(text)).toString('utf8').split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** Some editors put a byte order mark before UTF-8; JSON has none. */
export function withoutMark<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return isMarked ? (bytes.subarray(3) as Bytes) : bytes
}
