import { SearchRequest } from '../schema/search.ts'

const FIELDS: ReadonlySet<string> = new Set(Object.keys(SearchRequest.properties))

/** What other search engines call a field. */
const MEANT: Readonly<Record<string, string>> = {
  ...{
    q: 'query',
    text: 'query',
    filter: 'filters',
    where: 'filters',
    facet: 'facets',
    aggs: 'facets',
  },
  ...{ limit: 'size', offset: 'from', order: 'sort', mode: 'searchType', type: 'searchType' },
  ...{
    indices: 'index',
    indexes: 'index',
    session: 'sessionId',
    user: 'userId',
    embedding: 'vector',
  },
}
/** Fields that are told of, and letters of their names: a client may send thousands. */
const TOLD_MAX = 8
const NAME_MAX = 64

/** A search that says more than is read is run all the same; what it says in vain is told. */
export function unreadFields(search: SearchRequest): { warnings?: string[] } {
  const unread = Object.keys(search).filter((name) => !FIELDS.has(name))
  return unread.length === 0 ? {} : { warnings: unread.slice(0, TOLD_MAX).map(told) }
}

function told(name: string): string {
  const meant = meantBy(name)
  const advice = meant === undefined ? '' : `; "${meant}" is`
  return `"${name.slice(0, NAME_MAX)}" is not a field of a search and was ignored${advice}.`
}

/** The field of the same letters in another spelling, or of what others call it. */
function meantBy(name: string): string | undefined {
  const letters = lettersOf(name)
  for (const field of FIELDS) if (lettersOf(field) === letters) return field
  return Object.hasOwn(MEANT, letters) ? MEANT[letters] : undefined
}

function lettersOf(name: string): string {
  return name
    .slice(0, NAME_MAX)
    .toLowerCase()
    .replace(/[^a-z]/g, '')
}
