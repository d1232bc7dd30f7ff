import { native } from '../../native.ts'

/** Of the bits by which the core tells how a document is found: 1 says by its text, this one by its vector. */
const BY_VECTOR = 2

/** 1 for each document of an open index that can be found by its vector now, by its number; else 0. */
export function vectorizedNow(engineId: number, ords: Float64Array): Uint8Array {
  return native.located(engineId, ords).map((bits) => ((bits & BY_VECTOR) === 0 ? 0 : 1))
}
