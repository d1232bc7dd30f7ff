import { describe, expect, test } from 'vitest'
import { readFilters } from '../../../src/search/query/filter.ts'

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
    [{ or: { a: 1, b: { gt: 2 } } }, readFilters({ or: [{ a: 1 }, { b: { gt: 2 } }] })],
    [{ or: { a: 1, and: [{ b: 2 }] } }, readFilters({ or: [{ a: 1 }, { b: 2 }] })],
    [{ not: { a: 1, b: 2 } }, { not: readFilters({ a: 1, b: 2 }) }],
    [{ and: [] }, { and: [] }],
    [{ not: { a: 1 } }, { not: { field: 'a', any: [1] } }],
    [
      { year: { gte: 1, not: 5 } },
      { and: [{ not: { field: 'year', any: [5] } }, { field: 'year', gte: 1 }] },
    ],
    [
      { OR: [{ year: { GTE: 1, Lt: 2 } }, { NOT: { tag: { Exists: true } } }] },
      {
        or: [{ field: 'year', gte: 1, lt: 2 }, { not: { field: 'tag', exists: true } }],
      },
    ],
    [{ AND: [] }, { and: [] }],
    [{ And: { tag: { IN: ['a'], NOT: 'b' } } }, readFilters({ tag: { in: ['a'], not: 'b' } })],
    // A field of its own, as states may be called.
    [{ OR: true }, { field: 'OR', any: [true] }],
    [{ OR: ['a', 'b'] }, { field: 'OR', any: ['a', 'b'] }],
  ])('%j', (filters, node) => {
    expect(readFilters(filters)).toEqual(node)
  })

  test('words that join conditions in another case are a field where one of this name is mapped', () => {
    const isMapped = (field: string) => field === 'OR'
    expect(readFilters({ OR: { gte: 5 } }, isMapped)).toEqual({ field: 'OR', gte: 5 })
    expect(readFilters({ or: { a: 5 } }, isMapped)).toEqual({ or: [{ field: 'a', any: [5] }] })
    expect(readFilters({ Or: { a: 5 } }, isMapped)).toEqual({ or: [{ field: 'a', any: [5] }] })
  })
})

/** The sentence by which a filter is refused; empty for one that is read. */
function refusal(filters: Record<string, unknown>): string {
  try {
    readFilters(filters)
    return ''
  } catch (error) {
    return String(error)
  }
}

describe('a filter that says nothing clear is refused with its place', () => {
  test.each([
    [{ year: {} }, 'filters.year'],
    [{ year: { above: 3 } }, 'filters.year.above'],
    [{ year: { gte: [1] } }, 'filters.year.gte'],
    [{ year: { gte: 1, GTE: 2 } }, 'filters.year.GTE'],
    [{ tag: [{}] }, 'filters.tag[0]'],
    [{ tag: { exists: 'true' } }, 'filters.tag.exists'],
    [{ tag: { exists: 1 } }, 'filters.tag.exists'],
    [{ tag: { exists: null } }, 'filters.tag.exists'],
    [{ and: [3] }, 'filters.and[0]'],
    [{ and: true }, 'filters.and'],
    [{ or: {} }, 'filters.or'],
    [{ or: [] }, 'filters.or'],
    [{ or: 'a' }, 'filters.or'],
    [{ or: [{ a: 1 }, {}] }, 'filters.or[1]'],
    [{ not: {} }, 'filters.not'],
    [{ not: [] }, 'filters.not'],
    [{ NOT: {} }, 'filters.NOT'],
    [{ NOT: [] }, 'filters.NOT'],
    [{ Or: [] }, 'filters.Or'],
    [{ not: [{ a: 1 }, {}] }, 'filters.not[1]'],
  ])('%j', (filters, path) => {
    expect(() => readFilters(filters)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        details: [expect.objectContaining({ path })],
      }),
    )
  })

  test('one without a part is told all parts, and each of them is read', () => {
    const [, known = ''] = /must hold one of (.+)\.$/.exec(refusal({ year: {} })) ?? []
    expect(known.split(', ')).toEqual(expect.arrayContaining(['gt', 'eq', 'not', 'exists']))
    for (const part of known.split(', '))
      expect(refusal({ year: { [part]: true } }), part).not.toMatch(/is not known/)
    // What every object inherits is no part.
    expect(() => readFilters({ year: { constructor: 1 } })).toThrow(/is not known/)
  })

  test('a field inside of an object is told how it is named', () => {
    expect(() => readFilters({ o: { t: 'x' } })).toThrow(
      /^filters\.o\.t is not known; known are .*; a field inside of an object is filtered by as "o\.t"\.$/,
    )
  })

  test.each([
    [{ must: [{ year: 1 }] }, 'conditions are joined by "and" instead of "must"'],
    [{ must_not: { year: 1 } }, 'conditions are joined by "not" instead of "must_not"'],
    [{ term: { year: 1 } }, 'what "term" holds stands here without it'],
    [
      { bool: { should: [{ year: 1 }] } },
      'what "bool" holds stands here without it; conditions are joined by "or" instead of "should"',
    ],
  ])('the words of other search engines are told what stands for them: %j', (filters, advice) => {
    expect(refusal(filters)).toContain(`; ${advice}`)
    // Fields may have such names.
    const [name = ''] = Object.keys(filters)
    expect(refusal({ [name]: ['a'] })).toBe('')
    expect(refusal({ [name]: { exists: true } })).toBe('')
  })

  test('null in a list is told to be a condition of its own, and how it is sent', () => {
    const advice = '{"or": [{"year": […]}, {"year": null}]}'
    for (const year of [[2005, null], { not: [2005, null] }])
      expect(() => readFilters({ year })).toThrow(
        `[1] must be a string, a number or a boolean; null is a condition of its own: ${advice}.`,
      )
    expect(readFilters(JSON.parse(advice.replace('…', '2005')))).toEqual({
      or: [{ field: 'year', any: [2005] }, { not: { field: 'year', exists: true } }],
    })
    expect(() => readFilters({ year: [{}] })).toThrow(/must be a string, a number or a boolean\.$/)
    expect(() => readFilters({ ['x'.repeat(999)]: [null] })).toThrow(/of its own: .{159}\.$/)
  })

  test.each([{ or: [] }, { or: {} }, { or: [{ a: 1 }, {}] }, { not: [] }, { not: {} }])(
    'one that joins no condition is told to be left out: %j',
    (filters) => {
      expect(() => readFilters(filters)).toThrow(
        /must hold a condition; without one, leave it out\.$/,
      )
    },
  )

  test('and so is one with more conditions than the limit', () => {
    const or = Array.from({ length: 2000 }, () => ({ a: 1 }))
    expect(() => readFilters({ or })).toThrow(/at most/)
  })
})
