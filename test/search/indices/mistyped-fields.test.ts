import { afterAll, beforeAll, expect, it } from 'vitest'
import { refuseMistypedFields } from '../../../src/search/indices/mistyped-fields.ts'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp
beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

it.each([
  [{ year: { type: null } }, 'year.type'],
  [{ year: { type: 5 } }, 'year.type'],
  [{ text: { analyzer: null } }, 'text.analyzer'],
  [{ text: { weight: null } }, 'text.weight'],
  [{ text: { index: 'false' } }, 'text.index'],
  [{ place: { properties: null } }, 'place.properties'],
  [{ place: { properties: { street: { searched: 'yes' } } } }, 'place.properties.street.searched'],
  [{ title: { fields: { raw: { type: null } } } }, 'title.fields.raw.type'],
])(
  'a mapping of %j is refused by its place, when an index is made and later',
  async (properties, place) => {
    const refused = {
      status: 400,
      code: 'VALIDATION_FAILED',
      details: [{ path: `mappings.properties.${place}` }],
    }
    const body = { mappings: { properties } }
    const made = await service.call('POST', '/cortex/indices', { name: 'refused', ...body })
    expect(made).toMatchObject(refused)
    await service.call('PUT', '/cortex/indices/kept', {})
    const extended = await service.call('PUT', '/cortex/indices/kept', body)
    expect(extended).toMatchObject(refused)
  },
)

it('names that mean nothing in a mapping hold what they like', () => {
  const properties = { year: { type: 'integer', null_value: null, meta: { type: null } } }
  expect(() => refuseMistypedFields(properties)).not.toThrow()
})

it.each([
  [{ analysis: { language: null } }, 'analysis.language'],
  [{ analysis: { analyzer: null } }, 'analysis.analyzer'],
  [{ index: { analysis: { filter: null } } }, 'index.analysis.filter'],
  [{ analysis: { analyzer: { a: null } } }, 'analysis.analyzer.a'],
  [{ analysis: { analyzer: { a: { type: null } } } }, 'analysis.analyzer.a.type'],
  [{ analysis: { analyzer: { a: { tokenizer: null } } } }, 'analysis.analyzer.a.tokenizer'],
  [{ analysis: { analyzer: { a: { filter: null } } } }, 'analysis.analyzer.a.filter'],
  [{ analysis: { analyzer: { a: { filters: {} } } } }, 'analysis.analyzer.a.filters'],
  [{ analysis: { tokenizer: { t: 'ngram' } } }, 'analysis.tokenizer.t'],
  [
    { analysis: { tokenizer: { t: { type: 'ngram', min_gram: null } } } },
    'analysis.tokenizer.t.min_gram',
  ],
  [{ analysis: { filter: { stop: { stopwords: null } } } }, 'analysis.filter.stop.stopwords'],
  [{ analysis: { filter: { stemmer: { language: null } } } }, 'analysis.filter.stemmer.language'],
  [
    { index: { analysis: { filter: { length: { max: null } } } } },
    'index.analysis.filter.length.max',
  ],
  [
    { analysis: { tokenizer: { t: { type: 'ngram', min_gram: 2, max_gram: 1.5 } } } },
    'analysis.tokenizer.t.max_gram',
  ],
  [{ analysis: { filter: { f: { type: 'length', min: 2, max: -1 } } } }, 'analysis.filter.f.max'],
  [{ embedder: { kind: 'given', weights: [1e308, 1] } }, 'embedder.weights[0]'],
  [{ embedder: { kind: null } }, 'embedder.kind'],
  [{ embedder: { dimensions: '384' } }, 'embedder.dimensions'],
])('settings of %j are refused by their place', async (settings, place) => {
  const made = await service.call('POST', '/cortex/indices', { name: 'refused', settings })
  const details = [{ path: `settings.${place}` }]
  expect(made).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', details })
})

it('tells that learned vectors have not the length that was sent', async () => {
  const warningsFor = async (name: string, dimensions: number) => {
    const body = { name, settings: { embedder: { dimensions } } }
    return (await service.must<{ warnings?: string[] }>('POST', '/cortex/indices', body)).warnings
  }
  expect(await warningsFor('long', 384)).toEqual([
    'settings.embedder.dimensions: not honoured; the vectors have 256 numbers.',
  ])
  expect(await warningsFor('held', 256)).toBeUndefined()
})

it('tells that vectors are those of their field, whatever kind was sent', async () => {
  const properties = { own: { type: 'dense_vector', dims: 4 } }
  const warningsFor = async (name: string, embedder: object) => {
    const body = { name, settings: { embedder }, mappings: { properties } }
    return (await service.must<{ warnings?: string[] }>('POST', '/cortex/indices', body)).warnings
  }
  const told =
    'settings.embedder.kind: not honoured; the vectors are yours, those of "own", a dense_vector of the mapping.'
  expect(await warningsFor('learns', { kind: 'learned' })).toEqual([told])
  expect(await warningsFor('asks', { source: 'HTTP', dimensions: 8 })).toEqual([
    told,
    'settings.embedder.dimensions: not honoured; the vectors have 4 numbers.',
  ])
  expect(await warningsFor('takes', { kind: 'Given' })).toBeUndefined()
  expect(await warningsFor('says-nothing', { dimensions: 4 })).toBeUndefined()
})
