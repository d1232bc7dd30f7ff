import { invalid, ServiceError } from '../../errors.ts'
import { type ReadJson, readJson } from '../../http/json.ts'
import { answer, route } from '../../http/route.ts'
import { refuseUnkeepable } from '../../http/unkeepable.ts'
import { openValidators } from '../../http/validate.ts'
import {
  SearchQuery,
  SearchReply,
  SearchRequest,
  SuggestReply,
  SuggestRequest,
} from '../../schema/search.ts'
import { refuseContradiction } from '../agreement.ts'

const checkSearch = openValidators().exact(SearchRequest)

/** Texts and names of fields are only looked up: with half a character in them they find what was stored so. */
const CONTENT = 'query filters facets sort fields searchFields boost highlight'.split(' ')

export const search = route({
  method: 'POST',
  path: '/cortex/search',
  readsOnly: true,
  tag: 'search',
  summary: 'Search by text, by meaning, or by both',
  body: SearchRequest,
  bodyOptional: true,
  content: CONTENT,
  example: { query: 'espresso at home', filters: { tags: 'coffee' }, facets: ['tags'], size: 5 },
  reply: SearchReply,
  errors: ['INDEX_NOT_FOUND', 'INVALID_CURSOR', 'GENERATION_GONE', 'VECTOR_DIMENSIONS'],
  handle: async ({ app, body, receivedMs, isLeft }) =>
    answer((await app.search.run(body, receivedMs, isLeft)).data),
})

export const searchByQuery = route({
  method: 'GET',
  path: '/cortex/search',
  tag: 'search',
  summary: 'Search by the words of an address',
  query: SearchQuery,
  reply: SearchReply,
  errors: ['INDEX_NOT_FOUND', 'INVALID_CURSOR', 'GENERATION_GONE'],
  handle: async ({ app, query, receivedMs, isLeft }) => {
    const search = fromQuery(query, app.config.jsonDepthMax)
    return answer((await app.search.run(search, receivedMs, isLeft)).data)
  },
})

export const suggest = route({
  method: 'POST',
  path: '/cortex/suggest',
  readsOnly: true,
  tag: 'search',
  summary: 'Complete a prefix, or correct spelling, from the indexed words',
  body: SuggestRequest,
  content: ['prefix', 'query'],
  example: { prefix: 'espr' },
  reply: SuggestReply,
  errors: ['INDEX_NOT_FOUND'],
  handle: ({ app, body }) => app.search.suggest(body),
})

/** The GET form in the shape of the POST form, and checked like it. */
function fromQuery(sent: SearchQuery, depthMax: number): SearchRequest {
  refuseContradiction({ path: 'query', again: sent.query, place: '?q=', first: sent.q })
  const { q, query = q, index, filters, boost, fields, searchFields, facets, sort, ...same } = sent
  const search = {
    ...same,
    ...(query === undefined ? {} : { query }),
    ...(index === undefined ? {} : { index: index.split(',') }),
    ...(filters === undefined ? {} : { filters: parseObject('filters', filters, depthMax) }),
    ...(boost === undefined ? {} : { boost: parseObject('boost', boost, depthMax) }),
    ...(fields === undefined ? {} : { fields: fields.split(',') }),
    ...(searchFields === undefined ? {} : { searchFields: searchFields.split(',') }),
    ...(facets === undefined ? {} : { facets: facets.split(',') }),
    ...(sort === undefined ? {} : { sort: sort.split(',') }),
  }
  checkSearch(search)
  return search as SearchRequest
}

/** A parameter that is JSON, under the same rules as a body. */
function parseObject(name: string, text: string, depthMax: number): object {
  let read: ReadJson
  try {
    read = readJson(Buffer.from(text), depthMax)
  } catch (cause) {
    if (cause instanceof ServiceError && cause.code === 'MALFORMED_JSON')
      throw invalid(name, 'must be a JSON object')
    throw cause
  }
  const { value, suspicious } = read
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(name, 'must be a JSON object')
  if (suspicious) refuseUnkeepable({ [name]: value }, CONTENT)
  return value
}
