import type { Tuning } from '../../schema/tuning.ts'

/** The settings by which two rankings may match different documents. */
export function matchingDifferences(one: Tuning, other: Tuning): string[] {
  return Object.entries(MATCHING)
    .filter(([, of]) => JSON.stringify(of(one)) !== JSON.stringify(of(other)))
    .map(([setting]) => setting)
}

/**
 * What of each setting decides which documents match; undefined where it decides their order alone. Two rankings can be
 * dealt into one list where all of this is the same. (Vector feedback looks at the first hits, so that any order has a
 * few neighbours of its own: a dealt list holds what its first ranking finds.)
 */
export const MATCHING: Record<keyof Tuning, (tuning: Tuning) => unknown> = {
  fieldWeights: unsearchedFields,
  legWeights: orderAlone,
  fusion: orderAlone,
  operator: ({ operator }) => operator,
  fuzziness: ({ fuzziness }) => fuzziness,
  neighbors: ({ neighbors }) => neighbors,
  similarity: ({ similarity }) => similarity,
  minScore: ({ minScore }) => minScore,
  feedback: ({ feedback }) => feedback,
  synonyms: ({ synonyms }) => synonyms,
  pins: orderAlone,
  boosts: orderAlone,
  model: orderAlone,
  learning: orderAlone,
}

function orderAlone(): undefined {
  return undefined
}

/** A field that weighs nothing is not searched. */
function unsearchedFields({ fieldWeights = {} }: Tuning): string[] {
  return Object.keys(fieldWeights)
    .filter((field) => fieldWeights[field] === 0)
    .sort()
}
