import { route } from '../../http/route.ts'
import { QueryIdPath, Replay, ShownSearch } from '../../schema/impression.ts'

export const readSearch = route({
  method: 'GET',
  path: '/nous/learn/searches/{queryId}',
  tag: 'learning',
  summary: 'Read what a search showed: hits, features, propensities, and everything that applied',
  params: QueryIdPath,
  reply: ShownSearch,
  errors: ['SEARCH_NOT_FOUND'],
  handle: ({ app, params }) => app.learning.searches.read(params.queryId),
})

export const replaySearch = route({
  method: 'POST',
  path: '/nous/learn/searches/{queryId}/replay',
  readsOnly: true,
  tag: 'learning',
  summary: 'Run a search again over the view that it saw',
  params: QueryIdPath,
  reply: Replay,
  errors: ['SEARCH_NOT_FOUND', 'INDEX_NOT_FOUND', 'GENERATION_GONE', 'UNHEALTHY'],
  handle: ({ app, params }) => app.learning.searches.replay(params.queryId),
})
