import { canonicalJson } from '../../json/canonical.ts'
import type { SearchRequest } from '../../schema/search.ts'
import type { CoreRequest } from './core-request.ts'

/** Whether each word of a request decides a list and its order. */
const DECIDES: Readonly<Record<keyof CoreRequest, boolean>> = {
  mode: true,
  operator: true,
  phrase: true,
  slop: true,
  prefix: true,
  fuzziness: true,
  fields: true,
  boost: true,
  weights: true,
  fusion: true,
  neighbors: true,
  cut: true,
  feedback: true,
  sort: true,
  minScore: true,
  // These stand in the query's hash, as they were read: what is added to the filter behind it is not in there.
  query: false,
  filter: false,
  // What is shown of the list, and where it goes on.
  from: false,
  size: false,
  after: false,
  generation: false,
  facets: false,
  explain: false,
  // What learning adds is kept for later pages.
  synonyms: false,
  vectorIn: false,
}
const DECISIVE: ReadonlySet<string> = new Set(
  Object.entries(DECIDES).flatMap(([name, decides]) => (decides ? [name] : [])),
)

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
  const names = index === undefined ? '*' : indexNames(index)
  const own = vector === undefined ? '' : JSON.stringify(vector)
  return `${queryHash}${names}${own}${canonicalJson(request, { only: DECISIVE })}`
}

/** Each once, sorted, with commas between them. */
function indexNames(index: string | string[]): string {
  if (typeof index === 'string' && !index.includes(',')) return index
  return [...new Set(Array.isArray(index) ? index : index.split(','))].sort().join()
}
