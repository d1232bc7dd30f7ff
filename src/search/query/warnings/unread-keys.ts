import { nearestName } from '../../../nearest-name.ts'
import { Facet, FacetRange } from '../../../schema/facet.ts'
import { HighlightOptions, SearchRequest, type Sort } from '../../../schema/search.ts'
import { SuggestRequest } from '../../../schema/suggest.ts'
import { shownName } from '../../../word.ts'
import { instead, tell, type Warned } from './told.ts'

type Names = ReadonlySet<string>
type Meant = Readonly<Record<string, string>>

/** A body whose fields are known, and what other search engines call these. */
interface Body {
  is: string
  known: Names
  meant: Meant
}

const INDEX: Meant = { indices: 'index', indexes: 'index' }
export const SEARCH: Body = {
  is: 'a search',
  known: namesOf(SearchRequest),
  meant: {
    q: 'query',
    text: 'query',
    filter: 'filters',
    where: 'filters',
    facet: 'facets',
    aggs: 'facets',
    limit: 'size',
    offset: 'from',
    order: 'sort',
    mode: 'searchType',
    type: 'searchType',
    ...INDEX,
    session: 'sessionId',
    user: 'userId',
    embedding: 'vector',
    k: 'neighbors',
    source: 'fields',
    attributestoretrieve: 'fields',
    includefields: 'fields',
    attributestosearchon: 'searchFields',
    queryby: 'searchFields',
    attributestohighlight: 'highlight',
    aggregations: 'facets',
    facetby: 'facets',
    indexuid: 'index',
    collection: 'index',
    postfilter: 'filters',
    filterby: 'filters',
    ids: 'filters',
    hitsperpage: 'size',
    perpage: 'size',
    pagesize: 'size',
    rows: 'size',
    topk: 'size',
    page: 'from',
    searchafter: 'cursor',
    scroll: 'cursor',
    pit: 'cursor',
    sortby: 'sort',
    knn: 'vector',
    hybrid: 'searchType',
    attributestocrop: 'highlight',
    matchingstrategy: 'operator',
    minimumshouldmatch: 'operator',
    numtypos: 'fuzziness',
    rankingscorethreshold: 'minScore',
    showrankingscoredetails: 'explain',
    match: 'query',
    multimatch: 'query',
    matchphrase: 'phrase',
    querystring: 'query',
    bool: 'filters',
    must: 'filters',
    mustnot: 'filters',
    should: 'filters',
    term: 'filters',
    terms: 'filters',
    range: 'filters',
    exists: 'filters',
    facetfilters: 'filters',
    numcandidates: 'neighbors',
    scrollid: 'cursor',
    defaultoperator: 'operator',
    fuzzy: 'fuzziness',
    croplength: 'highlight',
    cropmarker: 'highlight',
    highlightpretag: 'highlight',
    highlightposttag: 'highlight',
  },
}
export const SUGGEST: Body = {
  is: 'a suggestion',
  known: namesOf(SuggestRequest),
  meant: { q: 'query', text: 'prefix', size: 'limit', count: 'limit', ...INDEX },
}

/** Tells of parameters in the address of a POST, whose body alone is read. */
export function unreadAddress(names: readonly string[], body: Body, told: Warned): void {
  for (const name of names) {
    const what = () => `"${shownName(name)}" in the address of a POST is not read`
    tell(told, () => ignored(what(), name, body, 'in the body is'))
  }
}

/** Tells of what a body says beside the fields that are read. Its keys are no closed list: only a wrong type is refused. */
export function unreadKeys(sent: object, body: Body, told: Warned): void {
  for (const name in sent)
    if (!body.known.has(name))
      tell(told, () => ignored(`"${shownName(name)}" is not a field of ${body.is}`, name, body))
}

/** Tells of keys inside the facets, the `sort` and the `highlight` of a search that are not read. */
export function unreadInnerKeys({ facets, sort, highlight }: SearchRequest, told: Warned): void {
  if (sort !== undefined) unreadOfSort(sort, told)
  if (facets !== undefined && !Array.isArray(facets))
    for (const field in facets) unreadOfFacet(field, facets[field] ?? {}, told)
  if (typeof highlight === 'object') unreadIn(IN_HIGHLIGHT, highlight, told)
}

function unreadOfFacet(field: string, facet: Facet, told: Warned): void {
  unreadIn(IN_FACET, facet, told, field)
  if (facet.ranges === undefined) return
  for (const range of facet.ranges) unreadIn(IN_RANGE, range, told, field)
}

function unreadOfSort(sort: Sort, told: Warned): void {
  for (const key of Array.isArray(sort) ? sort : [sort]) {
    if (typeof key === 'string') continue
    for (const field in key) {
      const order = key[field]
      if (typeof order === 'object' && order !== null) unreadIn(IN_ORDER, order, told, field)
    }
  }
}

/** Keys that an object inside of a search may have, and what else they are called; `at` is its place, by its field. */
interface Inner {
  at: (field: string) => string
  known: Names
  meant: Meant
}

const IN_FACET: Inner = {
  at: (field) => `facets.${shownName(field)}`,
  known: namesOf(Facet),
  meant: { limit: 'size', count: 'size', buckets: 'ranges', statistics: 'stats' },
}
const IN_RANGE: Inner = {
  at: (field) => `facets.${shownName(field)}.ranges`,
  known: namesOf(FacetRange),
  meant: { gte: 'from', min: 'from', lt: 'to', max: 'to', name: 'key', label: 'key' },
}
const IN_ORDER: Inner = {
  at: (field) => `sort.${shownName(field)}`,
  known: new Set(['order']),
  meant: {},
}
const IN_HIGHLIGHT: Inner = {
  at: () => 'highlight',
  known: namesOf(HighlightOptions),
  meant: {
    numberoffragments: 'fragments',
    pretags: 'pre',
    pretag: 'pre',
    posttags: 'post',
    posttag: 'post',
    fragmentlength: 'fragmentSize',
    size: 'fragmentSize',
  },
}

function unreadIn(inner: Inner, sent: object, told: Warned, field = ''): void {
  for (const name in sent)
    if (!inner.known.has(name))
      tell(told, () =>
        ignored(`"${shownName(name)}" is not read in ${inner.at(field)}`, name, inner),
      )
}

/** How some clients write a list or an object in an address: `index[]`, `index[0]`, `filters[year]`. */
const IN_BRACKETS = /^(\w+)\[(?:\d*|([^\]]+))\]/
const AS_JSON = 'is, with an object as JSON'

function ignored(
  what: string,
  name: string,
  { known, meant }: Pick<Body, 'known' | 'meant'>,
  is = 'is',
): string {
  const [, base = '', inner = ''] = IN_BRACKETS.exec(name) ?? []
  if (known.has(base)) return `${what} and was ignored${instead(base, inner === '' ? is : AS_JSON)}`
  const letters = lettersOf(name)
  const other = Object.hasOwn(meant, letters) ? meant[letters] : undefined
  const nearest = sameLetters(letters, known) ?? other ?? nearestName(shownName(name), known)
  return `${what} and was ignored${instead(nearest, is)}`
}

/** The field of the same letters in another spelling. */
function sameLetters(letters: string, known: Names): string | undefined {
  for (const name of known) if (lettersOf(name) === letters) return name
  return undefined
}

function lettersOf(name: string): string {
  return shownName(name)
    .toLowerCase()
    .replace(/[^a-z]/g, '')
}

function namesOf({ properties }: { properties: object }): Names {
  return new Set(Object.keys(properties))
}
