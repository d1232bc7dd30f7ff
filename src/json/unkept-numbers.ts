const PLUS = 0x2b
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const LETTER_E = 0x65
const LOWER_CASE = 0x20

/** Whole numbers of more digits are all out of range; to compare them would take long. */
const DIGITS_MAX = 309
/** Stands in for a whole number that can't be kept exactly: it is out of range, so it is refused like one. */
const OUT_OF_RANGE = '1e999'

/** Where digits begin and end in a text. */
export type DigitPlace = [start: number, end: number]

/** Whether digits are a number by themselves, no part of one, and JavaScript has no number for it. */
export function isUnkept(bytes: Uint8Array, start: number, end: number): boolean {
  const before = bytes[start - 1]
  const after = bytes[end]
  if (before === POINT || before === PLUS || isLetterE(before)) return false
  // Led by a zero they are no JSON, which the parser is to say.
  if (bytes[start] === ZERO) return false
  if (before === MINUS && isLetterE(bytes[start - 2])) return false
  if (after === POINT || isLetterE(after)) return false
  return !isKept(Buffer.from(bytes.subarray(start, end)).toString('latin1'))
}

/**
 * Whether JavaScript has a number for a row of digits without a leading zero. Beyond 2^53 only some whole numbers have
 * one; in place of others the nearest would be kept, found and given back. Digits as JavaScript writes them are kept:
 * they are the shortest that tell a number, not always the number itself.
 */
function isKept(digits: string): boolean {
  const number = Number(digits)
  if (digits.length > DIGITS_MAX || !Number.isFinite(number)) return false
  return String(number) === digits || BigInt(number) === BigInt(digits)
}

/** A copy of a text with numbers out of range in these places; everything else stays where it is. */
export function withoutUnkept(text: Buffer, places: readonly DigitPlace[]): Buffer {
  const copy = Buffer.from(text)
  for (const [start, end] of places) copy.fill(' ', start, end).write(OUT_OF_RANGE, start)
  return copy
}

function isLetterE(byte = 0): boolean {
  return (byte | LOWER_CASE) === LETTER_E
}
