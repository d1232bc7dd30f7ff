import { expect, it } from 'vitest'
import { HighlightOptions, SearchQuery, SearchRequest } from '../../src/schema/search.ts'

it.each([
  ['in a body', SearchRequest],
  ['in an address', SearchQuery],
  ['of highlight', HighlightOptions],
])('every field of a search, %s, says in OpenAPI what it is', (_, { properties }) => {
  const silent = Object.entries(properties).filter(([, shape]) => !('description' in shape))
  expect(silent.map(([name]) => name)).toEqual([])
})
