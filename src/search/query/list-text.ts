import type { SearchRequest } from '../../schema/search.ts'
import type { CoreRequest } from './core-request.ts'
import { canonicalJson } from './query-hash.ts'

/** What decides a list and its order; the query and its filters stand in their own hash. */
const DECISIVE: ReadonlySet<string> = new Set<keyof CoreRequest>([
  ...(['mode', 'operator', 'phrase', 'slop', 'prefix', 'fuzziness'] as const),
  ...(['fields', 'boost', 'weights', 'fusion', 'neighbors', 'cut'] as const),
  ...(['feedback', 'sort', 'minScore'] as const),
])

/**
 * What a cursor is tied to: everything that decides the list and its order, as the search was understood, however it
 * was written. Page size, highlights and returned fields may change on the way. A word that ranking changes may set
 * (`operator`, `fusion`, …) is another one when it is sent than when it is left to them, even if it says the default.
 */
export function listTextOf(
  { index, vector }: Pick<SearchRequest, 'index' | 'vector'>,
  request: CoreRequest,
  queryHash: string,
): string {
  const names = index === undefined ? '*' : indexNames(index).sort().join()
  const own = vector === undefined ? '' : JSON.stringify(vector)
  return `${queryHash}${names}${own}${canonicalJson(request, { only: DECISIVE })}`
}

function indexNames(index: string | string[]): string[] {
  return [...new Set(Array.isArray(index) ? index : index.split(','))]
}
