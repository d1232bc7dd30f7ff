import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

interface Index {
  name: string
  settings: Record<string, unknown>
  mappings: { properties?: Record<string, { type: string }> }
  created: string
  warnings?: string[]
  documents: number
  bytes: number
  generation: number
  vectorSpace: { kind: string; version: number; dimensions: number; vectors: number }
}

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

const createIndex = (body: object) => service.call<Index>('POST', '/cortex/indices', body)
const getIndex = (name: string) =>
  service.call<Index>('GET', `/cortex/indices/${encodeURIComponent(name)}`)
async function listed(name: string): Promise<Index> {
  const { data } = await service.call<{ indices: Index[] }>('GET', '/cortex/indices')
  return data.indices.find((index) => index.name === name) as Index
}
const add = (index: string, id: string, document: object) =>
  service.call('POST', '/cortex/documents', { index, id, document })

async function search(index: string, body: object) {
  const answer = await service.call<{
    hits: { id: string; source: object }[]
    total: number
    facets: Record<string, { values: { value: unknown; count: number }[] }>
  }>('POST', '/cortex/search', { index, searchType: 'text', size: 100, ...body })
  return { ...answer, ids: answer.data?.hits.map(({ id }) => id).sort() ?? [] }
}

describe('names', () => {
  it.each(['a', 'ä.b-c_d+e', '9', 'x'.repeat(255), 'a.b', 'ok:colon'])('takes %j', async (name) => {
    const { status, data } = await createIndex({ name })
    expect(status).toBe(200)
    expect(data.name).toBe(name)
    expect((await getIndex(name)).data.name).toBe(name)
  })

  it.each([
    ...['', 'Upper', '_a', '-a', '+a', 'a b', 'a\tb', '.', '..', 'x'.repeat(256), 'ü'.repeat(128)],
    ...['a\\b', 'a/b', 'a*', 'a?', 'a"b', 'a<b', 'a>b', 'a|b', 'a,b', 'a#b'],
  ])('refuses %j', async (name) => {
    const { status, code, details } = await createIndex({ name })
    expect({ status, code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' })
    expect(details[0]?.path).toBe('name')
  })

  it('requires a name, and each only once', async () => {
    expect((await createIndex({})).status).toBe(400)
    expect((await createIndex({ name: 7 })).status).toBe(400)
    expect((await createIndex({ name: 'twice' })).status).toBe(200)
    const again = await createIndex({ name: 'twice' })
    expect(again).toMatchObject({ status: 409, code: 'INDEX_EXISTS' })
  })

  it('lets exactly one of many creators win', async () => {
    const tries = await Promise.all(
      Array.from({ length: 8 }, () => createIndex({ name: 'race' }).then(({ status }) => status)),
    )
    expect(tries.sort()).toEqual([200, ...Array(7).fill(409)])
  })
})

describe('settings', () => {
  it.each([
    { shards: 3, replication: 2 },
    { number_of_shards: 3, number_of_replicas: 2 },
    { index: { number_of_shards: 3, number_of_replicas: 2 } },
  ])('records %j, returns it, and warns of what one node can not honour', async (settings) => {
    const name = `warned-${Object.keys(settings)[0]}`
    const { status, data } = await createIndex({ name, settings })
    expect(status).toBe(200)
    expect(data.settings).toMatchObject(settings)
    expect(data.warnings).toHaveLength(2)
    expect(data.warnings?.join()).toMatch(/replica/)
    expect((await getIndex(name)).data).toMatchObject({ settings, warnings: data.warnings })
    for (const told of [data, (await getIndex(name)).data, await listed(name)])
      expect(told.settings).toMatchObject({ shards: 3, replication: 2 })
  })

  it('does not warn of what it honours', async () => {
    const settings = { shards: 1, replication: 0 }
    expect((await createIndex({ name: 'quiet', settings })).data.warnings).toBeUndefined()
  })

  it.each([
    { shards: '3' },
    { replication: -1 },
    { number_of_shards: 0 },
    { analysis: 'english' },
    { shards: 1, number_of_shards: 3 },
  ])('refuses %j', async (settings) => {
    expect((await createIndex({ name: 'badsettings', settings })).status).toBe(400)
    expect((await getIndex('badsettings')).status).toBe(404)
  })

  it('is created by PUT with its name in the path', async () => {
    const { status, data } = await service.call<Index>('PUT', '/cortex/indices/byput', {
      settings: { shards: 1 },
    })
    expect(status).toBe(200)
    expect(data.name).toBe('byput')
    expect((await service.call('PUT', '/cortex/indices/byput')).status).toBe(409)
    expect((await service.call('PUT', '/cortex/indices/bare')).status).toBe(200)
  })

  it('stay as they were when fields are added, which is said', async () => {
    await createIndex({ name: 'kept-settings', settings: { shards: 1 } })
    const put = async (name: string, settings?: object) => {
      const body = { mappings: { properties: { [name]: { type: 'keyword' } } }, settings }
      return (await service.call<Index>('PUT', '/cortex/indices/kept-settings', body)).data
    }
    expect((await put('a')).warnings).toBeUndefined()
    expect((await put('b', { shards: 1 })).warnings).toBeUndefined()
    const { settings, warnings } = await put('c', { shards: 1, analysis: { language: 'german' } })
    expect(settings).not.toHaveProperty('analysis')
    expect(warnings?.join()).toMatch(/created with/)
  })
})

describe('analysis', () => {
  it('stems English and leaves out stop words by default', async () => {
    await createIndex({ name: 'english' })
    await add('english', '1', { title: 'The running dogs', content: 'Café' })
    for (const query of ['run', 'dog', 'DOGS', 'cafe', 'café'])
      expect((await search('english', { query })).ids).toEqual(['1'])
    expect((await search('english', { query: 'the' })).ids).toEqual([])
  })

  it('reads a language where stemming names it, and true as the stop words of the language', async () => {
    const analysis = { stemming: 'german', stopWords: true }
    expect((await createIndex({ name: 'stems', settings: { analysis } })).status).toBe(200)
    await add('stems', '1', { title: 'Die Häuser am See' })
    expect((await search('stems', { query: 'haus' })).ids).toEqual(['1'])
    expect((await search('stems', { query: 'die' })).ids).toEqual([])
  })

  it('reads a language, its own stop words, synonyms and folding', async () => {
    const analysis = {
      language: 'german',
      stopWords: ['haus'],
      synonyms: [['auto', 'wagen'], 'tv => fernseher'],
      asciiFolding: false,
    }
    expect((await createIndex({ name: 'german', settings: { analysis } })).status).toBe(200)
    await add('german', '1', { title: 'Die Häuser und ein Wagen' })
    await add('german', '2', { title: 'Haus Fernseher' })
    await add('german', '3', { title: 'TV' })
    expect((await search('german', { query: 'auto' })).ids).toEqual(['1'])
    for (const query of ['tv', 'fernseher'])
      expect((await search('german', { query })).ids.sort(), query).toEqual(['2', '3'])
    expect((await search('german', { query: 'haus' })).ids).toEqual([])
  })

  it.each([
    { language: 'DE' },
    { analyzer: { default: { tokenizer: 'standard', filter: ['lowercase', 'de', 'out'] } } },
  ])('reads a language by its code: %j', async (chosen) => {
    const filter = {
      de: { type: 'stemmer', language: 'de' },
      out: { type: 'stop', stopwords: '_de_' },
    }
    const name = `coded-${Object.keys(chosen)[0]}`
    expect(
      (await createIndex({ name, settings: { analysis: { filter, ...chosen } } })).status,
    ).toBe(200)
    await add(name, '1', { title: 'Die Häuser am See' })
    expect((await search(name, { query: 'haus' })).ids).toEqual(['1'])
    expect((await search(name, { query: 'die' })).ids).toEqual([])
  })

  it('finds what synonyms of several words say, with stop words in them, and in phrases', async () => {
    const synonyms = [
      'head of state, president',
      'usa, united states of america',
      'tv => television',
    ]
    await createIndex({ name: 'rows', settings: { analysis: { synonyms } } })
    await add('rows', '1', { title: 'the head of state speaks' })
    await add('rows', '2', { title: 'the president speaks' })
    await add('rows', '3', { title: 'tv in the united states of america' })
    await add('rows', '4', { title: 'head states, television' })
    const find = async (query: string, more: object = {}) => {
      return (await search('rows', { query, ...more })).ids
    }
    for (const query of ['president', 'head of state', '"head of state"', '"president"']) {
      expect(await find(query), query).toEqual(expect.arrayContaining(['1', '2']))
      expect(await find(query, { operator: 'and' }), query).toEqual(['1', '2'])
      expect(await find(query, { phrase: true }), query).toEqual(['1', '2'])
    }
    expect(await find('"president speaks"')).toEqual(['1', '2'])
    expect(await find('"head of state speaks"')).toEqual(['1', '2'])
    expect(await find('head', { operator: 'and' })).toEqual(['1', '4'])
    expect(await find('"television in the usa"')).toEqual(['3'])
    expect(await find('usa tv', { operator: 'and' })).toEqual(['3'])
  })

  it('wants all words of a query in the words of one analyzer, where each reads them in its own way', async () => {
    const properties = {
      content: { type: 'text', analyzer: 'german' },
      code: { type: 'text', analyzer: 'keyword' },
      raw: { type: 'text', analyzer: 'whitespace' },
    }
    await createIndex({ name: 'analyzers', mappings: { properties } })
    await add('analyzers', '1', { content: 'das Haus' })
    await add('analyzers', '2', { title: 'x', code: 'AB-12 x' })
    await add('analyzers', '3', { title: 'y', raw: 'Foo-Bar Baz' })
    await add('analyzers', '4', { title: 'house', content: 'rot' })
    await add('analyzers', '5', { title: 'foo ab' })
    const find = async (query: string) =>
      (await search('analyzers', { query, operator: 'and' })).ids
    expect(await find('das haus')).toEqual(['1'])
    expect(await find('the haus')).toEqual(['1'])
    expect(await find('AB-12 x')).toEqual(['2'])
    expect(await find('Foo-Bar')).toEqual(['3'])
    expect(await find('Foo-Bar Baz')).toEqual(['3'])
    expect(await find('houses rot')).toEqual(['4'])
    expect(await find('haus rot')).toEqual([])
  })

  it('can leave words as they are', async () => {
    const analysis = { language: 'none' }
    await createIndex({ name: 'plain', settings: { analysis } })
    await add('plain', '1', { title: 'the running dogs' })
    expect((await search('plain', { query: 'the' })).ids).toEqual(['1'])
    expect((await search('plain', { query: 'run' })).ids).toEqual([])
  })

  it('takes stop words, synonyms and no folding where it leaves words as they are', async () => {
    const analysis = {
      language: 'None',
      stopWords: ['Foo'],
      synonyms: ['car, auto'],
      asciiFolding: false,
    }
    await createIndex({ name: 'plainer', settings: { analysis } })
    await add('plainer', '1', { title: 'foo cars car café' })
    for (const [query, found] of Object.entries({ auto: 1, autos: 0, foo: 0, café: 1, cafe: 0 }))
      expect([query, (await search('plainer', { query })).ids.length]).toEqual([query, found])
  })

  it('leaves out stop words as they are written, before they are folded or stemmed', async () => {
    const found = async (name: string, analysis: object, query: string) => {
      await createIndex({ name, settings: { analysis } })
      await add(name, '1', { title: 'the Foo running café für das Rad' })
      return (await search(name, { query })).ids.length
    }
    const own = (stopwords: unknown) => ({ analyzer: { default: { type: 'English', stopwords } } })
    expect(await found('own-case', { stopWords: ['Foo'] }, 'foo')).toBe(0)
    expect(await found('own-accent', { stopWords: ['Café'] }, 'café')).toBe(0)
    expect(await found('named-accent', { language: 'german' }, 'für')).toBe(0)
    expect(await found('own-stemmed', own(['running']), 'running')).toBe(0)
    expect(await found('own-instead', own(['running']), 'the')).toBe(1)
    expect(await found('own-none', own('_none_'), 'the')).toBe(1)
  })

  it.each([
    [{ synonyms: 'car, auto' }, 'synonyms'],
    [{ synonyms: [1] }, 'synonyms[0]'],
    [{ synonyms: ['car, auto', ['tv'], '=> b'] }, 'synonyms[1]'],
    [{ filter: { mine: { type: 'synonym', synonyms: ['a =>'] } } }, 'filter.mine.synonyms[0]'],
    [{ stemming: 'no' }, 'stemming'],
    [{ asciiFolding: 0 }, 'asciiFolding'],
    [{ stopWords: [1] }, 'stopWords[0]'],
    [{ analyzer: { a: { type: 'german', stopwords: ['x', 1] } } }, 'analyzer.a.stopwords[1]'],
    [
      {
        analyzer: { a: { tokenizer: 'standard', filter: ['mine'] } },
        filter: { mine: { type: 'stop', stopwords: [['x']] } },
      },
      'filter.mine.stopwords[0]',
    ],
    [{ stopWords: '_fancy_' }, 'stopWords'],
    [{ stop_words: '_fancy_' }, 'stop_words'],
    [{ stopWords: true, language: 'none' }, 'stopWords'],
    [{ stemming: 1 }, 'stemming'],
    [{ language: 'klingon' }, 'language'],
    [{ analyzer: { a: 1 } }, 'analyzer.a'],
    [{ analyzer: { a: { tokenizer: 'magic' } } }, 'analyzer.a.tokenizer'],
    [{ analyzer: { a: { filter: 'synonym' } } }, 'analyzer.a.filter'],
    [{ analyzer: { a: { filter: 'f' } }, filter: { f: { type: 'x' } } }, 'filter.f.type'],
    [
      { analyzer: { a: { tokenizer: 't' } }, tokenizer: { t: { type: 'ngram', min_gram: 0 } } },
      'tokenizer.t.min_gram',
    ],
  ])('refuses %j by name, also below index', async (analysis, at) => {
    const refusal = async (settings: object) => {
      const { status, details } = await createIndex({ name: 'mistyped', settings })
      return [status, details[0]?.path]
    }
    expect(await refusal({ analysis })).toEqual([400, `settings.analysis.${at}`])
    expect(await refusal({ index: { analysis } })).toEqual([400, `settings.index.analysis.${at}`])
  })

  it.each([
    [{ settings: { embedder: { kind: 'given', cut: 'x' } } }, 'settings.embedder.cut'],
    [{ settings: { embedder: { kind: 'given', cut: 7 } } }, 'settings.embedder.cut'],
    [{ settings: { embedder: { weights: [-1, 5] } } }, 'settings.embedder.weights[0]'],
    [{ settings: { embedder: { kind: 'http' } } }, 'settings.embedder.kind'],
    [{ mappings: { properties: { a: { searched: 'no' } } } }, 'mappings.properties.a.searched'],
    [{ mappings: { properties: { tags: { type: 'integer' } } } }, 'mappings.properties.tags.type'],
    [{ mappings: { properties: { title: { type: 'object' } } } }, 'mappings.properties.title.type'],
    [
      { mappings: { properties: { source: { type: 'dense_vector', dims: 2 } } } },
      'mappings.properties.source.type',
    ],
    [{ mappings: { properties: { a: { vectorized: 0 } } } }, 'mappings.properties.a.vectorized'],
    [
      { mappings: { properties: { a: { fields: { raw: { type: 'word' } } } } } },
      'mappings.properties.a.fields.raw.type',
    ],
    [
      { mappings: { properties: { a: { properties: { b: { weight: -1 } } } } } },
      'mappings.properties.a.properties.b.weight',
    ],
    [
      { mappings: { properties: { a: { properties: { b: { fields: { raw: 7 } } } } } } },
      'mappings.properties.a.properties.b.fields.raw',
    ],
  ])('refuses %j, which it would keep without effect', async (body, path) => {
    const { status, details } = await createIndex({ name: 'mistyped', ...body })
    expect([status, details[0]?.path]).toEqual([400, path])
  })

  it('builds analyzers in the shape that search engines share', async () => {
    const settings = {
      analysis: {
        analyzer: {
          codes: { type: 'custom', tokenizer: 'pairs', filter: ['lowercase', 'mine'] },
          exactly: { tokenizer: 'keyword', filter: 'lowercase' },
        },
        tokenizer: { pairs: { type: 'edge_ngram', min_gram: 2, max_gram: 4 } },
        filter: { mine: { type: 'stop', stopwords: ['zz'] } },
      },
    }
    const mappings = {
      properties: {
        code: { type: 'text', analyzer: 'codes', search_analyzer: 'exactly' },
        label: { type: 'text', analyzer: 'whitespace' },
      },
    }
    const { status } = await createIndex({ name: 'custom', settings, mappings })
    expect(status).toBe(200)
    await add('custom', '1', { code: 'ABCD-9', label: 'Big-Word' })
    expect((await search('custom', { query: 'abc', searchFields: ['code'] })).ids).toEqual(['1'])
    expect((await search('custom', { query: 'bcd', searchFields: ['code'] })).ids).toEqual([])
    expect((await search('custom', { query: 'Big-Word' })).ids).toEqual(['1'])
    expect((await search('custom', { query: 'big' })).ids).toEqual([])
  })

  it.each([
    [{ settings: { analysis: { language: 'klingon' } } }, 'english'],
    [{ mappings: { properties: { a: { type: 'text', analyzer: 'fancy' } } } }, 'standard'],
    [{ settings: { analysis: { analyzer: { a: { type: 'fancy' } } } } }, 'whitespace'],
    [{ settings: { analysis: { analyzer: { a: { tokenizer: 'fancy' } } } } }, 'edge_ngram'],
    [{ settings: { analysis: { analyzer: { a: { filter: ['fancy'] } } } } }, 'asciifolding'],
    [{ settings: { analysis: { stopWords: '_fancy_' } } }, '_english_'],
    [{ settings: { analysis: { stemming: 'fancy' } } }, 'true, false, or the name of a language'],
  ])('refuses %j and lists what it knows', async (body, known) => {
    const { status, code, error } = await createIndex({ name: 'unknown', ...body })
    expect({ status, code }).toEqual({ status: 400, code: 'UNKNOWN_ANALYZER' })
    expect(error).toContain(known)
  })

  it.each([
    [{ filter: { f: { type: 'shingle' } } }, 'filter.f.type', 'porter_stem'],
    [{ filter: { f: {} } }, 'filter.f.type', 'porter_stem'],
    [{ filter: { f: { type: 'stemmer', language: 'fancy' } } }, 'filter.f.language', 'english'],
    [{ tokenizer: { t: { type: 'fancy' } } }, 'tokenizer.t.type', 'edge_ngram'],
  ])('refuses %j, which no analyzer names, in its place', async (analysis, place, known) => {
    for (const [settings, path] of [
      [{ analysis }, 'settings.analysis'],
      [{ index: { analysis } }, 'settings.index.analysis'],
    ] as const) {
      const { status, code, details } = await createIndex({ name: 'unknown', settings })
      expect({ status, code }).toEqual({ status: 400, code: 'UNKNOWN_ANALYZER' })
      expect(details).toMatchObject([{ path: `${path}.${place}` }])
      expect(details[0]?.message).toContain(known)
    }
  })

  it('takes every filter and tokenizer that it reads without an analyzer that names it, too', async () => {
    const filter = {
      ...{ lowercase: {}, folds: { type: 'asciifolding', preserve_original: true } },
      ...{
        few: { type: 'stop', stopwords: '_german_' },
        words: { type: 'stop', ignore_case: true },
      },
      ...{ stems: { type: 'stemmer', name: 'german' }, porter: { type: 'porter_stem' } },
      ...{ snow: { type: 'snowball', language: 'German' }, short: { type: 'length', max: '9' } },
      ...{ same: { type: 'synonym', synonyms: ['a, b'], lenient: true } },
      graph: { type: 'synonym_graph', synonyms: ['a, b => c'] },
    }
    const tokenizer = {
      ...{ words: { type: 'standard', max_token_length: 9 }, blank: { type: 'whitespace' } },
      ...{ one: { type: 'keyword', buffer_size: 9 }, letters: { type: 'letter' } },
      ...{ pieces: { type: 'ngram', token_chars: ['letter'] }, starts: { type: 'edge_ngram' } },
    }
    const settings = { analysis: { filter, tokenizer, char_filter: { h: { type: 'html_strip' } } } }
    expect((await createIndex({ name: 'all-parts', settings })).status).toBe(200)
  })
})

describe('mappings', () => {
  it('are answered as they were sent, and as the default ones where no field was', async () => {
    const types = { title: 'text', content: 'text', abstract: 'text', authors: 'keyword' }
    const all = { ...types, tags: 'keyword', source: 'keyword', created: 'date', updated: 'date' }
    const made = await createIndex({ name: 'by-default', mappings: { dynamic: 'strict' } })
    await add('by-document', '1', { title: 'Made by its first document' })
    const told = [made.data, (await getIndex('by-default')).data, await listed('by-default')]
    for (const { mappings } of [...told, (await getIndex('by-document')).data]) {
      const declared = Object.entries(mappings.properties ?? {}).map(([name, { type }]) => [
        name,
        type,
      ])
      expect(Object.fromEntries(declared)).toEqual(all)
    }
    expect(made.data.mappings).toHaveProperty('dynamic', 'strict')

    // What is told makes the same index again.
    const { fields } =
      (await service.must<{ fields: object }>('GET', '/cortex/indices/by-default')) ?? {}
    const { mappings } = made.data
    await createIndex({ name: 'made-again', mappings })
    expect((await getIndex('made-again')).data).toMatchObject({ fields, mappings })

    const own = { properties: { year: { type: 'integer' } } }
    expect((await createIndex({ name: 'by-hand', mappings: own })).data.mappings).toEqual(own)
    expect((await getIndex('by-hand')).data.mappings).toEqual(own)
  })

  it('takes every type, objects and sub-fields', async () => {
    const properties = {
      body: { type: 'text', fields: { raw: { type: 'keyword' } } },
      label: { type: 'keyword' },
      small: { type: 'integer' },
      large: { type: 'long' },
      ratio: { type: 'float' },
      exact: { type: 'double' },
      open: { type: 'boolean' },
      day: { type: 'date' },
      person: { type: 'object', properties: { name: { type: 'keyword' } } },
    }
    expect((await createIndex({ name: 'typed', mappings: { properties } })).status).toBe(200)
    const document = {
      body: 'Red Fish',
      label: 'L',
      small: 1,
      large: 2 ** 40,
      ratio: 0.5,
      exact: 0.25,
      open: true,
      day: '2024-05-06',
      person: { name: 'Ada Lovelace' },
    }
    expect((await add('typed', '1', document)).status).toBe(200)
    for (const filters of [
      { 'body.raw': 'Red Fish' },
      { label: 'L' },
      { small: { gte: 1, lt: 2 } },
      { large: 2 ** 40 },
      { ratio: 0.5 },
      { exact: { gt: 0.2 } },
      { open: true },
      { day: { gte: '2024-05-06T00:00:00Z', lt: '2024-05-07' } },
      { day: Date.UTC(2024, 4, 6) },
      { 'person.name': 'Ada Lovelace' },
    ])
      expect({ filters, ids: (await search('typed', { filters })).ids }).toEqual({
        filters,
        ids: ['1'],
      })
    expect((await search('typed', { filters: { 'body.raw': 'Red' } })).ids).toEqual([])
  })

  it.each([
    ['small', '1'],
    ['small', 1.5],
    ['ratio', 'x'],
    ['open', 'true'],
    ['day', 'soon'],
    ['label', 5],
    ['body', true],
  ])('refuses a document whose %s is %j', async (field, value) => {
    const { status, details } = await add('typed', 'bad', { title: 'x', [field]: value })
    expect(status).toBe(400)
    expect(details[0]?.path).toBe(`document.${field}`)
  })

  it('has the known fields by default', async () => {
    await createIndex({ name: 'known' })
    await add('known', '1', {
      title: 'T',
      abstract: 'An abstract thing',
      authors: ['Grace Hopper', 'Alan Turing'],
      tags: ['new york'],
      source: 'arXiv',
      created: '2001-02-03',
    })
    for (const query of ['abstract', 'grace', 'york', 'arxiv', 'turing'])
      expect((await search('known', { query })).ids).toEqual(['1'])
    for (const filters of [
      { tags: 'new york' },
      { authors: 'Grace Hopper' },
      { source: 'arXiv' },
      { created: { lt: '2002-01-01' } },
      { updated: { gt: '2020-01-01' } },
    ])
      expect((await search('known', { filters })).ids).toEqual(['1'])
    expect((await search('known', { filters: { tags: 'york' } })).ids).toEqual([])
  })

  it.each([
    { properties: { a: { type: 'fancy' } } },
    { properties: { a: { type: 'dense_vector' } } },
    { properties: { a: 'text' } },
    { properties: [] },
    { dynamic: 'sometimes' },
    { properties: { a: { type: 'text', weight: -1 } } },
  ])('refuses %j', async (mappings) => {
    expect((await createIndex({ name: 'badmap', mappings })).status).toBe(400)
  })
})

const ngram = (options: object) => ({
  settings: {
    analysis: {
      analyzer: { a: { tokenizer: 't' } },
      tokenizer: { t: { type: 'ngram', ...options } },
    },
  },
  mappings: { properties: { title: { type: 'text', analyzer: 'a' } } },
})

it.each([
  ngram({ min_gram: 0 }),
  ngram({ min_gram: -1 }),
  ngram({ min_gram: 1.5 }),
  ngram({ min_gram: 1, max_gram: 1e9 }),
  { mappings: { properties: { a: { type: 'text', analyzer: 'constructor' } } } },
  { mappings: { properties: { 'a.b': {}, a: { properties: { b: { type: 'keyword' } } } } } },
  {
    mappings: { properties: { 'title.raw': {}, title: { fields: { raw: { type: 'keyword' } } } } },
  },
  { settings: { embedder: { kind: 'given', dimensions: 3, weights: ['x', 2] } } },
])('never declares an index that can not be opened: %j', async (body) => {
  expect((await createIndex({ name: 'closed', ...body })).status).toBe(400)
  expect((await getIndex('closed')).status).toBe(404)
  expect((await service.call('POST', '/cortex/search', {})).status).toBe(200)
})

describe('fields that the mapping does not name', () => {
  const document = { title: 'x', colour: 'red', size: 7, when: '2020-01-02', deep: { er: [true] } }
  const filters = [
    { colour: 'red' },
    { size: { gt: 6, lt: 8 } },
    { size: 7 },
    { when: { lt: '2020-01-03T00:00:00Z' } },
    { 'deep.er': true },
  ]

  it('can be filtered, faceted and sorted by default', async () => {
    await createIndex({ name: 'dyn' })
    await add('dyn', '1', document)
    await add('dyn', '2', { title: 'x', colour: 'blue', size: 9 })
    for (const filter of filters)
      expect((await search('dyn', { filters: filter })).ids).toEqual(['1'])
    const { data } = await search('dyn', { facets: ['colour', 'size'], sort: ['size:desc'] })
    expect(data.facets.colour?.values).toEqual([
      { value: 'blue', count: 1 },
      { value: 'red', count: 1 },
    ])
    expect(data.hits.map(({ id }) => id)).toEqual(['2', '1'])
  })

  it('are dates to dates alone: a number, or a year, is no moment after 1970', async () => {
    await createIndex({ name: 'dated' })
    const whens = ['1965-03-01', '2019-05-01', '2024-05-01', 2021]
    for (const [at, when] of whens.entries()) await add('dated', `${at}`, { title: 'x', when })
    const found = async (when: object) =>
      (await search('dated', { filters: { when } })).ids.toSorted().join()
    expect(await found({ gte: '2020' })).toBe('2,3')
    expect(await found({ lt: '2020' })).toBe('0,1')
    expect(await found({ gte: 2020 })).toBe('3')
    expect(await found({ gte: '2020-01-01' })).toBe('2')
    expect(await found({ gte: '2019-01-01', lt: '2024' })).toBe('1')
    expect(await found({ gt: '2019-05', lte: '2024-05-01T00:00:00Z' })).toBe('1,2')
    const mixed = { from: '2019-05-01', to: '2024' }
    const facets = { when: { ranges: [{ to: '2020' }, { from: '2020' }, { from: 0 }, mixed] } }
    const { ranges } = (await search('dated', { facets })).data.facets.when as {
      ranges?: { count: number }[]
    }
    expect(ranges?.map(({ count }) => count)).toEqual([2, 2, 1, 1])
  })

  it('are one value with the same words of an index that maps them, as for a filter', async () => {
    await createIndex({ name: 'loose' })
    await createIndex({ name: 'mapped', mappings: { properties: { made: { type: 'keyword' } } } })
    const mades = ['2024-03-01', '2024-03-01', '2024-03-02', '7', 'true', 'word']
    for (const [at, made] of mades.entries())
      for (const index of ['loose', 'mapped'])
        await add(index, `${index}${at}`, { title: 'x', made })
    await add('loose', 'more', { title: 'x', made: '2024-03-01T00:00Z' })
    const both = (body: object) => search('loose,mapped', { ...body, size: 100 })
    const { values } = (await both({ facets: ['made'] })).data.facets.made!
    expect(values.slice(0, 1)).toEqual([{ value: '2024-03-01', count: 5 }])
    expect(values.length).toBe(new Set(mades).size)
    for (const { value, count } of values)
      expect((await both({ filters: { made: value } })).ids.length).toBe(count)
  })

  it('are only kept with dynamic false', async () => {
    await createIndex({ name: 'kept', mappings: { dynamic: false } })
    await add('kept', '1', document)
    for (const filter of filters)
      expect((await search('kept', { filters: filter })).ids).toEqual([])
    expect((await search('kept', {})).data.hits[0]?.source).toEqual(document)
  })

  it('are refused with dynamic strict', async () => {
    await createIndex({
      name: 'strict',
      mappings: { dynamic: 'strict', properties: { deep: { type: 'object', properties: {} } } },
    })
    const { status, code } = await add('strict', '1', document)
    expect({ status, code }).toEqual({ status: 400, code: 'UNKNOWN_FIELD' })
    expect((await add('strict', '1', { title: 'x', tags: ['y'] })).status).toBe(200)
    const changed = await service.call('PUT', '/cortex/documents/1?index=strict', { colour: 'red' })
    expect(changed).toMatchObject({ status: 400, code: 'UNKNOWN_FIELD' })
    expect(changed.details[0]?.path).toBe('colour')
    const removed = await service.call('PUT', '/cortex/documents/1?index=strict', { colour: null })
    expect(removed.status).toBe(200)
  })

  it('are refused from when an index is made strict, though nothing else changes', async () => {
    const properties = { tags: { type: 'keyword' } }
    await createIndex({ name: 'later-strict', mappings: { dynamic: false, properties } })
    expect((await add('later-strict', '1', document)).status).toBe(200)
    const put = (dynamic: boolean | string) =>
      service.call('PUT', '/cortex/indices/later-strict', { mappings: { dynamic } })
    expect((await put('strict')).status).toBe(200)
    expect((await add('later-strict', '2', document)).code).toBe('UNKNOWN_FIELD')
    expect((await put('strict')).code).toBe('INDEX_EXISTS')
    expect((await put(false)).status).toBe(200)
    expect((await add('later-strict', '2', document)).status).toBe(200)
  })
})

describe('adding fields', () => {
  const extend = (name: string, properties: object) =>
    service.call<Index>('PUT', `/cortex/indices/${name}`, { mappings: { properties } })

  it('indexes what is there already, while searches and writes go on', async () => {
    await createIndex({ name: 'grow' })
    const documents = Array.from({ length: 300 }, (_, n) => ({
      id: `g${n}`,
      document: { title: `number ${n}`, remark: `pebble ${n % 3 === 0 ? 'granite' : 'basalt'}` },
    }))
    await service.call('POST', '/cortex/documents/bulk', { index: 'grow', documents })
    expect((await search('grow', { query: 'granite' })).data.total).toBe(0)
    const extending = extend('grow', { remark: { type: 'text' } })
    let writes = 0
    await waitUntil(async () => {
      const all = await search('grow', { query: 'number' })
      expect(all.data.total).toBe(300 + writes)
      writes += 1
      await add('grow', `new${writes}`, { title: `number new ${writes}`, remark: 'granite' })
      await service.call('DELETE', `/cortex/documents/g${writes}?index=grow`)
      writes -= 1
      const { total } = (await search('grow', { query: 'granite' })).data
      return total > 0
    })
    expect((await extending).status).toBe(200)
    const added = (await search('grow', { query: 'new' })).data.total
    const gone = (await search('grow', { query: 'number' })).data.total
    expect(gone).toBe(300)
    expect(added).toBeGreaterThan(0)
    expect((await getIndex('grow')).data.mappings.properties?.remark).toEqual({ type: 'text' })
  })

  it.each(['strict', true, false])(
    'finds what is written next by them with dynamic %j',
    async (dynamic) => {
      const name = `next-${dynamic}`
      await createIndex({ name, mappings: { dynamic } })
      await add(name, '1', { title: 'older' })
      await extend(name, { kind: { type: 'keyword' }, remark: { type: 'text' } })
      await add(name, '2', { title: 'newer', kind: 'K', remark: 'granite' })
      expect((await search(name, { filters: { kind: 'K' } })).ids).toEqual(['2'])
      expect((await search(name, { query: 'granite' })).ids).toEqual(['2'])
    },
  )

  it('keeps the fields of every change when several follow at once', async () => {
    await createIndex({ name: 'several' })
    await add('several', '1', { title: 'x', one: 'Uno', two: 'Due', three: 'Tre' })
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((field) => extend('several', { [field]: { type: 'text' } })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    await waitUntil(async () => {
      const totals = ['uno', 'due', 'tre'].map(
        async (query) => (await search('several', { query })).data.total,
      )
      return (await Promise.all(totals)).every((total) => total === 1)
    })
    expect(Object.keys((await getIndex('several')).data.mappings.properties ?? {}).sort()).toEqual([
      'one',
      'three',
      'two',
    ])
  })

  it('keeps an object that names no fields, and never lets it become something else', async () => {
    await createIndex({ name: 'objects', mappings: { dynamic: 'strict' } })
    expect((await extend('objects', { extra: { type: 'object' } })).status).toBe(200)
    expect((await getIndex('objects')).data.mappings.properties).toHaveProperty('extra')
    expect((await add('objects', '1', { title: 'x', extra: { any: 1 } })).status).toBe(200)
    const { status, details } = await extend('objects', { extra: { type: 'keyword' } })
    expect({ status, details }).toMatchObject({
      status: 400,
      details: [{ path: 'mappings.properties.extra.type' }],
    })
  })

  it('shows the new mapping at once, and checks documents against it', async () => {
    await createIndex({ name: 'atonce' })
    await extend('atonce', { count: { type: 'integer' } })
    expect((await getIndex('atonce')).data.mappings.properties).toHaveProperty('count')
    expect((await add('atonce', '1', { title: 'x', count: 'many' })).status).toBe(400)
  })

  it('adds fields inside of an object, and sub-fields, and leaves what was not sent', async () => {
    const street = { type: 'keyword' }
    const body = { type: 'text', analyzer: 'german', weight: 3, index: false }
    const own = { type: 'dense_vector', dims: 3 }
    const properties = { place: { properties: { street } }, body, own }
    await createIndex({ name: 'inside', mappings: { properties } })
    await add('inside', '1', { title: 'x', place: { street: 'Elm', zip: 7 }, body: 'Die Häuser' })
    const zip = { type: 'integer' }
    const fields = { raw: { type: 'keyword' } }
    const grown = { place: { properties: { zip } }, body: { type: 'text', fields } }
    expect(await extend('inside', grown)).toMatchObject({ status: 200 })
    const { data } = await getIndex('inside')
    expect(data.mappings.properties).toEqual({
      place: { properties: { street, zip } },
      body: { ...body, fields },
      own,
    })
    await waitUntil(async () => {
      const filters = { 'place.zip': 7, 'place.street': 'Elm', 'body.raw': 'Die Häuser' }
      return (await search('inside', { filters })).data.total === 1
    })
    const searchFields = ['body']
    expect((await search('inside', { query: 'Haus', searchFields })).ids).toEqual(['1'])
    // Another spelling of the same key takes its place.
    expect((await extend('inside', { body: { searched: true } })).status).toBe(200)
    const now = (await getIndex('inside')).data.mappings.properties?.body
    expect(now).toEqual({ type: 'text', analyzer: 'german', weight: 3, searched: true, fields })
  })

  it('leaves what was not sent of the fields that every index has', async () => {
    await add('byfirst', '1', { title: 'Zoo', tags: ['animals'] })
    const { properties: had = {} } = (await getIndex('byfirst')).data.mappings
    const fields = { raw: { type: 'keyword' } }
    const sent = { title: { fields }, tags: { searched: false }, created: { fields } }
    expect(await extend('byfirst', sent)).toMatchObject({ status: 200 })
    const { properties } = (await getIndex('byfirst')).data.mappings
    expect(properties).toEqual({
      title: { ...Object(had.title), fields },
      tags: { ...Object(had.tags), searched: false },
      created: { ...Object(had.created), fields },
    })
    expect(properties).toMatchObject({ title: { weight: 2 }, tags: { type: 'keyword' } })
    const again = await extend('byfirst', { authors: { type: 'keyword' }, content: {} })
    expect(again.code).toBe('INDEX_EXISTS')
    await waitUntil(async () => {
      const filters = { 'title.raw': 'Zoo', tags: 'animals' }
      return (await search('byfirst', { filters })).data.total === 1
    })
    const words = await search('byfirst', { query: 'animals', searchType: 'text' })
    expect(words.data.total).toBe(0)
  })

  it('names a field that is mapped by a dotted name and inside of what has it', async () => {
    const kind = { type: 'keyword' }
    await createIndex({
      name: 'dotted',
      mappings: { properties: { place: { properties: { kind } } } },
    })
    const twice = {
      code: 'MAPPING_CONFLICT',
      details: [{ path: 'mappings.properties.place.kind' }],
    }
    expect(await extend('dotted', { 'place.kind': kind })).toMatchObject(twice)
    const inner = { place: { type: 'text', fields: { kind } }, 'place.kind': kind }
    expect(await extend('undotted', inner)).toMatchObject(twice)
    expect((await extend('dotted', { 'place.other': kind })).status).toBe(200)
  })

  it('refuses another type for a field, also for a default one', async () => {
    await createIndex({ name: 'fixed', mappings: { properties: { n: { type: 'integer' } } } })
    for (const properties of [{ n: { type: 'text' } }, { title: { type: 'keyword' } }]) {
      const { status, code } = await extend('fixed', properties)
      expect({ status, code }).toEqual({ status: 400, code: 'MAPPING_CONFLICT' })
    }
    expect((await getIndex('fixed')).data.mappings.properties).toEqual({ n: { type: 'integer' } })
  })

  it('lasts through a restart', async () => {
    await service.restart()
    for (const query of ['uno', 'due', 'tre'])
      expect((await search('several', { query })).ids).toEqual(['1'])
    expect((await add('atonce', '1', { title: 'x', count: 'many' })).status).toBe(400)
  })
})

describe('listing, reading, deleting', () => {
  it('shows documents, size on disk, vector space and generation', async () => {
    await createIndex({ name: 'shown' })
    await add('shown', '1', { title: 'one' })
    await add('shown', '2', { title: 'two' })
    await service.call('DELETE', '/cortex/documents/2?index=shown')
    const { data } = await getIndex('shown')
    expect(data).toMatchObject({
      name: 'shown',
      documents: 1,
      vectorSpace: { kind: 'hashed', vectors: 1 },
    })
    expect(data.generation).toBeGreaterThan(0)
    await service.app.engine.checkpoint()
    expect((await getIndex('shown')).data.bytes).toBeGreaterThan(0)
    const list = await service.call<{ indices: Index[] }>('GET', '/cortex/indices')
    expect(list.data.indices.find(({ name }) => name === 'shown')?.documents).toBe(1)
  })

  it('tells every field, also those that no mapping names', async () => {
    const bare = { searched: false, vectorized: false }
    const properties = {
      title: { type: 'text', fields: { raw: { type: 'keyword' } } },
      author: { properties: { name: { type: 'keyword' } } },
      own: { type: 'dense_vector', dims: 4 },
    }
    await createIndex({ name: 'fields', mappings: { properties } })
    expect((await getIndex('fields')).data).toHaveProperty('fields', {
      title: { type: 'text', searched: true, vectorized: false, analyzer: 'default' },
      content: { type: 'text', searched: true, vectorized: false, analyzer: 'default' },
      abstract: { type: 'text', searched: true, vectorized: false, analyzer: 'default' },
      authors: { type: 'keyword', searched: true, vectorized: false, analyzer: 'default' },
      tags: { type: 'keyword', searched: true, vectorized: false, analyzer: 'default' },
      source: { type: 'keyword', searched: true, vectorized: false, analyzer: 'default' },
      created: { type: 'date', ...bare },
      updated: { type: 'date', ...bare },
      'title.raw': { type: 'keyword', ...bare },
      author: { type: 'object' },
      'author.name': { type: 'keyword', ...bare },
      own: { type: 'dense_vector', dimensions: 4 },
    })
    await createIndex({ name: 'learned' })
    const learned = { type: 'text', searched: true, vectorized: true, analyzer: 'default' }
    const { data } = await getIndex('learned')
    expect(data).toHaveProperty('fields.title', { ...learned, weight: 2 })
    expect(data).toHaveProperty('fields.content', learned)
  })

  it('answers 404 for an index that is not there', async () => {
    expect(await getIndex('nowhere')).toMatchObject({ status: 404, code: 'INDEX_NOT_FOUND' })
    const gone = await service.call('DELETE', '/cortex/indices/nowhere')
    expect(gone).toMatchObject({ status: 404, code: 'INDEX_NOT_FOUND' })
    expect(gone.details).toMatchObject([{ path: 'name' }])
    const unfound = await search('nowhere', {})
    expect(unfound).toMatchObject({ status: 404, code: 'INDEX_NOT_FOUND' })
    const message = 'is not the name of an index; GET /cortex/indices lists them'
    expect(unfound.details).toEqual([{ path: 'index', message }])
    await createIndex({ name: 'somewhere' })
    const second = await service.call('POST', '/cortex/search', { index: ['somewhere', 'nowhere'] })
    expect(second.details).toEqual([{ path: 'index[1]', message }])
  })

  it('names the index that a mistyped name is most like, and repeats nothing of what was sent', async () => {
    await createIndex({ name: 'periodicals' })
    const { details, error } = await search('periodcals', {})
    expect(details).toMatchObject([
      { message: expect.stringContaining('is not the name of an index, but "periodicals" is;') },
    ])
    expect(error).not.toContain('periodcals')
  })

  it('tells that patterns name no indices', async () => {
    for (const name of ['*', '_all', 'log-*'])
      expect((await search(name, {})).error, name).toBe(
        'index is not the name of an index, nor are patterns: name each one, or none to search all; GET /cortex/indices lists them.',
      )
  })

  it('tells what to send instead of an empty name', async () => {
    expect((await search('', {})).error).toBe(
      'index is not the name of an index, for it is empty: name one, or none to search all; GET /cortex/indices lists them.',
    )
  })

  it('deletes an index with its documents; its name is free again', async () => {
    await createIndex({ name: 'gone' })
    await add('gone', 'd', { title: 'vanishing' })
    const { status, data } = await service.call('DELETE', '/cortex/indices/gone')
    expect(status).toBe(200)
    expect(data).toMatchObject({ name: 'gone' })
    expect((await getIndex('gone')).status).toBe(404)
    expect((await service.call('GET', '/cortex/documents/d?index=gone')).status).toBe(404)
    expect((await createIndex({ name: 'gone' })).status).toBe(200)
    expect((await search('gone', {})).data.total).toBe(0)
  })

  it('harms neither searches nor writes that are under way', async () => {
    for (let round = 0; round < 5; round++) {
      const name = `harm${round}`
      const documents = Array.from({ length: 200 }, (_, n) => ({ document: { title: `h ${n}` } }))
      await service.call('POST', '/cortex/documents/bulk', { index: name, documents })
      const searches = Array.from({ length: 30 }, () =>
        search(name, { size: 200 }).then(({ status, data }) =>
          status === 200 ? data.hits.length === 200 && data.total === 200 : status,
        ),
      )
      const writes = Array.from({ length: 10 }, () =>
        service.call('POST', '/cortex/documents?refresh=false', {
          index: 'kept-beside',
          document: { title: 'beside' },
        }),
      )
      await service.call('DELETE', `/cortex/indices/${name}`)
      for (const outcome of await Promise.all(searches)) expect([true, 404]).toContain(outcome)
      for (const { status } of await Promise.all(writes)) expect(status).toBe(200)
    }
    const list = await service.call<{ indices: Index[] }>('GET', '/cortex/indices')
    expect(list.data.indices.filter(({ name }) => name.startsWith('harm'))).toEqual([])
  })

  it('leaves nothing of an index that is deleted under its writes', async () => {
    const writes = Array.from({ length: 40 }, (_, n) =>
      service.call('POST', '/cortex/documents', {
        index: 'torn',
        id: `t${n}`,
        document: { title: 'torn' },
      }),
    )
    await writes[0]
    const removed = await service.call('DELETE', '/cortex/indices/torn')
    expect(removed.status).toBe(200)
    for (const { status } of await Promise.all(writes)) expect([200, 404]).toContain(status)
    await waitUntil(async () => {
      const { indices, store } = service.app
      const known = new Set(indices.all().map(({ record }) => record.id))
      const strays = [...store.tables.records.keys({})].filter(([id]) => !known.has(id))
      return strays.length === 0
    })
  })
})

it('the list of indices leaves out those that are deleted while others are opened for it', async () => {
  await service.restart({ OPEN_INDICES_MAX: '1' })
  const failures = vi.spyOn(service.app.log, 'error')
  const names = Array.from({ length: 6 }, (_, at) => `passing${at}`)
  for (const name of names) await add(name, '1', { title: 'x' })
  const { catalog } = service.app
  const listed = catalog.list()
  await Promise.all(names.map(catalog.remove))
  const left = (await listed).map(({ name }) => name)
  expect(left.filter((name) => names.includes(name))).toEqual([])
  expect(failures.mock.calls).toEqual([])
  await service.restart({ OPEN_INDICES_MAX: '256' })
})

it('an index that goes while its files are written is no failure in the log', async () => {
  const failures = vi.spyOn(service.app.log, 'error')
  for (let at = 0; at < 8; at++) {
    await add('going', `${at}`, { title: 'x' })
    const written = service.app.engine.checkpoint()
    expect((await service.call('DELETE', '/cortex/indices/going')).status).toBe(200)
    await written
  }
  expect(failures.mock.calls).toEqual([])
})

it('fields that several clients add at the same time are all added, also to an index that is being made', async () => {
  const put = (field: string) =>
    service.call<Index>('PUT', '/cortex/indices/together', {
      mappings: { properties: { [field]: { type: 'integer' } } },
    })
  const fields = Array.from({ length: 8 }, (_, at) => `f${at}`)
  const answers = await Promise.all(fields.map(put))
  expect(answers.map(({ status }) => status)).toEqual(fields.map(() => 200))
  expect((await getIndex('together')).data.mappings.properties).toMatchObject(
    Object.fromEntries(fields.map((field) => [field, { type: 'integer' }])),
  )
})

it('an object is there where a field of it is, mapped or not', async () => {
  const properties = { box: { type: 'object', properties: { size: { type: 'keyword' } } } }
  await createIndex({ name: 'boxes', mappings: { properties } })
  await add('boxes', 'mapped', { title: 'x', box: { size: 'red' } })
  await add('boxes', 'unmapped', { title: 'x', crate: { size: 'red' }, box: {} })
  await add('boxes', 'both', { title: 'x', box: { size: 'red', colour: 'blue' } })
  const having = async (filters: object) => (await search('boxes', { filters })).ids
  expect(await having({ box: { exists: true } })).toEqual(['both', 'mapped'])
  expect(await having({ box: { exists: false } })).toEqual(['unmapped'])
  expect(await having({ crate: { exists: true } })).toEqual(['unmapped'])
  expect(await having({ 'box.size': null })).toEqual(['unmapped'])
})

it('accented letters are the same, however they are written', async () => {
  const plain = { analysis: { language: 'none', asciiFolding: false } }
  await createIndex({ name: 'letters', settings: plain })
  await add('letters', 'composed', { title: 'Z\u00fcrich' })
  await add('letters', 'apart', { title: 'Zu\u0308rich' })
  for (const index of ['letters', 'folded']) {
    if (index === 'folded')
      for (const title of ['Z\u00fcrich', 'Zu\u0308rich']) await add(index, title, { title })
    for (const query of ['z\u00fcrich', 'zu\u0308rich'])
      expect((await search(index, { query })).ids).toHaveLength(2)
  }
  const found = await service.call<{ hits: { highlight: object }[] }>('POST', '/cortex/search', {
    ...{ index: 'letters', query: 'z\u00fcrich', searchType: 'text', highlight: true, sort: 'id' },
  })
  const marked = found.data.hits.map(({ highlight }) => highlight)
  expect(marked).toContainEqual({ title: ['<em>Zu\u0308rich</em>'] })
  expect(marked).toContainEqual({ title: ['<em>Z\u00fcrich</em>'] })
})
