import { expect, test } from 'vitest'
import type { IndexMappings } from '../../src/schema/indices.ts'
import type { SearchRequest } from '../../src/schema/search.ts'
import { compileDefinition } from '../../src/search/definition.ts'
import type { IndexEntry } from '../../src/search/indices.ts'
import { unreadFields } from '../../src/search/unread.ts'

const entry = (properties: object) =>
  ({
    definition: compileDefinition({}, { properties } as IndexMappings, {
      embedder: 'learned',
      embedderDimensions: 4,
    }),
  }) as IndexEntry
const ENTRIES = [
  entry({ summary: { type: 'text', fields: { raw: { type: 'keyword' } } } }),
  entry({ year: { type: 'integer' }, notes: { type: 'text', index: false } }),
]
const unread = (search: object) => unreadFields(search as SearchRequest, ENTRIES)

test('a search whose fields are all read has no warnings', () => {
  expect(unread({})).toEqual({})
  expect(unread({ query: 'tea', filters: {}, sessionId: 's', userId: 'u', size: 3 })).toEqual({})
})

test.each([
  ['filter', 'filters'],
  ['limit', 'size'],
  ['q', 'query'],
  ['search_type', 'searchType'],
  ['minscore', 'minScore'],
])('what is not read is told, with what was meant: %s', (name, meant) => {
  const warning = `"${name}" is not a field of a search and was ignored; "${meant}" is.`
  expect(unread({ query: 'tea', [name]: 1 })).toEqual({ warnings: [warning] })
})

test('without a guess where there is none, and only of a few', () => {
  expect(unread({ colour: 'red' })).toEqual({
    warnings: ['"colour" is not a field of a search and was ignored.'],
  })
  expect(unread({ constructor: 1 }).warnings).toHaveLength(1)
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x${at}`.repeat(99), at]))
  const { warnings = [] } = unread(many)
  expect(warnings).toHaveLength(8)
  expect(warnings.every((warning) => warning.length < 120)).toBe(true)
})

test('names of fields that are searched, and keys that are read, are told of in no way', () => {
  expect(
    unread({
      ...{ searchFields: ['title', 'authors', 'summary', 'notes'], boost: { text: 1, content: 2 } },
      ...{ facets: { year: { size: 1, stats: true, ranges: [{ key: 'a', from: 1, to: 2 }] } } },
      highlight: { fields: ['title'], fragmentSize: 20, fragments: 1, pre: '', post: '' },
    }),
  ).toEqual({})
  expect(unread({ facets: ['limit'], highlight: true, searchFields: { notes: 2 } })).toEqual({})
  const anything = { searchFields: ['nowhere'], boost: { nothing: 1 } }
  expect(unreadFields(anything as SearchRequest, [])).toEqual({})
})

test.each([
  [['titel'], '"titel" of searchFields', '"title"'],
  [['sumary'], '"sumary" of searchFields', '"summary"'],
  [{ Title: 2 }, '"Title" of searchFields', '"title"'],
  [['title^2'], '"title^2" of searchFields', '"title"'],
  [['summary.raw'], '"summary.raw" of searchFields', undefined],
  [['year'], '"year" of searchFields', undefined],
  [['constructor'], '"constructor" of searchFields', undefined],
])('names of fields without searched words are told: %j', (searchFields, what, nearest) => {
  const advice = nearest === undefined ? '' : `; ${nearest} is one`
  expect(unread({ searchFields })).toEqual({
    warnings: [`${what} is no field whose words are searched, and was ignored${advice}.`],
  })
  expect(unread({ boost: { title: 1, contnet: 2 } })).toEqual({
    warnings: [
      '"contnet" of boost is no field whose words are searched, and was ignored; "content" is one.',
    ],
  })
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
  expect(unread(search)).toEqual({ warnings: [`${what} and was ignored; "${meant}" is.`] })
})
