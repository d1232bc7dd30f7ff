import type { IndexEntry } from '../../indices/indices.ts'

/** Indices that are told of. */
const TOLD_MAX = 3

/** What indices miss that take their vectors from the caller, who has sent none with the query. */
export function missingVector(
  given: readonly IndexEntry[],
  mode: 'vector' | 'text' | 'hybrid',
): string[] {
  const without = mode === 'vector' ? 'nothing of it is found' : 'it is searched by words alone'
  return given
    .slice(0, TOLD_MAX)
    .map(
      ({ record }) =>
        `"${record.name}" takes its vectors from you, and no "vector" was sent: ${without}.`,
    )
}
