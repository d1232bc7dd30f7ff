import { invalid } from '../errors.ts'
import type { CallerVector } from '../schema/document.ts'

/** Vectors that are shorter have no direction for the core, which leaves them out. */
const LENGTH_MIN = 1e-30

/**
 * A caller's vector as float32: from a list of numbers or base64 of little-endian float32.
 * Throws VALIDATION_FAILED when it is not finite, all zero or nearly so.
 */
export function readVector(vector: CallerVector, path: string): Float32Array {
  const values = typeof vector === 'string' ? fromBase64(vector, path) : Float32Array.from(vector)
  const problem = directionProblem(values)
  if (problem !== undefined) throw invalid(path, problem)
  return values
}

/** Why numbers have no direction as float32, or none that the core would take. */
export function directionProblem(values: ArrayLike<number>): string | undefined {
  let norm = 0
  for (let at = 0; at < values.length; at++) norm += Math.fround(values[at] ?? 0) ** 2
  if (!Number.isFinite(norm) || norm === 0) return 'must be finite numbers that are not all zero'
  return Math.sqrt(norm) < LENGTH_MIN ? `must have a length of at least ${LENGTH_MIN}` : undefined
}

function fromBase64(text: string, path: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length === 0 || bytes.length % 4 !== 0)
    throw invalid(path, 'must be base64 of little-endian float32 numbers')
  const values = new Float32Array(bytes.length / 4)
  for (let at = 0; at < values.length; at++) values[at] = bytes.readFloatLE(at * 4)
  return values
}

/** Throws VECTOR_DIMENSIONS unless the vector has as many numbers as those of an index, which is called so. */
export function refuseOtherDimensions(
  vector: Float32Array,
  dimensions: number,
  index = "this index's vectors",
): void {
  if (vector.length === dimensions) return
  throw invalid(
    'vector',
    `has ${vector.length} numbers; ${index} have ${dimensions}`,
    'VECTOR_DIMENSIONS',
  )
}
