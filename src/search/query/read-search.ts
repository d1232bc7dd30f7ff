import { invalid } from '../../errors.ts'
import { FACETS_MAX, type Facets } from '../../schema/facet.ts'
import type { SearchRequest, Sort } from '../../schema/search.ts'
import { FUSIONS, FUZZINESSES, OPERATORS, SEARCH_TYPES } from '../../schema/tuning.ts'
import { lowerWord } from '../../word.ts'
import type { CoreFacet, CoreRequest, SortKey } from './core-request.ts'
import { decodeCursor } from './cursor.ts'
import { readFilters } from './filter.ts'
import { listTextOf } from './list-text.ts'
import { cursorHash, hashQuery } from './query-hash.ts'

/** Hits of a list up to the end of a page that `from` names. */
const PAGE_END_MAX = 10_000
/** Keys of a sort; the core takes no more, and thousands would go a long way to it. */
const SORT_KEYS_MAX = 16
/** What a leg weighs whose weight was not sent beside the other's. */
const DEFAULT_WEIGHTS = { text: 0.75, vector: 0.25 }
/** Ranks are added up as they are. */
const RANK_WEIGHTS = { text: 1, vector: 1 }

export interface SearchRead {
  request: CoreRequest
  queryHash: string
  /** Hits on the pages before this one. */
  shownBefore: number
  /** What decides the list and its order: a cursor is tied to it. */
  listText: string
  /** The list's number, from its cursor. */
  list: number | undefined
  /** How many indices the list was begun in, from its cursor. */
  indexCount: number | undefined
  /** Whether the list lacks the vectors of an endpoint that failed, from its cursor. */
  lacksVector: boolean | undefined
}

/**
 * Reads a search's words into the core's request and the hash that names the query; `isMapped` tells whether an index
 * that is searched maps a field of this name. Throws VALIDATION_FAILED.
 */
export function readSearch(
  search: SearchRequest,
  isMapped: (field: string) => boolean = () => false,
): SearchRead {
  const mode = readWord('searchType', search.searchType, SEARCH_TYPES, 'hybrid')
  const filter = readFilters(search.filters as Record<string, unknown> | undefined, isMapped)
  const request: CoreRequest = {
    query: search.query ?? '',
    mode,
    from: search.from ?? 0,
    size: search.size ?? 10,
  }
  const queryHash = hashQuery(request.query, filter)
  if (request.from + request.size > PAGE_END_MAX)
    throw invalid('from', `plus size must be at most ${PAGE_END_MAX}; beyond it use cursor`)
  if (filter !== undefined) request.filter = filter
  readWords(search, request)
  readWeights(search, request)
  if (search.facets !== undefined) request.facets = readFacets(search.facets)
  const sort = readSort(search.sort ?? [], isMapped)
  if (sort.length > 0) request.sort = sort
  const listText = listTextOf(search, request, queryHash)
  let shownBefore = request.from
  let list: number | undefined
  let indexCount: number | undefined
  let lacksVector: boolean | undefined
  if (search.cursor !== undefined) {
    if (request.from > 0) throw invalid('from', 'must be 0 beside a cursor')
    const cursor = decodeCursor(search.cursor, cursorHash(listText))
    if ((search.generation ?? cursor.generation) !== cursor.generation)
      throw invalid('generation', 'must be that of the list beside its cursor, or not be sent')
    if (cursor.after === '') request.from = cursor.shown
    else request.after = cursor.after
    request.generation = cursor.generation
    shownBefore = cursor.shown
    list = cursor.list
    indexCount = cursor.indices?.count
    lacksVector = cursor.lacksVector
  } else if (search.generation !== undefined) request.generation = search.generation
  return { request, queryHash, shownBefore, listText, list, indexCount, lacksVector }
}

function readWords(search: SearchRequest, request: CoreRequest): void {
  if (search.operator !== undefined)
    request.operator = readWord('operator', search.operator, OPERATORS, 'or')
  if (search.fusion !== undefined)
    request.fusion = readWord('fusion', search.fusion, FUSIONS, 'convex')
  if (search.fuzziness !== undefined)
    request.fuzziness = readWord(
      'fuzziness',
      String(search.fuzziness),
      FUZZINESSES,
      '0',
    ).toUpperCase()
  if (search.phrase === true) request.phrase = true
  if (search.slop !== undefined && search.slop > 0) request.slop = search.slop
  if (search.prefix === true) request.prefix = true
  if (search.neighbors !== undefined) request.neighbors = search.neighbors
  if (search.similarity !== undefined) request.cut = search.similarity
  if (search.feedback !== undefined) request.feedback = search.feedback
  if (search.minScore !== undefined) request.minScore = search.minScore
  if (search.explain === true) request.explain = true
}

function readWeights(search: SearchRequest, request: CoreRequest): void {
  const { searchFields, boost } = search
  if (searchFields !== undefined)
    request.fields = Array.isArray(searchFields)
      ? Object.fromEntries(searchFields.map((field) => [field, null]))
      : searchFields
  if (boost === undefined) return
  const { text, vector, ...fields } = boost
  const weights = request.fusion === 'rrf' ? RANK_WEIGHTS : DEFAULT_WEIGHTS
  if (text !== undefined || vector !== undefined)
    request.weights = { text: text ?? weights.text, vector: vector ?? weights.vector }
  if (Object.keys(fields).length > 0) request.boost = fields
}

function readFacets(facets: Facets): CoreFacet[] {
  // One that is named twice is counted and answered once.
  if (Array.isArray(facets)) return [...new Set(facets)].map((field) => ({ field }))
  const named = Object.entries(facets)
  if (named.length > FACETS_MAX) throw invalid('facets', `must name at most ${FACETS_MAX} fields`)
  return named.map(([field, facet]) => ({ field, ...facet }))
}

function readSort(sort: Sort, isMapped: (field: string) => boolean): SortKey[] {
  const keys = Array.isArray(sort) ? sort : [sort]
  const names = keys.map((key) => (typeof key === 'string' ? 1 : Object.keys(key).length))
  if (names.reduce((sum, count) => sum + count, 0) > SORT_KEYS_MAX)
    throw invalid('sort', `must name at most ${SORT_KEYS_MAX} fields`)
  return keys.flatMap((key, at) => {
    const path = Array.isArray(sort) ? `sort[${at}]` : 'sort'
    if (typeof key === 'string') return [readSortText(key, path, isMapped)]
    const named = Object.entries(key)
    if (named.length === 0) throw invalid(path, 'must name a field')
    if (isApart(key)) throw invalid(path, 'must have the field as a name: {"year": "desc"}')
    return named.map(([field, order]) => ({
      field,
      descending: readOrder(order, `${path}.${field}`),
    }))
  })
}

/** Whether a field and its order stand beside each other, as others have it: `{"field": "year", "order": "desc"}`. */
function isApart(key: object): boolean {
  const { field, order, direction = order } = key as Record<string, unknown>
  return typeof field === 'string' && direction !== undefined && !isOrder(field)
}

/** `field` or `field:order`; only a mapped field may have a colon in its name without an order behind it. */
function readSortText(text: string, path: string, isMapped: (field: string) => boolean): SortKey {
  const colon = text.lastIndexOf(':')
  if (colon < 0 || isMapped(text)) return { field: text, descending: text === '_score' }
  const order = text.slice(colon + 1).toLowerCase()
  if (order !== 'asc' && order !== 'desc')
    throw invalid(
      path,
      'must end in :asc or :desc behind its last colon, also when the field has a colon in its name',
    )
  return { field: text.slice(0, colon), descending: order === 'desc' }
}

function readOrder(order: unknown, path: string): boolean {
  const word =
    typeof order === 'object' && order !== null ? (order as { order?: unknown }).order : order
  if (!isOrder(word)) throw invalid(path, 'must be asc or desc')
  return lowerWord(word) === 'desc'
}

function isOrder(word: unknown): boolean {
  return ['asc', 'desc'].includes(lowerWord(word))
}

function readWord<const Word extends string>(
  path: string,
  sent: string | undefined,
  words: readonly Word[],
  fallback: Word,
): Word {
  if (sent === undefined) return fallback
  const word = words.find((known) => known === sent.toLowerCase())
  if (word === undefined) throw invalid(path, `must be one of ${words.join(', ')}`)
  return word
}
