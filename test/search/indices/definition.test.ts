import { describe, expect, test } from 'vitest'
import { compileDefinition, definitionJson } from '../../../src/search/indices/definition.ts'
import { processorMs } from '../../processor-time.ts'

const config = { embedder: 'learned', embedderDimensions: 384 } as const
const compile = (settings: object, mappings: object = {}) =>
  compileDefinition(settings, mappings, config)

describe('an index without settings', () => {
  const definition = compile({})

  test('has the known fields, the title counting twice', () => {
    const fields = definition.fields.map(({ name, type, weight }) => [name, type, weight])
    expect(fields).toEqual([
      ['title', 'text', 2],
      ['content', 'text', 1],
      ['abstract', 'text', 1],
      ['authors', 'keyword', 1],
      ['tags', 'keyword', 1],
      ['source', 'keyword', 1],
      ['created', 'date', undefined],
      ['updated', 'date', undefined],
    ])
  })

  test('learns its vectors from title, content and abstract', () => {
    const vectorized = definition.fields.filter((field) => field.vectorized).map(({ name }) => name)
    expect(vectorized).toEqual(['title', 'content', 'abstract'])
    expect(definition.embedder).toEqual({ kind: 'learned', dimensions: 256 })
  })

  test('stems English and drops its stop words', () => {
    expect(definition.analyzers.default?.filters.map(({ type }) => type)).toEqual([
      'lowercase',
      'asciifolding',
      'length',
      'stop',
      'stemmer',
    ])
  })
})

test('stop words that are true are those of the language, and stemming may name one', () => {
  const filters = (analysis: object) => compile({ analysis }).analyzers.default?.filters
  const german = filters({ language: 'german' })
  expect(german).toContainEqual({ type: 'stemmer', language: 'german' })
  expect(filters({ language: 'german', stopWords: true, stemming: true })).toEqual(german)
  expect(filters({ stemming: 'German' })).toEqual(german)
  expect(filters({ stop_words: true })).toEqual(filters({}))
  const mixed = filters({ language: 'german', stemming: 'english' })
  expect(mixed).toEqual(
    german?.map((filter) =>
      filter.type === 'stemmer' ? { ...filter, language: 'english' } : filter,
    ),
  )
  const stemmed = filters({ language: 'none', stemming: 'german' })?.map(({ type }) => type)
  expect(stemmed).toEqual(['lowercase', 'asciifolding', 'length', 'stemmer'])
  expect(() => filters({ language: 'none', stopWords: true })).toThrow('name one like "_english_"')
})

test('types of fields and kinds of embedders are read in any case', () => {
  const properties = { a: { type: 'Keyword' }, b: { type: 'OBJECT', properties: { c: {} } } }
  const definition = compile({ embedder: { kind: 'GIVEN', dimensions: 3 } }, { properties })
  const types = definition.fields.map(({ name, type }) => [name, type])
  expect(types).toContainEqual(['a', 'keyword'])
  expect(types).toContainEqual(['b.c', 'text'])
  expect(definition.embedder.kind).toBe('given')
})

test('sub-fields share their parent’s source and are not searched by default', () => {
  const { fields } = compile(
    {},
    { properties: { name: { type: 'text', fields: { raw: { type: 'keyword' } } } } },
  )
  expect(fields.find(({ name }) => name === 'name.raw')).toEqual({
    name: 'name.raw',
    source: 'name',
    type: 'keyword',
  })
})

test('objects are flattened to dotted paths', () => {
  const { fields } = compile(
    {},
    { properties: { place: { properties: { city: { type: 'keyword' } } } } },
  )
  expect(fields.some(({ name, source }) => name === 'place.city' && source === name)).toBe(true)
})

test('both spellings of shards and replicas are read, and what can’t be honoured is said', () => {
  for (const settings of [
    { shards: 3, replication: 1 },
    { number_of_shards: 3, number_of_replicas: 1 },
  ])
    expect(compile(settings).warnings).toHaveLength(2)
  expect(compile({ shards: 1, replication: 0 }).warnings).toEqual([])
})

test('a dense_vector field turns to vectors that the caller sends', () => {
  const definition = compile({}, { properties: { embedding: { type: 'dense_vector', dims: 3 } } })
  expect(definition.embedder).toEqual({ kind: 'given', dimensions: 3, field: 'embedding' })
  expect(JSON.parse(definitionJson(definition)).embedder).toEqual({ kind: 'given', dimensions: 3 })
})

test('the core sees an endpoint’s vectors as given ones', () => {
  const definition = compile({ embedder: { kind: 'http', dimensions: 4 } })
  expect(JSON.parse(definitionJson(definition)).embedder).toEqual({ kind: 'given', dimensions: 4 })
})

test('named analyzers are read in the shape that search engines share', () => {
  const analysis = {
    filter: { short: { type: 'stop', stopwords: ['foo'] } },
    analyzer: { mine: { type: 'custom', tokenizer: 'whitespace', filter: ['lowercase', 'short'] } },
  }
  const { analyzers, fields } = compile(
    { analysis },
    { properties: { name: { type: 'text', analyzer: 'mine' } } },
  )
  expect(analyzers.mine).toEqual({
    tokenizer: 'whitespace',
    filters: [{ type: 'lowercase' }, { type: 'stop', words: ['foo'] }],
  })
  expect(fields.find(({ name }) => name === 'name')?.analyzer).toBe('mine')
})

test('built-in analyzers, tokenizers and filters are known in any case; names of the index’s own, as they are defined', () => {
  const analysis = {
    tokenizer: { Pairs: { type: 'NGram', min_gram: 2, max_gram: 2 }, Letter: { type: 'KEYWORD' } },
    filter: { Short: { type: 'STOP', stopwords: ['foo'] } },
    analyzer: {
      a: { type: 'Custom', tokenizer: 'WhiteSpace', filter: ['LOWERCASE', 'Short', 'Porter_Stem'] },
      b: { tokenizer: 'Pairs' },
      c: { tokenizer: 'Letter' },
      d: { tokenizer: 'letter' },
    },
  }
  const properties = {
    known: { type: 'text', analyzer: 'Standard', searchAnalyzer: 'GERMAN' },
    usual: { type: 'text', analyzer: 'Default' },
  }
  const { analyzers, fields } = compile({ analysis }, { properties })
  expect(analyzers.a).toEqual({
    tokenizer: 'whitespace',
    filters: [
      { type: 'lowercase' },
      { type: 'stop', words: ['foo'] },
      { type: 'stemmer', language: 'english' },
    ],
  })
  expect(analyzers.b?.tokenizer).toEqual({ type: 'ngram', min: 2, max: 2 })
  expect(analyzers.c?.tokenizer).toEqual({ type: 'keyword' })
  expect(analyzers.d?.tokenizer).toBe('letter')
  expect(fields.find(({ name }) => name === 'known')).toMatchObject({
    analyzer: 'standard',
    searchAnalyzer: 'german',
  })
  expect(fields.find(({ name }) => name === 'usual')?.analyzer).toBe('default')
  const other = { analysis: { ...analysis, analyzer: { a: { tokenizer: 'pairs' } } } }
  expect(() => compile(other, {})).toThrow(/unknown tokenizer; known are .*, Pairs, Letter\.$/)
})

describe('what is not known is refused, saying what is', () => {
  test.each([
    [{ analysis: { language: 'klingon' } }, {}, 'UNKNOWN_ANALYZER'],
    [{ analysis: { analyzer: { a: { tokenizer: 'magic' } } } }, {}, 'UNKNOWN_ANALYZER'],
    [{ analysis: { analyzer: { a: { filter: ['magic'] } } } }, {}, 'UNKNOWN_ANALYZER'],
    [{}, { properties: { a: { type: 'text', analyzer: 'magic' } } }, 'UNKNOWN_ANALYZER'],
    [{}, { properties: { a: { type: 'magic' } } }, 'VALIDATION_FAILED'],
    [{}, { properties: { _a: { type: 'text' } } }, 'VALIDATION_FAILED'],
    [{}, { dynamic: 'maybe' }, 'VALIDATION_FAILED'],
    [{ embedder: { kind: 'magic' } }, {}, 'VALIDATION_FAILED'],
  ])('%j %j', (settings, mappings, code) => {
    expect(() => compile(settings, mappings)).toThrow(expect.objectContaining({ code }))
  })

  test('an analyzer’s refusal lists the known ones', () => {
    expect(() => compile({}, { properties: { a: { type: 'text', analyzer: 'magic' } } })).toThrow(
      /standard.*english/,
    )
  })

  test('stop words that were taken before they were checked go on opening', () => {
    const analysis = {
      analyzer: { a: { type: 'german', stopwords: ['x', 1, {}] } },
      filter: { f: { type: 'stop', stopwords: [2] } },
    }
    expect(() => compile({ analysis }, {})).not.toThrow()
  })

  test('a filter’s refusal names its type, and lists types but no filters of the index', () => {
    expect(() => compile(filter({ type: 'edge_ngram' }), {})).toThrow(
      /^settings\.analysis\.filter\.f\.type names an unknown type; known are lowercase, .*, length\.$/,
    )
  })
})

test.each([
  [
    {},
    { properties: { o: { type: 'object', properties: { x: null } } } },
    'properties.o.properties.x',
  ],
  [{}, { properties: { f: { type: 'text', fields: { raw: null } } } }, 'properties.f.fields.raw'],
  [{}, { properties: { f: { type: 'text', fields: [null] } } }, 'properties.f.fields'],
  [tokenizer({ min_gram: 0 }), {}, 'tokenizer.t.min_gram'],
  [tokenizer({ max_gram: {} }), {}, 'tokenizer.t.max_gram'],
  [filter({ max: -1 }), {}, 'filter.f.max'],
  [filter({ type: 'edge_ngram' }), {}, 'settings.analysis.filter.f.type'],
  [filter({ type: 'stop', stopwords: '_klingon_' }), {}, 'settings.analysis.filter.f.stopwords'],
  [filter({ type: 'stemmer', language: 'klingon' }), {}, 'settings.analysis.filter.f.language'],
  [filter({ type: 'synonym' }), {}, 'settings.analysis.filter.f.synonyms'],
  [
    { analysis: { analyzer: { a: { filter: ['synonym'] } } } },
    {},
    'settings.analysis.analyzer.a.filter[0]',
  ],
  [
    { analysis: { analyzer: { a: { type: 'english', stopwords: '_klingon_' } } } },
    {},
    'settings.analysis.analyzer.a.stopwords',
  ],
  [tokenizer({ type: 'pattern' }), {}, 'settings.analysis.tokenizer.t.type'],
  [{ analysis: { analyzer: { a: { type: 'magic' } } } }, {}, 'settings.analysis.analyzer.a.type'],
  [
    { analysis: { analyzer: { a: { tokenizer: 'magic' } } } },
    {},
    'settings.analysis.analyzer.a.tokenizer',
  ],
  [
    { analysis: { analyzer: { a: { filters: 'magic' } } } },
    {},
    'settings.analysis.analyzer.a.filters',
  ],
  [{}, { properties: { f: { type: 'text', analyzer: 'magic' } } }, 'properties.f.analyzer'],
  [
    {},
    { properties: { f: { type: 'text', searchAnalyzer: 'magic' } } },
    'properties.f.searchAnalyzer',
  ],
  [{}, { properties: { f: { type: 'text', boost: 0 } } }, 'properties.f.boost'],
  [{ embedder: { kind: 'given', weights: ['a', 'b'] } }, {}, 'settings.embedder.weights'],
])('%j with the mappings %j is refused by name', (settings, mappings, path) => {
  expect(() => compile(settings, mappings)).toThrow(
    expect.objectContaining({
      details: [expect.objectContaining({ path: expect.stringContaining(path) })],
    }),
  )
})

function tokenizer(options: object): object {
  const analyzer = { a: { tokenizer: 't' } }
  return { analysis: { analyzer, tokenizer: { t: { type: 'ngram', ...options } } } }
}

function filter(options: object): object {
  const analyzer = { a: { filter: ['f'] } }
  return { analysis: { analyzer, filter: { f: { type: 'length', ...options } } } }
}

test('what a mapping says beside its properties is told, because it is not read', () => {
  expect(compile({}, { dynamic: true, properties: {} }).warnings).toEqual([])
  expect(compile({}, { year: { type: 'integer' } }).warnings).toEqual([
    'mappings.year: recorded, not read; fields are listed in mappings.properties.',
  ])
})

test('stemming that has no language to go by is told', () => {
  const warningsFor = (analysis: object) => compile({ analysis }, {}).warnings
  const warning =
    'settings.analysis.stemming: recorded, not honoured; without a language there is no stemmer: name one, such as "english".'
  expect(warningsFor({ language: 'none', stemming: true })).toEqual([warning])
  expect(warningsFor({ language: 'None', stemming: 'german' })).toEqual([])
  expect(warningsFor({ language: 'none', stemming: false })).toEqual([])
  expect(warningsFor({ language: 'none' })).toEqual([])
  expect(warningsFor({ stemming: true })).toEqual([])
})

test('what only fields with words can have is told of others', () => {
  const properties = {
    code: { type: 'Keyword', analyzer: 'english', weight: 2 },
    year: { type: 'integer', searchAnalyzer: 'none such', searched: true },
    place: { properties: { zip: { type: 'keyword', boost: 2 } } },
    sku: { type: 'keyword', searched: true, analyzer: 'simple', weight: 2 },
    name: { type: 'TEXT', index: false, analyzer: 'simple', weight: 2 },
  }
  const keyword =
    'recorded, not honoured; words of a keyword field are searched with "searched": true.'
  const integer = 'recorded, not honoured; a field of the type integer has no words.'
  expect(compile({}, { properties }).warnings).toEqual([
    `mappings.properties.code.analyzer: ${keyword}`,
    `mappings.properties.code.weight: ${keyword}`,
    `mappings.properties.year.searchAnalyzer: ${integer}`,
    `mappings.properties.year.searched: ${integer}`,
    `mappings.properties.place.properties.zip.boost: ${keyword}`,
  ])
})

test('what is recorded and not honoured is told, wherever it stands', () => {
  const settings = {
    refresh_interval: '1s',
    index: {
      max_result_window: 5,
      analysis: { normalizer: {}, analyzer: { a: { char_filter: ['x'] } } },
    },
    analysis: {
      stopWrods: [],
      analyzer: { own: { tokenizer: 'standard', char_filter: ['html_strip'], filter: [] } },
    },
  }
  const properties = {
    day: { type: 'date', format: 'dd/MM/yyyy' },
    code: { type: 'keyword', index: false },
    box: { properties: { size: { type: 'integer', null_value: 0 } } },
    name: { type: 'text', index: false, fields: { raw: { type: 'keyword', ignore_above: 3 } } },
  }
  expect(compile(settings, { properties }).warnings.map((each) => each.split(':')[0])).toEqual([
    'settings.refresh_interval',
    'settings.index.max_result_window',
    'settings.analysis.stopWrods',
    'settings.analysis.analyzer.own.char_filter',
    'settings.index.analysis.normalizer',
    'settings.index.analysis.analyzer.a.char_filter',
    'mappings.properties.day.format',
    'mappings.properties.code.index',
    'mappings.properties.box.properties.size.null_value',
    'mappings.properties.name.fields.raw.ignore_above',
  ])
})

test('a thousand fields are read like others, not each with a new shape of an object', () => {
  const leastMs = (count: number) => {
    const times = Array.from({ length: 5 }, (_, round) => {
      const names = Array.from({ length: count }, (_, n) => `field ${n} of ${count}, ${round}`)
      const properties = Object.fromEntries(names.map((name) => [name, { type: 'keyword' }]))
      return processorMs(() => compile({}, { properties }), 1)
    })
    return Math.min(...times)
  }
  // From some thousand names on, any object is a table of them.
  const many = leastMs(2000)
  expect(leastMs(1000)).toBeLessThan(2 * many)
})
