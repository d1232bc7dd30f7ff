/* What the core says of each document that it was given: bits of one number. */

export const HAS_VECTOR = 1
/** It has more ngrams than the core indexes of one document: those beyond are not found. */
const IS_CUT = 2

/** Numbers of the documents that were cut. */
export function cutOf(ords: Float64Array, flags: Uint8Array): number[] {
  return [...ords].filter((_, at) => ((flags[at] ?? 0) & IS_CUT) !== 0)
}
