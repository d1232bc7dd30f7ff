import { expect, test } from 'vitest'
import type { SearchRequest } from '../../../../src/schema/search.ts'
import { nothingTold, warningsOf } from '../../../../src/search/query/warnings/told.ts'
import {
  SEARCH,
  unreadInnerKeys,
  unreadKeys,
} from '../../../../src/search/query/warnings/unread-keys.ts'

const unread = (search: object) => {
  const told = nothingTold()
  unreadKeys(search, SEARCH, told)
  unreadInnerKeys(search as SearchRequest, told)
  return warningsOf(told)
}

test('a search whose keys are all read has no warnings', () => {
  expect(unread({})).toEqual([])
  expect(unread({ query: 'tea', filters: {}, sessionId: 's', userId: 'u', size: 3 })).toEqual([])
  expect(
    unread({
      ...{ searchFields: { notes: 2 }, boost: { text: 1, content: 2 }, fields: ['limit'] },
      ...{ facets: { year: { size: 1, stats: true, ranges: [{ key: 'a', from: 1, to: 2 }] } } },
      highlight: { fields: ['title'], fragmentSize: 20, fragments: 1, pre: '', post: '' },
    }),
  ).toEqual([])
  expect(unread({ facets: ['limit'], highlight: true })).toEqual([])
  expect(unread({ sort: ['limit', { year: 'desc' }, { year: { order: 'asc' } }] })).toEqual([])
})

test.each([
  ['filter', 'filters'],
  ['limit', 'size'],
  ['q', 'query'],
  ['search_type', 'searchType'],
  ['minscore', 'minScore'],
  ['_source', 'fields'],
  ['indexUid', 'index'],
  ['attributesToRetrieve', 'fields'],
  ['attributesToHighlight', 'highlight'],
  ['hitsPerPage', 'size'],
  ['pageSize', 'size'],
  ['top_k', 'size'],
  ['minimum_should_match', 'operator'],
  ['knn', 'vector'],
  ['search_after', 'cursor'],
  ['scroll', 'cursor'],
  ['pit', 'cursor'],
  ['hybrid', 'searchType'],
  ['aggregations', 'facets'],
  ['query_by', 'searchFields'],
  ['multi_match', 'query'],
  ['match_phrase', 'phrase'],
  ['bool', 'filters'],
  ['must_not', 'filters'],
  ['range', 'filters'],
  ['num_candidates', 'neighbors'],
  ['scroll_id', 'cursor'],
  ['highlightPreTag', 'highlight'],
])('what is not read is told, with what was meant: %s', (name, meant) => {
  const warning = `"${name}" is not a field of a search and was ignored; "${meant}" is.`
  expect(unread({ query: 'tea', [name]: 1 })).toEqual([warning])
})

test('without a guess where there is none, and only of a few', () => {
  expect(unread({ colour: 'red' })).toEqual([
    '"colour" is not a field of a search and was ignored.',
  ])
  expect(unread({ constructor: 1 })).toHaveLength(1)
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x${at}`.repeat(99), at]))
  const warnings = unread(many)
  expect(warnings).toHaveLength(8)
  expect(warnings.at(-1)).toBe('93 further warnings are left out.')
  expect(warnings.every((warning) => warning.length < 120)).toBe(true)
})

test.each([
  [{ facets: { tags: { limit: 3 } } }, '"limit" is not read in facets.tags', 'size'],
  [{ facets: { tags: { sise: 3 } } }, '"sise" is not read in facets.tags', 'size'],
  [{ facets: { y: { ranges: [{ gte: 1 }] } } }, '"gte" is not read in facets.y.ranges', 'from'],
  [
    { highlight: { number_of_fragments: 1 } },
    '"number_of_fragments" is not read in highlight',
    'fragments',
  ],
  [
    { highlight: { fragment_size: 90 } },
    '"fragment_size" is not read in highlight',
    'fragmentSize',
  ],
])('keys that are not read inside of a field are told: %j', (search, what, meant) => {
  expect(unread(search)).toEqual([`${what} and was ignored; "${meant}" is.`])
})

test.each([
  [{ year: { order: 'desc', missing: '_first' } }],
  [['_score', { year: { order: 'desc', missing: '_first' } }]],
])('so are keys beside the order of a field that is sorted by: %j', (sort) => {
  expect(unread({ sort })).toEqual(['"missing" is not read in sort.year and was ignored.'])
})
