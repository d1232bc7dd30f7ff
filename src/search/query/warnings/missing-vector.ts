/** An index that has no vector of the query, and why, as words behind its name. */
export interface MissingVector {
  index: string
  why: string
}

/** Indices that are told of. */
const INDICES_TOLD_MAX = 3

/** What indices miss for which there is no vector of the query. */
export function missingVector(
  missing: readonly MissingVector[],
  mode: 'vector' | 'text' | 'hybrid',
): string[] {
  const without = mode === 'vector' ? 'nothing of it is found' : 'it is searched by words alone'
  return missing
    .slice(0, INDICES_TOLD_MAX)
    .map(({ index, why }) => `"${index}" ${why}: ${without}.`)
}
