import { expect, test } from 'vitest'
import type { SearchRequest } from '../../src/schema/search.ts'
import { unreadFields } from '../../src/search/unread.ts'

const unread = (search: object) => unreadFields(search as SearchRequest)

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
