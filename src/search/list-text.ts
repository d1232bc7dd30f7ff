import { SearchRequest } from '../schema/search.ts'
import { canonicalJson } from './query-hash.ts'

/** What does not decide a list, or is part of the query's own hash. */
const UNDECISIVE = new Set([
  ...['size', 'from', 'cursor', 'highlight', 'fields', 'facets', 'explain', 'generation'],
  ...['sessionId', 'userId', 'query', 'filters'],
])
/** All else that a search reads; what it says in vain decides nothing. */
const DECISIVE: ReadonlySet<string> = new Set(
  Object.keys(SearchRequest.properties).filter((name) => !UNDECISIVE.has(name)),
)

/**
 * What a cursor is tied to: everything that decides the list and its order. Page size, highlights and returned fields
 * may change on the way.
 */
export function listTextOf(search: SearchRequest, queryHash: string): string {
  return queryHash + canonicalJson(search, { only: DECISIVE })
}
