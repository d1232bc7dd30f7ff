import { expect, it } from 'vitest'
import { unhonouredIn } from '../../../src/search/indices/unhonoured.ts'

it('a declaration is told of so much that it asks for in vain, not of all', () => {
  const names = Array.from({ length: 40 }, (_, at) => [`setting${at}`, at])
  const warnings = unhonouredIn(Object.fromEntries(names), {})
  expect(warnings).toHaveLength(32)
  expect(warnings[31]).toBe('settings.setting31: recorded, not honoured.')
})

it('a mistyped name is told with the one that was meant', () => {
  const properties = { path: { type: 'keyword', searchd: true }, year: { type: 'integer', x: 1 } }
  const settings: object = { analysis: { synonims: [] } }
  expect(unhonouredIn(settings, { properties })).toEqual([
    'settings.analysis.synonims: recorded, not honoured; "synonyms" is.',
    'mappings.properties.path.searchd: recorded, not honoured; "searched" is.',
    'mappings.properties.year.x: recorded, not honoured.',
  ])
})

const OF_SETTINGS = [
  ['language', 'settings.analysis.language'],
  ['stemming', 'settings.analysis.stemming'],
  ['stopWords', 'settings.analysis.stopWords'],
  ['stop_words', 'settings.analysis.stopWords'],
  ['stopwords', 'settings.analysis.stopWords'],
  ['synonyms', 'settings.analysis.synonyms'],
  ['analyzer', 'settings.analysis.analyzer'],
  ['dims', 'settings.embedder.dimensions'],
  ['mappings', 'mappings'],
] as const

it.each(OF_SETTINGS)(
  '"%s" among the settings is told with the place where it is read',
  (name, place) => {
    const warning = (at: string) => `${at}.${name}: recorded, not honoured; "${place}" is.`
    expect(unhonouredIn({ [name]: 1 }, {})).toEqual([warning('settings')])
    expect(unhonouredIn({ index: { [name]: 1 } }, {})).toEqual([warning('settings.index')])
  },
)

it('what stands in another place of a declaration is told with its own', () => {
  const settings: object = {
    index: { embedder: { kind: 'given' } },
    embedder: { dims: 64, size: 64 },
    analysis: { lang: 'de', stemmer: 'de' },
  }
  const mappings: object = {
    language: 'de',
    synonyms: { type: 'keyword' },
    fields: {},
    properties: { title: { type: 'text', language: 'de', synonyms: [], dynamic: false } },
  }
  expect(unhonouredIn(settings, mappings)).toEqual([
    'settings.index.embedder: recorded, not honoured; "settings.embedder" is.',
    'settings.embedder.dims: recorded, not honoured; "dimensions" is.',
    'settings.embedder.size: recorded, not honoured.',
    'settings.analysis.lang: recorded, not honoured; "language" is.',
    'settings.analysis.stemmer: recorded, not honoured; "stemming" is.',
    'mappings.language: recorded, not read; "settings.analysis.language" is.',
    'mappings.synonyms: recorded, not read; fields are listed in mappings.properties.',
    'mappings.fields: recorded, not read; "properties" is.',
    'mappings.properties.title.language: recorded, not honoured; "analyzer" is.',
    'mappings.properties.title.synonyms: recorded, not honoured; "settings.analysis.synonyms" is.',
    'mappings.properties.title.dynamic: recorded, not honoured; "mappings.dynamic" is.',
  ])
})

it('what an analyzer of the name "default" takes the place of is told', () => {
  const analyzer = { default: { type: 'standard' } }
  const analysis = { language: 'none', stemming: true, stopWords: [], synonyms: [], analyzer }
  const told = (name: string) =>
    `settings.analysis.${name}: recorded, not honoured; settings.analysis.analyzer.default takes its place.`
  expect(unhonouredIn({ analysis }, {})).toEqual(
    ['language', 'stemming', 'stopWords', 'synonyms'].map(told),
  )
  expect(unhonouredIn({ analysis: { language: 'de', analyzer: { Default: {} } } }, {})).toEqual([])
})

it('what only fields of other types have is told', () => {
  const properties = {
    name: { type: 'text', dims: 3, properties: {} },
    code: { type: 'keyword', searched: true, vectorized: true },
    place: { properties: { zip: { type: 'keyword' } }, fields: { raw: { type: 'keyword' } } },
    vector: { type: 'dense_vector', dims: 3 },
  }
  const field = 'mappings.properties'
  expect(unhonouredIn({}, { properties })).toEqual([
    `${field}.name.dims: recorded, not honoured; a field of the type text holds no vector.`,
    `${field}.name.properties: recorded, not honoured; a field of the type text has no fields inside of it.`,
    `${field}.code.vectorized: recorded, not honoured; only the words of a text field are part of the vector.`,
    `${field}.place.fields: recorded, not honoured; a field of the type object has no values to read in another way.`,
  ])
})

it('what only other vectors have is told of an embedder', () => {
  const properties = { place: { properties: { vector: { type: 'dense_vector', dims: 3 } } } }
  const embedder = { kind: 'learned', cut: 0.5, weights: [1, 1], field: 'title' }
  const settings: object = { embedder }
  expect(unhonouredIn(settings, {}).map((each) => each.split(':')[0])).toEqual([
    'settings.embedder.cut',
    'settings.embedder.weights',
    'settings.embedder.field',
  ])
  const given: object = { embedder: { ...embedder, kind: 'given', field: 'place.vector' } }
  expect(unhonouredIn(given, { properties })).toEqual([])
})
