/** Bytes, or what they come in, where that is more than one piece. */
export type Bytes = Uint8Array | readonly Uint8Array[]

/** Text, then bytes, then text: an envelope around data that is ready to be sent. */
export interface Wrapped {
  head: string
  data: Bytes
  tail: string
}

/** The body of an answer; a wrapped one is put together only where it is written or kept. */
export type Body = string | Uint8Array | Wrapped

/** Whether data is ready to be sent. */
export function isBytes(data: object): data is Bytes {
  return data instanceof Uint8Array || (Array.isArray(data) && data[0] instanceof Uint8Array)
}

/** Length in bytes. */
export function bodyBytes(body: Body): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (body instanceof Uint8Array) return body.length
  return Buffer.byteLength(body.head) + dataBytes(body.data) + Buffer.byteLength(body.tail)
}

function dataBytes(data: Bytes): number {
  if (data instanceof Uint8Array) return data.length
  return data.reduce((sum, { length }) => sum + length, 0)
}

/** The body in memory of its own. */
export function wholeBody(body: Body): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return body
  return join(body, Buffer.allocUnsafe(bodyBytes(body)))
}

/** Most bytes that are written in one go: more would keep others waiting. */
export const PART_BYTES = 256 << 10
const scratch = Buffer.allocUnsafeSlow(PART_BYTES)

/** The body in memory that the next call takes again: only for who copies it at once. */
export function passingBody(body: Body): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  const bytes = bodyBytes(body)
  if (bytes > scratch.length) return wholeBody(body)
  return join(body, scratch).subarray(0, bytes)
}

/** What a body consists of, not copied. */
export function piecesOf(body: Body): Uint8Array[] {
  if (typeof body === 'string') return [Buffer.from(body)]
  if (body instanceof Uint8Array) return [body]
  const { head, data, tail } = body
  return [Buffer.from(head), ...(data instanceof Uint8Array ? [data] : data), Buffer.from(tail)]
}

/**
 * Gives the parts of a body by where they begin, each `PART_BYTES` long but for the last, and not before the one that was
 * asked for last: what lies before is let go of. A part is for who copies it at once, as of `passingBody`.
 */
export function openParts(body: Body): (place: number) => Uint8Array {
  const pieces = piecesOf(body)
  let at = 0
  let start = 0
  return (place) => {
    for (; at < pieces.length && place >= start + lengthOf(pieces[at]); at += 1) {
      start += lengthOf(pieces[at])
      pieces[at] = NOTHING
    }
    const from = place - start
    const piece = pieces[at] ?? NOTHING
    if (at >= pieces.length - 1 || piece.length - from >= PART_BYTES)
      return piece.subarray(from, from + PART_BYTES)
    let filled = 0
    for (let next = at; next < pieces.length && filled < PART_BYTES; next += 1) {
      const first = next === at ? from : 0
      const fits = pieces[next]?.subarray(first, first + PART_BYTES - filled) ?? NOTHING
      scratch.set(fits, filled)
      filled += fits.length
    }
    return scratch.subarray(0, filled)
  }
}

const NOTHING = new Uint8Array()

function lengthOf(piece: Uint8Array | undefined): number {
  return piece?.length ?? 0
}

/** What came in pieces as one; a single one is not copied. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)
}

function join({ head, data, tail }: Wrapped, into: Buffer): Buffer {
  let at = into.write(head, 0)
  if (data instanceof Uint8Array) {
    into.set(data, at)
    at += data.length
  } else
    for (const piece of data) {
      into.set(piece, at)
      at += piece.length
    }
  into.write(tail, at)
  return into
}
