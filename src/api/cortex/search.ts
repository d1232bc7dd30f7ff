import { type ErrorCode, invalid } from '../../errors.ts'
import { answer, route } from '../../http/route.ts'
import { SearchQuery, SearchRequest } from '../../schema/search.ts'
import { SearchReply } from '../../schema/search-reply.ts'
import { SuggestReply, SuggestRequest } from '../../schema/suggest.ts'
import { fromAddress, SEARCH_CONTENT } from './search-address.ts'

const REFUSALS: ErrorCode[] = [
  'INDEX_NOT_FOUND',
  'INVALID_CURSOR',
  'GENERATION_GONE',
  'VECTOR_DIMENSIONS',
  'EMBEDDER_UNAVAILABLE',
  'UNHEALTHY',
]

export const search = route({
  method: 'POST',
  path: '/cortex/search',
  readsOnly: true,
  tag: 'search',
  summary: 'Search by text, by meaning, or by both',
  body: SearchRequest,
  bodyOptional: true,
  content: SEARCH_CONTENT,
  example: { query: 'espresso at home', filters: { tags: 'coffee' }, facets: ['tags'], size: 5 },
  reply: SearchReply,
  errors: REFUSALS,
  handle: async ({ app, body, query, receivedMs, isLeft, hold }) => {
    const address = Object.keys(query)
    return answer((await app.search.run(body, receivedMs, { isLeft, hold, address })).data)
  },
})

export const searchByQuery = route({
  method: 'GET',
  path: '/cortex/search',
  tag: 'search',
  summary: 'Search by the words of an address',
  query: SearchQuery,
  reply: SearchReply,
  errors: [...REFUSALS, 'JSON_TOO_DEEP'],
  handle: async ({ app, query, receivedMs, isLeft, hold, header }) => {
    const search = fromAddress(query, app.config.jsonDepthMax)
    const bodyUnread =
      Number(header('content-length') ?? 0) > 0 || header('transfer-encoding') !== undefined
    const around = { isLeft, hold, bodyUnread }
    return answer((await app.search.run(search, receivedMs, around)).data)
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
  errors: ['INDEX_NOT_FOUND', 'UNHEALTHY'],
  handle: ({ app, body, query }) => {
    // Empty texts are what a search box begins with; neither is a slip in a name.
    if (body.prefix === undefined && body.query === undefined)
      throw invalid('prefix', 'or query is required')
    return app.search.suggest(body, Object.keys(query))
  },
})
