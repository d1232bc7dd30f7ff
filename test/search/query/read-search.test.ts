import { describe, expect, test } from 'vitest'
import { SearchRequest } from '../../../src/schema/search.ts'
import { encodeCursor } from '../../../src/search/query/cursor.ts'
import { cursorHash } from '../../../src/search/query/query-hash.ts'
import { readSearch } from '../../../src/search/query/read-search.ts'

/** What makes another list of a search. */
const OTHER_LISTS: SearchRequest[] = [
  { query: 'other' },
  { filters: { year: 1 } },
  { searchType: 'hybrid' },
  { operator: 'and' },
  { operator: 'or' },
  { phrase: true },
  { slop: 1 },
  { prefix: true },
  { fuzziness: 1 },
  { fusion: 'rrf' },
  { searchFields: ['title'] },
  { boost: { title: 2 } },
  { boost: { text: 2 } },
  { neighbors: 5 },
  { similarity: 0.5 },
  { minScore: 1 },
  { feedback: true },
  { sort: 'year' },
  { index: 'a' },
  { vector: [1, 2] },
]
/** What may be another on each page of a list. */
const SAME_LISTS: SearchRequest[] = [
  { sessionId: 's' },
  { userId: 'u' },
  { size: 3 },
  { fields: ['title'] },
  { facets: ['tags'] },
  { highlight: true },
  { explain: true },
]
/** Which page of a list it is, and of which view. */
const PLACES = ['from', 'cursor', 'generation']

test('a mapped field may be called like a word that joins filters, in another case', () => {
  const filterOf = (mapped: string) =>
    readSearch({ filters: { OR: { gte: 5 } } }, (field) => field === mapped).request.filter
  expect(filterOf('OR')).toEqual({ field: 'OR', gte: 5 })
  expect(filterOf('or')).toEqual({ or: [{ field: 'gte', any: [5] }] })
})

describe('a search is read', () => {
  test('with defaults when nothing is said', () => {
    const { request } = readSearch({})
    expect(request).toEqual({ query: '', mode: 'hybrid', from: 0, size: 10 })
  })

  test('with words of closed lists in any case', () => {
    const { request } = readSearch({ searchType: 'TEXT', operator: 'And', fuzziness: 'auto' })
    expect(request).toMatchObject({ mode: 'text', operator: 'and', fuzziness: 'AUTO' })
  })

  test.each([
    [{ searchType: 'keyword' }, 'searchType'],
    [{ operator: 'xor' }, 'operator'],
    [{ fusion: 'max' }, 'fusion'],
    [{ fuzziness: 'lots' }, 'fuzziness'],
    [{ from: 9_995, size: 10 }, 'from'],
    [{ sort: [{ year: 'sideways' }] }, 'sort[0].year'],
    [{ sort: [Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, 'asc']))] }, 'sort'],
  ])('or refused, naming the field: %j', (search, path) => {
    expect(() => readSearch(search)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        details: [expect.objectContaining({ path })],
      }),
    )
  })

  test('with legs and fields told apart in boost', () => {
    const { request } = readSearch({ boost: { text: 0.9, vector: 0.1, title: 3 } })
    expect(request.weights).toEqual({ text: 0.9, vector: 0.1 })
    expect(request.boost).toEqual({ title: 3 })
  })

  test('with sorts as text, as objects and by score, which falls by default', () => {
    const { request } = readSearch({ sort: ['year:desc', { title: 'asc' }, '_score'] })
    expect(request.sort).toEqual([
      { field: 'year', descending: true },
      { field: 'title', descending: false },
      { field: '_score', descending: true },
    ])
  })

  test('with facets in both shapes', () => {
    expect(readSearch({ facets: ['tags'] }).request.facets).toEqual([{ field: 'tags' }])
    expect(readSearch({ facets: { year: { stats: true } } }).request.facets).toEqual([
      { field: 'year', stats: true },
    ])
  })
})

describe('the hash of a query', () => {
  const hash = (search: Parameters<typeof readSearch>[0]) => readSearch(search).queryHash

  test('does not see case, spacing or the order of filters', () => {
    expect(hash({ query: '  Heat  Pump ' })).toBe(hash({ query: 'heat pump' }))
    expect(hash({ query: 'a', filters: { x: 1, y: { gte: 1, lt: 2 } } })).toBe(
      hash({ query: 'a', filters: { x: 1, y: { lt: 2, gte: 1 } } }),
    )
  })

  test('does not see in which order conditions and values stand', () => {
    const both = { and: [{ tags: ['x', 'y'] }, { or: [{ a: 1 }, { b: 2 }] }], year: 2 }
    const turned = { year: 2, and: [{ or: [{ b: 2 }, { a: 1 }] }, { tags: ['y', 'x'] }] }
    expect(hash({ query: 'a', filters: both })).toBe(hash({ query: 'a', filters: turned }))
    const other = { ...both, and: [{ tags: ['x', 'y'] }, { or: [{ a: 2 }, { b: 1 }] }] }
    expect(hash({ query: 'a', filters: both })).not.toBe(hash({ query: 'a', filters: other }))
  })

  test('sees other words and other filters', () => {
    expect(hash({ query: 'heat' })).not.toBe(hash({ query: 'pump' }))
    expect(hash({ query: 'heat' })).not.toBe(hash({ query: 'heat', filters: { x: 1 } }))
  })
})

describe('a cursor', () => {
  const search = { query: 'heat pump', searchType: 'text' }
  const cursorOf = (of: SearchRequest) =>
    encodeCursor({
      generation: 7,
      after: 'place',
      queryHash: cursorHash(readSearch(of).listText),
      shown: 10,
    })

  test.each([
    ...[-5, 1.5, 1e300, 'x'].map((shown) => [7, 'place', shown, 0]),
    ...[-1, 1.5, 1e300, null].map((generation) => [generation, 'place', 10, 0]),
    ...[-1, 1.5, 'x'].map((list) => [7, 'place', 10, list]),
    [7, 3, 10, 0],
  ])('that somebody wrote by hand is refused: %j', (generation, after, shown, list) => {
    const hash = cursorHash(readSearch(search).listText)
    const text = JSON.stringify([generation, after, hash, shown, list])
    const cursor = Buffer.from(text).toString('base64url')
    expect(() => readSearch({ ...search, cursor })).toThrow(
      expect.objectContaining({ code: 'INVALID_CURSOR' }),
    )
  })

  test('goes on where it was made, in the view it was made from', () => {
    const { request } = readSearch({ ...search, size: 50, cursor: cursorOf(search) })
    expect(request).toMatchObject({ after: 'place', generation: 7, size: 50 })
  })

  test.each(['not a cursor', '', Buffer.from('[1]').toString('base64url')])(
    'that this service never gave is refused: %j',
    (cursor) => {
      expect(() => readSearch({ ...search, cursor })).toThrow(
        expect.objectContaining({ code: 'INVALID_CURSOR' }),
      )
    },
  )

  test.each<[SearchRequest, SearchRequest]>([
    [{}, { searchType: 'hybrid', phrase: false, prefix: false, slop: 0, boost: {} }],
    [
      { searchType: 'text', operator: 'and' },
      { searchType: 'TEXT', operator: 'AND' },
    ],
    [{ index: 'a' }, { index: ['a'] }],
    [{ index: 'a,b' }, { index: ['b', 'a', 'b'] }],
    [{ sort: 'year:desc' }, { sort: [{ year: 'desc' }] }],
    [{}, { sort: [] }],
    [{ fuzziness: 1 }, { fuzziness: '1' }],
    [{ searchFields: ['title', 'tags'] }, { searchFields: ['tags', 'title'] }],
    [{ query: 'Heat  pump' }, { query: 'heat pump', size: 3, highlight: true, fields: ['title'] }],
  ])('made with %j goes on with %j, which means the same', (one, other) => {
    expect(readSearch({ ...other, cursor: cursorOf(one) }).request.after).toBe('place')
    expect(readSearch({ ...one, cursor: cursorOf(other) }).request.after).toBe('place')
  })

  test.each(OTHER_LISTS)('of another query is refused: %j', (other) => {
    expect(() => readSearch({ ...search, ...other, cursor: cursorOf(search) })).toThrow(
      expect.objectContaining({ code: 'INVALID_CURSOR' }),
    )
  })
})

describe('facets', () => {
  test('that are named twice are counted once', () => {
    expect(readSearch({ facets: ['a', 'b', 'a'] }).request.facets).toEqual([
      { field: 'a' },
      { field: 'b' },
    ])
  })

  test('are at most as many in an object as in a list', () => {
    const facets = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, {}]))
    expect(readSearch({ facets: facets(100) }).request.facets).toHaveLength(100)
    expect(() => readSearch({ facets: facets(101) })).toThrow(
      'facets must name at most 100 fields.',
    )
  })
})

test.each(SAME_LISTS)('%j is no other list', (more) => {
  expect(readSearch({ query: 'tea', ...more }).listText).toBe(readSearch({ query: 'tea' }).listText)
})

test('of every field of a search it is said here whether another one makes another list', () => {
  const told = [...[...OTHER_LISTS, ...SAME_LISTS].flatMap(Object.keys), ...PLACES]
  expect([...new Set(told)].sort()).toEqual(Object.keys(SearchRequest.properties).sort())
})

test('what a search says in vain does not decide its list', () => {
  const text = (search: object) => readSearch(search).listText
  expect(text({ query: 'tea', junk: 'x' })).toBe(text({ query: 'tea' }))
  expect(text({ query: 'tea', sort: 'year' })).not.toBe(text({ query: 'tea' }))
})
