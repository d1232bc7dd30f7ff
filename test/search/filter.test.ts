import { describe, expect, test } from 'vitest'
import { readFilters } from '../../src/search/filter.ts'

describe('filters are read', () => {
  test.each([
    [{}, undefined],
    [{ tag: 'a' }, { field: 'tag', any: ['a'] }],
    [{ tag: ['a', 'b'] }, { field: 'tag', any: ['a', 'b'] }],
    [{ year: { gte: 2000, lt: 2010 } }, { field: 'year', gte: 2000, lt: 2010 }],
    [{ tag: { not: 'a' } }, { not: { field: 'tag', any: ['a'] } }],
    [{ tag: { not: ['a', 'b'] } }, { not: { field: 'tag', any: ['a', 'b'] } }],
    [{ tag: null }, { not: { field: 'tag', exists: true } }],
    [{ tag: { exists: true } }, { field: 'tag', exists: true }],
    [{ tag: { exists: false } }, { field: 'tag', exists: false }],
    [
      { a: 1, b: 2 },
      {
        and: [
          { field: 'a', any: [1] },
          { field: 'b', any: [2] },
        ],
      },
    ],
    [
      { or: [{ a: 1 }, { b: { gt: 2 } }] },
      {
        or: [
          { field: 'a', any: [1] },
          { field: 'b', gt: 2 },
        ],
      },
    ],
    [{ not: { a: 1 } }, { not: { field: 'a', any: [1] } }],
    [
      { year: { gte: 1, not: 5 } },
      { and: [{ not: { field: 'year', any: [5] } }, { field: 'year', gte: 1 }] },
    ],
  ])('%j', (filters, node) => {
    expect(readFilters(filters)).toEqual(node)
  })
})

describe('a filter that says nothing clear is refused with its place', () => {
  test.each([
    [{ year: {} }, 'filters.year'],
    [{ year: { above: 3 } }, 'filters.year.above'],
    [{ year: { gte: [1] } }, 'filters.year.gte'],
    [{ tag: [{}] }, 'filters.tag[0]'],
    [{ tag: { exists: 'true' } }, 'filters.tag.exists'],
    [{ tag: { exists: 1 } }, 'filters.tag.exists'],
    [{ tag: { exists: null } }, 'filters.tag.exists'],
    [{ and: [3] }, 'filters.and[0]'],
  ])('%j', (filters, path) => {
    expect(() => readFilters(filters)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        details: [expect.objectContaining({ path })],
      }),
    )
  })

  test('and so is one with more conditions than the limit', () => {
    const or = Array.from({ length: 2000 }, () => ({ a: 1 }))
    expect(() => readFilters({ or })).toThrow(/at most/)
  })
})
