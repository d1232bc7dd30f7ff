/** Text, then bytes, then text: an envelope around data that is ready to be sent. */
export interface Wrapped {
  head: string
  data: Uint8Array
  tail: string
}

/** The body of an answer; a wrapped one is put together only where it is written or kept. */
export type Body = string | Uint8Array | Wrapped

/** Length in bytes. */
export function bodyBytes(body: Body): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (body instanceof Uint8Array) return body.length
  return Buffer.byteLength(body.head) + body.data.length + Buffer.byteLength(body.tail)
}

/** The body in memory of its own. */
export function wholeBody(body: Body): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return body
  return join(body, Buffer.allocUnsafe(bodyBytes(body)))
}

const scratch = Buffer.allocUnsafeSlow(128 << 10)

/** The body in memory that the next call takes again: only for who copies it at once. */
export function passingBody(body: Body): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  const bytes = bodyBytes(body)
  if (bytes > scratch.length) return wholeBody(body)
  return join(body, scratch).subarray(0, bytes)
}

/** What came in pieces as one; a single one is not copied. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)
}

function join({ head, data, tail }: Wrapped, into: Buffer): Buffer {
  const at = into.write(head, 0)
  into.set(data, at)
  into.write(tail, at + data.length)
  return into
}
