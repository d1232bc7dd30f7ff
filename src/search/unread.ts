import { Facet, FacetRange, HighlightOptions, SearchRequest } from '../schema/search.ts'
import type { IndexEntry } from './indices.ts'
import { nearestName } from './nearest-name.ts'
import { unreturnedFields } from './unreturned.ts'

type Names = ReadonlySet<string>

const FIELDS = namesOf(SearchRequest)
/** Keys of `boost` that weigh the two halves. */
const LEGS: Names = new Set(['text', 'vector'])

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
/** Names that are told of, and letters of each: a client may send thousands. */
const TOLD_MAX = 8
const NAME_MAX = 64

/**
 * A search that says more than is read, or names fields that none of its indices searches, is run all the same; what it
 * says in vain is told, behind what is `told` already. Without a mistake it only looks: searches are many.
 */
export function unreadFields(
  search: SearchRequest,
  entries: readonly IndexEntry[] = [],
  told: string[] = [],
): { warnings?: string[] } {
  for (const name in search)
    if (!FIELDS.has(name))
      told.push(ignored(`"${shown(name)}" is not a field of a search`, name, FIELDS, MEANT))
  const { facets, highlight, searchFields, boost } = search
  if (facets !== undefined && !Array.isArray(facets))
    for (const field in facets) unreadOfFacet(field, facets[field] ?? {}, told)
  if (typeof highlight === 'object') unreadKeys(IN_HIGHLIGHT, highlight, told)
  if (entries.length === 0) return ending(told)
  if (Array.isArray(searchFields))
    for (const name of searchFields) unsearched('searchFields', name, entries, told)
  else if (searchFields !== undefined)
    for (const name in searchFields) unsearched('searchFields', name, entries, told)
  if (boost !== undefined)
    for (const name in boost) if (!LEGS.has(name)) unsearched('boost', name, entries, told)
  if (search.fields !== undefined) told.push(...unreturnedFields(search.fields, entries))
  return ending(told)
}

function ending(told: string[]): { warnings?: string[] } {
  return told.length === 0 ? {} : { warnings: told.slice(0, TOLD_MAX) }
}

function unreadOfFacet(field: string, facet: Facet, told: string[]): void {
  unreadKeys(IN_FACET, facet, told, field)
  if (facet.ranges === undefined) return
  for (const range of facet.ranges) unreadKeys(IN_RANGE, range, told, field)
}

/** Keys that an object inside of a search may have, and what else they are called; `at` is its place, by its field. */
interface Inner {
  at: (field: string) => string
  known: Names
  meant: Readonly<Record<string, string>>
}

const IN_FACET: Inner = {
  at: (field) => `facets.${shown(field)}`,
  known: namesOf(Facet),
  meant: { limit: 'size', count: 'size', buckets: 'ranges', statistics: 'stats' },
}
const IN_RANGE: Inner = {
  at: (field) => `facets.${shown(field)}.ranges`,
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

function unreadKeys({ at, known, meant }: Inner, sent: object, told: string[], field = ''): void {
  for (const name in sent)
    if (!known.has(name))
      told.push(ignored(`"${shown(name)}" is not read in ${at(field)}`, name, known, meant))
}

function unsearched(
  path: 'searchFields' | 'boost',
  name: string,
  entries: readonly IndexEntry[],
  told: string[],
): void {
  // What has no analyzer has values, and no words.
  for (const { definition } of entries)
    for (const field of definition.fields)
      if (field.name === name && field.analyzer !== undefined) return
  const known = new Set(
    entries.flatMap(({ definition }) =>
      definition.fields.filter(({ analyzer }) => analyzer !== undefined).map((field) => field.name),
    ),
  )
  const nearest = nearestName(name.slice(0, NAME_MAX), known)
  const advice = nearest === undefined ? '' : `; "${nearest}" is one`
  const what = `"${shown(name)}" of ${path} is no field whose words are searched`
  told.push(`${what}, and was ignored${advice}.`)
}

function ignored(
  what: string,
  name: string,
  known: Names,
  meant: Readonly<Record<string, string>>,
): string {
  const letters = lettersOf(name)
  const other = Object.hasOwn(meant, letters) ? meant[letters] : undefined
  const instead =
    sameLetters(letters, known) ?? other ?? nearestName(name.slice(0, NAME_MAX), known)
  return `${what} and was ignored${instead === undefined ? '' : `; "${instead}" is`}.`
}

/** The field of the same letters in another spelling. */
function sameLetters(letters: string, known: Names): string | undefined {
  for (const name of known) if (lettersOf(name) === letters) return name
  return undefined
}

function lettersOf(name: string): string {
  return name
    .slice(0, NAME_MAX)
    .toLowerCase()
    .replace(/[^a-z]/g, '')
}

function shown(name: string): string {
  return name.slice(0, NAME_MAX)
}

function namesOf({ properties }: { properties: object }): Names {
  return new Set(Object.keys(properties))
}
