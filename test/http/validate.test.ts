import { Type } from 'typebox'
import { expect, test } from 'vitest'
import type { ServiceError } from '../../src/errors.ts'
import { openValidators } from '../../src/http/validate.ts'
import { MapOf, Share } from '../../src/schema/common.ts'
import { SearchRequest } from '../../src/schema/search.ts'

const { exact, thorough, coercing } = openValidators()

test.each([
  [Type.Object({ a: Type.Object({}, { minProperties: 1 }) }), 'a must have at least 1 property.'],
  [Type.Object({ a: Type.Object({}, { minProperties: 2 }) }), 'a must have at least 2 properties.'],
])('what lacks properties is told how many it needs', (schema, message) => {
  expect(() => exact(schema)({ a: {} })).toThrow(message)
})

test.each([
  [Type.String({ maxLength: 2 }), 'abc', 'The body must have at most 2 characters.'],
  [Type.String({ minLength: 2 }), 'a', 'The body must have at least 2 characters.'],
  [Type.String({ minLength: 1 }), '', 'The body must not be empty.'],
  [Type.Array(Type.Integer(), { maxItems: 1 }), [1, 2], 'The body must have at most 1 item.'],
  [Type.Array(Type.Integer(), { minItems: 2 }), [1], 'The body must have at least 2 items.'],
  [Type.Object({}, { maxProperties: 1 }), { a: 1, b: 2 }, 'The body must have at most 1 property.'],
  [Type.Integer({ minimum: 0 }), -1, 'The body must be at least 0.'],
  [Type.Integer({ maximum: 9 }), 10, 'The body must be at most 9.'],
  [Type.String({ format: 'date-time' }), 'now', 'The body must be a time such as 2026-01-31T12:00'],
])('what is beyond a limit is told the limit in words: %j, %j', (schema, value, message) => {
  expect(() => exact(schema)(value)).toThrow(message)
})

test('an object with a form of its own is shown to whoever sends something else', () => {
  const filters = Type.Object({}, { examples: [{ year: 2020 }, {}] })
  const check = exact(Type.Object({ filters, other: Type.Optional(Type.Object({})) }))
  const message = 'filters must be an object such as {"year":2020}.'
  for (const sent of ['year = 2020', [{ year: 2020 }]])
    expect(() => check({ filters: sent })).toThrow(message)
  expect(() => check({ filters: {}, other: 1 })).toThrow(/other must be an object\.$/)
})

test.each([
  [{ fields: { title: {} } }, 'highlight.fields must be a list such as ["title"].'],
  [
    ['title'],
    'highlight must be true or false or an object such as {"fields":["title"],"fragments":1}.',
  ],
])('a highlight in the form of other services is told how it is written: %j', (sent, message) => {
  expect(() => exact(SearchRequest)({ highlight: sent })).toThrow(message)
})

test('what a map holds is checked under every name, and names by their own limits', () => {
  const check = exact(
    Type.Object({ map: MapOf(Type.Number(), { propertyNames: { minLength: 1, maxLength: 3 } }) }),
  )
  expect(() => check({ map: { a: 1, 'b\nc': 2 } })).not.toThrow()
  expect(() => check({ map: { 'a\nb': 'x' } })).toThrow('must be a number.')
  expect(() => check({ map: { '': 1 } })).toThrow('map has a name that must not be empty.')
  const long = 'map has a name that must have at most 3 characters.'
  expect(() => check({ map: { ['x'.repeat(5000)]: 1 } })).toThrow(long)
})

test('parameters that a schema does not name are taken out, unless it keeps them', () => {
  const taken = { size: '5', filter: 'x' }
  const kept = { ...taken }
  const size = Type.Integer()
  coercing(Type.Object({ size }))(taken)
  coercing(Type.Object({ size }, { additionalProperties: true }))(kept)
  expect(taken).toEqual({ size: 5 })
  expect(kept).toEqual({ size: 5, filter: 'x' })
})

test.each([
  ['True', true],
  ['FALSE', false],
  ['true', true],
])('a parameter that is true or false may come in any case, as %s', (text, value) => {
  const sent = { explain: text, q: text }
  coercing(Type.Object({ explain: Type.Boolean(), q: Type.String() }))(sent)
  expect(sent).toEqual({ explain: value, q: text })
})

test.each(['yes', '1', '', 'Truely'])(
  'a parameter that is neither true nor false is refused: %s',
  (text) => {
    const check = coercing(Type.Object({ explain: Type.Boolean() }))
    expect(() => check({ explain: text })).toThrow('explain must be true or false.')
  },
)

const Entry = Type.Object({
  id: Type.String(),
  when: Type.Union([Type.String({ format: 'date-time' }), Type.Number()]),
  sort: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Union([Type.String(), Share]))])),
})
const Entries = Type.Object({ entries: Type.Array(Entry), name: Type.String({ maxLength: 3 }) })

function detailsOf(check: (value: unknown) => void, value: unknown) {
  try {
    check(value)
  } catch (error) {
    const { message, details } = error as ServiceError
    return { error: message, details }
  }
}

test('each mistake of a body is told with its place, the first in the sentence', () => {
  const entries = [{ id: 1, when: 'noon' }, { id: 'a', when: 5, sort: [true] }, { when: true }]
  const told = detailsOf(thorough(Entries), { entries, name: 'long' })
  const first = { path: 'entries[0].id', message: 'must be a text' }
  expect(told).toEqual({
    error: 'entries[0].id must be a text.',
    details: [
      first,
      { path: 'entries[0].when', message: 'must be a time such as 2026-01-31T12:00:00Z' },
      { path: 'entries[1].sort[0]', message: 'must be a text or a number' },
      { path: 'entries[2].id', message: 'is required' },
      { path: 'entries[2].when', message: 'must be a text or a number' },
      { path: 'name', message: 'must have at most 3 characters' },
    ],
  })
  // What comes as one of many is told its first one.
  expect(detailsOf(exact(Entries), { entries, name: 'long' })?.details).toEqual([first])
  const good = { entries: [{ id: 'a', when: 5 }], name: 'abc' }
  expect(() => thorough(Entries)(good)).not.toThrow()
})

test('ten mistakes are told at most, and of a large body the first', () => {
  const bad = (length: number) => ({ entries: Array.from({ length }, () => 7), name: 'abc' })
  expect(detailsOf(thorough(Entries), bad(100))?.details).toHaveLength(10)
  // The body, its name and its list are values, too.
  expect(detailsOf(thorough(Entries), bad(497))?.details).toHaveLength(10)
  expect(detailsOf(thorough(Entries), bad(498))?.details).toHaveLength(1)
})

test('each mistake of parameters is told, whether it is seen before they are read or after', () => {
  const schema = Type.Object({
    id: Type.Optional(Type.String({ minLength: 1 })),
    ...{ size: Type.Integer({ maximum: 9 }), from: Type.Integer(), deep: Type.Boolean() },
    names: Type.Optional(Type.Array(Type.String(), { maxItems: 2 })),
  })
  for (const more of [{}, { additionalProperties: true }]) {
    const check = coercing({ ...schema, ...more } as typeof schema)
    const sent = { size: '10', from: '3', deep: 'perhaps', names: ['a', 'b', 'c'], other: 'x' }
    const after = [
      { path: 'size', message: 'must be at most 9' },
      { path: 'deep', message: 'must be true or false' },
      { path: 'names', message: 'must have at most 2 items' },
    ]
    expect(detailsOf(check, { ...sent })).toEqual({
      error: 'size must be at most 9.',
      details: after,
    })
    expect(detailsOf(check, { ...sent, from: '0x1', id: '' })).toEqual({
      error: 'from must be a whole number in plain digits.',
      details: [
        { path: 'from', message: 'must be a whole number in plain digits' },
        { path: 'id', message: 'must not be empty: give it a value, or leave it out' },
        ...after,
      ],
    })
    const good = { size: '9', from: '3', deep: 'true', names: 'a' }
    check(good)
    expect(good).toEqual({ size: 9, from: 3, deep: true, names: ['a'] })
  }
})

test('a parameter that is sent twice is told so, where it is no list', () => {
  const check = coercing(
    Type.Object({
      q: Type.Optional(Type.String()),
      size: Type.Optional(Type.Integer()),
      fields: Type.Optional(Type.Array(Type.String())),
    }),
  )
  expect(() => check({ q: ['a', 'b'] })).toThrow('q must be sent once.')
  expect(() => check({ size: ['1', '2'], fields: ['a', 'b'] })).toThrow('size must be sent once.')
  expect(() => check({ q: 'a', fields: ['a', 'b'] })).not.toThrow()
})
