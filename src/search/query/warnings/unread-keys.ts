import { nearestName } from '../../../nearest-name.ts'
import { Facet, FacetRange, HighlightOptions, SearchRequest } from '../../../schema/search.ts'
import { shownName } from '../../../word.ts'
import { instead, tell, type Warned } from './told.ts'

type Names = ReadonlySet<string>

const FIELDS = namesOf(SearchRequest)

/** What other search engines call a field. */
const MEANT: Readonly<Record<string, string>> = {
  ...{ q: 'query', text: 'query', filter: 'filters', where: 'filters' },
  ...{ facet: 'facets', aggs: 'facets', limit: 'size', offset: 'from', order: 'sort' },
  ...{ mode: 'searchType', type: 'searchType', indices: 'index', indexes: 'index' },
  ...{ session: 'sessionId', user: 'userId', embedding: 'vector' },
}

/** Tells of parameters in the address of a posted search, whose body alone is read. */
export function unreadAddress(names: readonly string[], told: Warned): void {
  for (const name of names) {
    const what = () => `"${shownName(name)}" in the address of a POST is not read`
    tell(told, () => ignored(what(), name, FIELDS, MEANT, 'in the body is'))
  }
}

/** Tells of what a search says beside the fields that are read. Keys of a body are no closed list: only a wrong type is refused. */
export function unreadKeys(search: SearchRequest, told: Warned): void {
  for (const name in search)
    if (!FIELDS.has(name))
      tell(told, () =>
        ignored(`"${shownName(name)}" is not a field of a search`, name, FIELDS, MEANT),
      )
}

/** The same of what its facets and its `highlight` say. */
export function unreadInnerKeys({ facets, highlight }: SearchRequest, told: Warned): void {
  if (facets !== undefined && !Array.isArray(facets))
    for (const field in facets) unreadOfFacet(field, facets[field] ?? {}, told)
  if (typeof highlight === 'object') unreadIn(IN_HIGHLIGHT, highlight, told)
}

function unreadOfFacet(field: string, facet: Facet, told: Warned): void {
  unreadIn(IN_FACET, facet, told, field)
  if (facet.ranges === undefined) return
  for (const range of facet.ranges) unreadIn(IN_RANGE, range, told, field)
}

/** Keys that an object inside of a search may have, and what else they are called; `at` is its place, by its field. */
interface Inner {
  at: (field: string) => string
  known: Names
  meant: Readonly<Record<string, string>>
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
const IN_HIGHLIGHT: Inner = {
  at: () => 'highlight',
  known: namesOf(HighlightOptions),
  meant: {
    ...{ numberoffragments: 'fragments', pretags: 'pre', pretag: 'pre', posttags: 'post' },
    ...{ posttag: 'post', fragmentlength: 'fragmentSize', size: 'fragmentSize' },
  },
}

function unreadIn({ at, known, meant }: Inner, sent: object, told: Warned, field = ''): void {
  for (const name in sent)
    if (!known.has(name))
      tell(told, () =>
        ignored(`"${shownName(name)}" is not read in ${at(field)}`, name, known, meant),
      )
}

function ignored(
  what: string,
  name: string,
  known: Names,
  meant: Readonly<Record<string, string>>,
  is = 'is',
): string {
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
