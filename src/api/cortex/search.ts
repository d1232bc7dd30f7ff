import { serviceError } from '../../errors.ts'
import { answer, route } from '../../http/route.ts'
import {
  SearchQuery,
  SearchReply,
  SearchRequest,
  SuggestReply,
  SuggestRequest,
} from '../../schema/search.ts'

/** Texts and names of fields are only looked up: with half a character in them they find what was stored so. */
const CONTENT = 'query filters facets sort fields searchFields boost highlight'.split(' ')

export const search = route({
  method: 'POST',
  path: '/cortex/search',
  tag: 'search',
  summary: 'Search by text, by meaning, or by both',
  body: SearchRequest,
  bodyOptional: true,
  content: CONTENT,
  example: { query: 'espresso at home', filters: { tags: 'coffee' }, facets: ['tags'], size: 5 },
  reply: SearchReply,
  errors: ['INDEX_NOT_FOUND', 'INVALID_CURSOR', 'GENERATION_GONE', 'VECTOR_DIMENSIONS'],
  handle: async ({ app, body, receivedMs }) =>
    answer((await app.search.run(body, receivedMs)).data),
})

export const searchByQuery = route({
  method: 'GET',
  path: '/cortex/search',
  tag: 'search',
  summary: 'Search by the words of an address',
  query: SearchQuery,
  reply: SearchReply,
  errors: ['INDEX_NOT_FOUND', 'INVALID_CURSOR'],
  handle: async ({ app, query, receivedMs }) =>
    answer((await app.search.run(fromQuery(query), receivedMs)).data),
})

export const suggest = route({
  method: 'POST',
  path: '/cortex/suggest',
  tag: 'search',
  summary: 'Complete a prefix, or correct spelling, from the indexed words',
  body: SuggestRequest,
  content: ['prefix', 'query'],
  example: { prefix: 'espr' },
  reply: SuggestReply,
  errors: ['INDEX_NOT_FOUND'],
  handle: ({ app, body }) => app.search.suggest(body),
})

/** The GET form in the shape of the POST form: lists have commas, filters are JSON. */
function fromQuery(sent: SearchQuery): SearchRequest {
  const { q, query = q, index, filters, fields, facets, sort, ...same } = sent
  return {
    ...same,
    ...(query === undefined ? {} : { query }),
    ...(index === undefined ? {} : { index: index.split(',') }),
    ...(filters === undefined ? {} : { filters: parseFilters(filters) }),
    ...(fields === undefined ? {} : { fields: fields.split(',') }),
    ...(facets === undefined ? {} : { facets: facets.split(',') }),
    ...(sort === undefined ? {} : { sort: sort.split(',') }),
  }
}

function parseFilters(text: string): object {
  try {
    const filters: unknown = JSON.parse(text)
    if (typeof filters === 'object' && filters !== null && !Array.isArray(filters)) return filters
  } catch {
    // Falls through to the same refusal.
  }
  throw serviceError('VALIDATION_FAILED', 'filters must be a JSON object.', {
    details: [{ path: 'filters', message: 'must be a JSON object' }],
  })
}
