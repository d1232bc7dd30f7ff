import { expect, test } from 'vitest'
import type { IndexMappings } from '../../../../src/schema/indices.ts'
import { compileDefinition } from '../../../../src/search/indices/definition.ts'
import type { IndexEntry } from '../../../../src/search/indices/index-entry.ts'
import { nothingTold, warningsOf } from '../../../../src/search/query/warnings/told.ts'
import { unsearchedFields } from '../../../../src/search/query/warnings/unsearched-fields.ts'

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
const unsearched = (search: object) => {
  const told = nothingTold()
  unsearchedFields(search, ENTRIES, told)
  return warningsOf(told)
}

test('names of fields that are searched are told of in no way', () => {
  const searchFields = ['title', 'authors', 'summary', 'notes']
  expect(unsearched({ searchFields, boost: { text: 1, vector: 1, content: 2 } })).toEqual([])
  expect(unsearched({ searchFields: { notes: 2 } })).toEqual([])
  expect(unsearched({})).toEqual([])
})

const NONE = 'and no other is named, so that nothing was looked for by words'

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
  const warning = (effect: string) =>
    `${what} is no field whose words are searched, ${effect}${advice}.`
  expect(unsearched({ searchFields })).toEqual([warning(NONE)])
  const names = Array.isArray(searchFields) ? searchFields : Object.keys(searchFields)
  const others = ['notes', ...names]
  expect(unsearched({ searchFields: others })).toEqual([warning('and was ignored')])
})

test('a star, which is no field, is told what to do for all', () => {
  const ignored = 'is no field whose words are searched, and was ignored'
  expect(unsearched({ searchFields: ['*'], highlight: { fields: ['*'] } })).toEqual([
    `"*" of searchFields is no field whose words are searched, ${NONE}; without searchFields, all are searched.`,
    `"*" of highlight.fields ${ignored}; without highlight.fields, all are marked.`,
  ])
})

test('so are those of highlight, which marks words that are found', () => {
  expect(unsearched({ highlight: { fields: ['title', 'titel', 'year'] } })).toEqual([
    '"titel" of highlight.fields is no field whose words are searched, and was ignored; "title" is one.',
    '"year" of highlight.fields is no field whose words are searched, and was ignored.',
  ])
  for (const highlight of [true, {}, { fields: [] }]) expect(unsearched({ highlight })).toEqual([])
})

test('so are those of boost, and only a few', () => {
  expect(unsearched({ boost: { title: 1, contnet: 2 } })).toEqual([
    '"contnet" of boost is no field whose words are searched, and was ignored; "content" is one.',
  ])
  const boost = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x${at}`, 1]))
  const told = unsearched({ boost: { ...boost, notes: 1 } })
  expect(told).toHaveLength(8)
  expect(told.at(-1)).toBe('93 further warnings are left out.')
})
