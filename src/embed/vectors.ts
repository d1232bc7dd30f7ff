import { endianness } from 'node:os'
import { type ServiceError, serviceError } from '../errors.ts'

/** As `search/vector.ts` has it of vectors that clients send. */
const LENGTH_MIN = 1e-30

/**
 * Reads the answer of an OpenAI-compatible endpoint: `data[].embedding` as numbers or as base64 of
 * little-endian float32, in the order of `data[].index`. Throws EMBEDDER_UNAVAILABLE when it is anything else.
 */
export function readVectors(reply: unknown, count: number, dimensions: number): Float32Array[] {
  const rows = (reply as { data?: unknown } | undefined)?.data
  if (!Array.isArray(rows) || rows.length !== count)
    throw badReply(`has not one vector for each of ${count} texts`)
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined)
  rows.forEach((row: { index?: unknown; embedding?: unknown }, at) => {
    const place = typeof row?.index === 'number' ? row.index : at
    if (!(place in vectors)) throw badReply('numbers its vectors wrongly')
    const vector = readVector(row?.embedding)
    if (vector === undefined || vector.length !== dimensions)
      throw badReply(`has a vector of ${vector?.length ?? 0} numbers, not ${dimensions}`)
    if (!vector.every(Number.isFinite)) throw badReply('has a number that is not finite')
    if (!hasDirection(vector)) throw badReply('has a vector of zeros')
    vectors[place] = vector
  })
  return vectors.map((vector) => {
    if (vector === undefined) throw badReply('names one text twice and leaves another out')
    return vector
  })
}

/** What to throw for an answer that can't be used; trying again would give the same. */
export function badReply(fault: string, cause?: unknown): ServiceError {
  return serviceError('EMBEDDER_UNAVAILABLE', `The embedder's answer ${fault}.`, { cause })
}

function readVector(embedding: unknown): Float32Array | undefined {
  // What is no number becomes NaN, which is refused.
  if (Array.isArray(embedding))
    return Float32Array.from(embedding, (n) => (typeof n === 'number' ? n : Number.NaN))
  if (typeof embedding !== 'string') return undefined
  const bytes = Buffer.from(embedding, 'base64')
  if (bytes.length % 4 !== 0) return undefined
  if (endianness() === 'BE') bytes.swap32()
  // A copy, because the buffer needn't begin at a multiple of four.
  return new Float32Array(Uint8Array.prototype.slice.call(bytes).buffer)
}

/** As the core wants it; a search by another vector would be refused as if the client had sent it. */
function hasDirection(vector: Float32Array): boolean {
  let square = 0
  for (const value of vector) square += value * value
  return Math.sqrt(square) >= LENGTH_MIN
}
