// Of this file, as in the others that read JSON byte by byte: V8 loads a constant of another module anew for each byte.
const BACKSLASH = 0x5c
const LETTER_U = 0x75
/** Of `\uXXXX`. */
const LONGEST_ESCAPE = 6
/** A character of four bytes and an escape fit in. */
const LEAST_PIECE = 16
const QUOTES = Buffer.from('"')

/** A string in JSON between two places, quotes left out, as strings in JSON of about so many bytes, in their order. */
export function* stringPieces(
  text: Uint8Array,
  [start, end]: [number, number],
  pieceBytes: number,
): Generator<Uint8Array> {
  for (let from = start; from < end; ) {
    const near = from + Math.max(pieceBytes, LEAST_PIECE)
    const to = near < end ? pieceEnd(text, from, near) : end
    yield Buffer.concat([QUOTES, text.subarray(from, to), QUOTES])
    from = to
  }
}

/** The place up to which a piece reaches that is cut near another: within no character, and within no escape. */
function pieceEnd(text: Uint8Array, from: number, near: number): number {
  let to = near
  while (((text[to] as number) & 0xc0) === 0x80) to -= 1
  let at = to - 1
  while (at > to - LONGEST_ESCAPE && text[at] !== BACKSLASH) at -= 1
  if (text[at] !== BACKSLASH) return to
  // Of backslashes in a row, each second one is escaped by the one before.
  let first = at
  while (first > from && text[first - 1] === BACKSLASH) first -= 1
  if ((at - first) % 2 === 1) return to
  const length = text[at + 1] === LETTER_U ? LONGEST_ESCAPE : 2
  return at + length <= to ? to : at
}
