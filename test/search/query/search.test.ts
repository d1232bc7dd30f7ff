import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

interface Hit {
  id: string
  index: string
  score: number
  source: Record<string, unknown>
  highlight?: Record<string, string[]>
  explain?: Record<string, unknown>
}
interface Found {
  hits: Hit[]
  total: number
  took: number
  nextCursor?: string
  facets?: Record<
    string,
    { values: { value: unknown; count: number }[]; ranges?: object[]; stats?: object }
  >
  searchContext: Record<string, unknown>
}

let service: RunningApp

/** Of a search that looks nowhere for words. */
const NO_FIELD = { title: 0, content: 0, abstract: 0, authors: 0, tags: 0, source: 0 }

beforeAll(async () => {
  service = await startApp()
  const documents = [
    {
      id: '1',
      title: 'Quick brown fox',
      content: 'jumps over the lazy dog',
      year: 2001,
      tags: ['animal', 'fast'],
    },
    {
      id: '2',
      title: 'Lazy afternoon',
      content: 'the brown dog sleeps quickly',
      year: 2003,
      tags: ['animal'],
    },
    {
      id: '3',
      title: 'Search engines',
      content: 'inverted lists <b>& "vectors"</b> of documents',
      year: 2002,
      tags: ['computer'],
    },
    {
      id: '4',
      title: 'Fox hunting',
      content: 'a fox and a dog and a fox',
      tags: ['animal', 'sport'],
    },
    {
      id: '5',
      title: 'Vector search',
      content: 'nearest neighbours in many dimensions',
      year: 2002,
      extra: { deep: 1, other: 2 },
    },
  ].map(({ id, ...document }) => ({ id, document }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'main', documents })
  await service.must('POST', '/cortex/documents', {
    index: 'side',
    id: '1',
    document: { title: 'A side fox', year: 1999 },
  })
})
afterAll(() => service.close())

const find = (body: object) =>
  service.must<Found>('POST', '/cortex/search', { index: 'main', searchType: 'text', ...body })
const ids = async (body: object) => (await find(body)).hits.map(({ id }) => id)
const sorted = async (body: object) => (await ids(body)).sort()

describe('words', () => {
  it('finds documents with any of them, or with all of them', async () => {
    expect(await sorted({ query: 'fox dog' })).toEqual(['1', '2', '4'])
    expect(await sorted({ query: 'fox dog', operator: 'and' })).toEqual(['1', '4'])
    expect(await sorted({ query: 'fox dog', operator: 'AND' })).toEqual(['1', '4'])
    expect(await sorted({ query: 'the dog', operator: 'and' })).toEqual(['1', '2', '4'])
  })

  it('finds quoted phrases in their order, and rows of words with slop', async () => {
    expect(await ids({ query: '"brown fox"' })).toEqual(['1'])
    expect(await ids({ query: '"fox brown"' })).toEqual([])
    expect(await ids({ query: '"brown dog" sleeps' })).toEqual(['2'])
    expect(await ids({ query: 'quick fox', phrase: true })).toEqual([])
    expect(await ids({ query: 'quick fox', phrase: true, slop: 1 })).toEqual(['1'])
    expect(await ids({ query: '"lazy dog"' })).toEqual(['1'])
    expect(await ids({ query: '"over lazy"' })).toEqual([])
    expect(await ids({ query: 'a " alone' })).toEqual([])
  })

  it.each(['“fox brown”', '„fox brown“', '«fox brown»', '»fox brown«', '＂fox brown＂'])(
    'takes %s for a phrase, as a phone types it',
    async (query) => {
      expect(await ids({ query })).toEqual([])
      expect(await ids({ query: query.replace('fox brown', 'brown fox') })).toEqual(['1'])
    },
  )

  it('takes a curly quote without a partner for no quote', async () => {
    expect(await sorted({ query: 'brown” fox' })).toEqual(['1', '2', '4'])
  })

  it('completes the last word with prefix', async () => {
    expect(await ids({ query: 'inver', prefix: true })).toEqual(['3'])
    expect(await ids({ query: 'inver' })).toEqual([])
    expect(await sorted({ query: 'vec', prefix: true })).toEqual(['3', '5'])
    expect(await ids({ query: '"nearest neigh"', prefix: true, phrase: true })).toEqual(['5'])
  })

  it.each([
    ['foxx', 0, []],
    ['foxx', 1, ['1', '4']],
    ['afternon', 'AUTO', ['2']],
    ['aftrnon', 1, []],
    ['aftrnon', 2, ['2']],
    ['aftrnon', 'auto', ['2']],
    ['fx', 'AUTO', []],
  ])('finds %s with fuzziness %s', async (query, fuzziness, expected) => {
    expect(await sorted({ query, fuzziness })).toEqual(expected)
  })

  it('looks only in the named fields', async () => {
    expect(await sorted({ query: 'search', searchFields: ['title'] })).toEqual(['3', '5'])
    expect(await ids({ query: 'search', searchFields: ['content'] })).toEqual([])
    expect(await ids({ query: 'sport', searchFields: ['tags'] })).toEqual(['4'])
    expect(await ids({ query: 'search', searchFields: ['unknown'] })).toEqual([])
  })

  it('completes no word where none of the named fields has words', async () => {
    expect(await ids({ query: 'sear', prefix: true, searchFields: ['unknown'] })).toEqual([])
    expect(await ids({ query: 'sear', prefix: true, boost: NO_FIELD })).toEqual([])
    const searchFields = ['title', 'extra.deep']
    const index = ['main', 'side']
    expect(await sorted({ query: 'fo', prefix: true, index, searchFields })).toEqual([
      '1',
      '1',
      '4',
    ])
    const highlight = { fields: ['unknown'] }
    const { hits } = await find({ query: 'sear', prefix: true, searchFields: ['title'], highlight })
    expect(hits.map((hit) => hit.highlight)).toEqual([{}, {}])
  })

  it('weighs fields by boost, and a query field by its weight', async () => {
    expect((await ids({ query: 'lazy' }))[0]).toBe('2')
    expect((await ids({ query: 'lazy', boost: { content: 50 } }))[0]).toBe('1')
    expect((await ids({ query: 'lazy', searchFields: { content: 50, title: 1 } }))[0]).toBe('1')
  })

  it('finds everything for an empty query, nothing for words that say nothing', async () => {
    for (const searchType of ['text', 'vector', 'hybrid'])
      expect((await find({ query: '  ', searchType })).total).toBe(5)
    expect((await find({})).total).toBe(5)
    expect((await find({ query: 'the' })).total).toBe(0)
    expect((await find({ query: '?!' })).total).toBe(0)
  })
})

const partsOf = (explain: unknown) => (explain as { parts: { text: number; vector: number } }).parts

describe('modes', () => {
  it('is hybrid by default, and reads its words in any case', async () => {
    const { searchContext } = await service.must<Found>('POST', '/cortex/search', { query: 'fox' })
    expect(searchContext.searchType).toBe('hybrid')
    expect((await find({ query: 'fox', searchType: 'HYBRID' })).searchContext.searchType).toBe(
      'hybrid',
    )
  })

  it('weighs the legs by boost', async () => {
    const words = { query: 'fox dog', searchType: 'hybrid', explain: true }
    for (const { score, explain } of (await find({ ...words, boost: { text: 2, vector: 0 } })).hits)
      expect(score).toBeCloseTo(2 * partsOf(explain).text, 9)
    const { hits } = await find({ ...words, boost: { text: 1, vector: 1 } })
    expect(hits[0]?.explain?.weights).toEqual({ text: 1, vector: 1 })
  })

  it('fuses by rank on request', async () => {
    const { hits } = await find({
      query: 'fox',
      searchType: 'hybrid',
      fusion: 'rrf',
      explain: true,
    })
    expect(hits[0]?.explain).toMatchObject({ fusion: 'rrf', parts: { text: 1 / 61 } })
    for (const { score, explain } of hits) {
      const { text, vector } = partsOf(explain)
      expect(score).toBeCloseTo(text + vector, 12)
    }
  })

  it('adds up the ranks of both halves as they are, but for the half that a boost weighs', async () => {
    const index = 'lone'
    await service.must('POST', '/cortex/documents', {
      index,
      document: { title: 'The only ocelot' },
    })
    const score = async (more: object) =>
      (await find({ index, query: 'ocelot', searchType: 'hybrid', fusion: 'rrf', ...more })).hits[0]
        ?.score
    expect(await score({})).toBeCloseTo(2 / 61, 12)
    expect(await score({ boost: { vector: 2 } })).toBeCloseTo(3 / 61, 12)
    await service.must('DELETE', `/cortex/indices/${index}`)
  })

  it('leaves out what scores below minScore, in the total and the facets too', async () => {
    const all = await find({ query: 'fox dog' })
    const least = all.hits[1]?.score ?? 0
    const some = await find({ query: 'fox dog', minScore: least, facets: ['tags'] })
    expect(some.total).toBe(2)
    expect(some.hits.map(({ id }) => id)).toEqual(all.hits.slice(0, 2).map(({ id }) => id))
    expect(some.facets?.tags?.values[0]).toEqual({ value: 'animal', count: 2 })
  })

  it('explains each hit', async () => {
    const { hits } = await find({ query: 'fox', searchType: 'hybrid', explain: true })
    for (const { explain, score } of hits)
      expect(explain).toMatchObject({
        score,
        parts: { text: expect.any(Number), vector: expect.any(Number) },
      })
    expect((await find({ query: 'fox' })).hits[0]).not.toHaveProperty('explain')
  })
})

describe("a caller's vector", () => {
  const rows = { north: [0, 1, 0], east: [1, 0, 0], up: [0, 0, 1], northeast: [1, 1, 0] }
  const base64 = (values: number[]) =>
    Buffer.from(Float32Array.from(values).buffer).toString('base64')

  beforeAll(async () => {
    await service.must('POST', '/cortex/indices', {
      name: 'given',
      mappings: { properties: { place: { type: 'dense_vector', dims: 3 } } },
    })
    for (const [id, vector] of Object.entries(rows)) {
      const body = {
        index: 'given',
        id,
        document: { title: `to the ${id}` },
        vector: id === 'up' ? base64(vector) : vector,
      }
      expect(await service.must('POST', '/cortex/documents', body)).toMatchObject({
        vectorized: true,
      })
    }
    const none = { index: 'given', id: 'none', document: { title: 'to nowhere' } }
    expect(await service.must('POST', '/cortex/documents', none)).toMatchObject({
      vectorized: false,
    })
  })

  const nearest = (vector: unknown, more: object = {}) =>
    find({ index: 'given', searchType: 'vector', vector, ...more })

  it('is a list of numbers or base64 of little-endian float32', async () => {
    for (const vector of [[0, 2, 0], base64([0, 2, 0])]) {
      const { hits } = await nearest(vector)
      expect(hits.slice(0, 2).map(({ id }) => id)).toEqual(['north', 'northeast'])
      expect(hits[0]?.score).toBeCloseTo(1, 2)
      expect(hits[1]?.score).toBeCloseTo(Math.SQRT1_2, 2)
    }
    expect((await nearest([0, 1, 0], { query: 'ignored words' })).hits[0]?.id).toBe('north')
  })

  it('means every document in vector mode when neither query nor vector is sent', async () => {
    expect((await find({ index: 'given', searchType: 'vector' })).total).toBe(5)
  })

  it('is missed: words alone find by text and say so, and a vector search by words is refused', async () => {
    const { hits, searchContext } = await find({
      ...{ index: 'given', query: 'north', searchType: 'hybrid' },
    })
    expect(hits.map(({ id }) => id)).toEqual(['north'])
    expect(searchContext).toMatchObject({ searchType: 'hybrid', degraded: ['vector'] })
    const words = { index: 'given', query: 'north', searchType: 'vector' }
    const refused = await service.call('POST', '/cortex/search', words)
    expect(refused).toMatchObject({ status: 400, details: [{ path: 'vector' }] })
    expect(refused.error).toContain('this index takes its vectors from you')
    const beside = await find({ ...words, index: ['given', 'main'] })
    expect(beside.searchContext).not.toHaveProperty('degraded')
    for (const more of [{ searchType: 'text' }, { vector: [0, 1, 0] }, { query: '' }])
      expect(
        (await find({ ...words, searchType: 'hybrid', ...more })).searchContext,
      ).not.toHaveProperty('degraded')
  })

  it('gives k neighbours if there are k, with a filter too', async () => {
    expect((await nearest([0, 1, 0], { neighbors: 2 })).total).toBe(2)
    const filters = { not: { or: [{ title: 'north' }, { title: 'northeast' }] } }
    expect((await nearest([0, 1, 0], { neighbors: 2, filters })).total).toBe(2)
  })

  it('survives an update of the document, and goes with a new one', async () => {
    await service.must('PUT', '/cortex/documents/up?index=given', { source: 'sky' })
    expect((await nearest([0, 0, 1])).hits[0]?.id).toBe('up')
    const body = { index: 'given', id: 'up', document: { title: 'down now' }, vector: [0, 0, -1] }
    await service.must('POST', '/cortex/documents', body)
    expect((await nearest([0, 0, -1])).hits[0]?.id).toBe('up')
    const { vector: _, ...bare } = body
    expect(await service.must('POST', '/cortex/documents', { ...bare, id: 'east' })).toMatchObject({
      vectorized: false,
    })
    await service.must('POST', '/cortex/documents', { ...bare, id: 'east', vector: [1, 0, 0] })
  })

  it('may stand in its field of the document', async () => {
    const body = { index: 'given', id: 'field', document: { title: 'field', place: [-1, 0, 0] } }
    expect(await service.must('POST', '/cortex/documents', body)).toMatchObject({
      vectorized: true,
    })
    expect((await nearest([-1, 0, 0])).hits[0]?.id).toBe('field')
    await service.must('PUT', '/cortex/documents/field?index=given', {
      place: [-1, -1, 0],
      source: 'x',
    })
    expect((await nearest([-1, -1, 0])).hits[0]?.score).toBeCloseTo(1, 2)
    const gone = await service.must('PUT', '/cortex/documents/field?index=given', { place: null })
    expect(gone).toMatchObject({ vectorized: false })
    await service.must('DELETE', '/cortex/documents/field?index=given')
  })

  it.each([[[1, 2]], ['AAAA'], [[0, 0, 0]], [[1, 'x', 2]], [[]], ['not base64!'], [{}]])(
    'refuses %j',
    async (vector) => {
      const { status } = await service.call('POST', '/cortex/search', { index: 'given', vector })
      expect(status).toBe(400)
      const body = { index: 'given', document: { title: 'x' }, vector }
      expect((await service.call('POST', '/cortex/documents', body)).status).toBe(400)
    },
  )

  it('keeps its vectors through a restart', async () => {
    await service.restart()
    expect((await nearest([1, 0, 0])).hits[0]?.id).toBe('east')
  })
})

it('weighs as many fields as an index may well have, and refuses a list without end', async () => {
  const boost = (fields: number) =>
    Object.fromEntries(Array.from({ length: fields }, (_, n) => [`f${n}`, 2]))
  const search = (fields: number) =>
    service.call('POST', '/cortex/search', { query: 'fox', boost: boost(fields) })
  expect((await search(1024)).status).toBe(200)
  expect(await search(1025)).toMatchObject({ status: 400, details: [{ path: 'boost' }] })
})

it('no condition holds for all, no value for none, and null beside values is sent by "or"', async () => {
  const total = async (filters: object) => (await find({ filters })).total
  for (const filters of [{}, { and: [] }, { and: {} }, { and: [{}] }])
    expect(await total(filters)).toBe(5)
  expect(await total({ year: [] })).toBe(0)
  expect(await total({ not: { year: [] } })).toBe(5)
  expect(await total({ or: [{ year: [2002] }, { year: null }] })).toBe(3)
})

describe('analysed text', () => {
  it.each([
    ['sort', { sort: ['year', 'content:desc'] }, 'content', 'authors'],
    ['sort', { sort: { title: 'asc' } }, 'title', 'map a keyword sub-field of title'],
    ['facets', { facets: ['tags', 'abstract'] }, 'abstract', 'tags'],
    ['facets', { facets: { title: { size: 3 } } }, 'title', 'sub-field'],
  ])('in %s is refused by name, with what to use instead: %j', async (path, more, field, use) => {
    const answer = await service.call('POST', '/cortex/search', { query: 'fox', ...more })
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', details: [{ path }] })
    expect(answer.error).toContain(`can't use ${field}, analysed text`)
    expect(answer.details[0]?.message).toContain(use)
  })

  it('has a sub-field with the same values named instead, and that works', async () => {
    const raw = { type: 'text', fields: { raw: { type: 'keyword' } } }
    const mappings = { properties: { title: raw } }
    await service.call('POST', '/cortex/indices', { name: 'with-raw', mappings })
    for (const title of ['b', 'a'])
      await service.call('POST', '/cortex/documents', {
        ...{ index: 'with-raw', id: title, document: { title } },
      })
    const words = (field: string) => ({ query: '', index: 'with-raw', sort: field })
    const refused = await service.call('POST', '/cortex/search', words('title'))
    expect(refused.details).toEqual([
      {
        path: 'sort',
        message:
          "can't use title, analysed text of with-raw: use title.raw, which has the same values",
      },
    ])
    const sorted = await service.call<Found>('POST', '/cortex/search', words('title.raw'))
    expect(sorted.data.hits.map(({ id }) => id)).toEqual(['a', 'b'])
    await service.call('DELETE', '/cortex/indices/with-raw')
  })

  it('reads numbers as words and words as numbers in sub-fields of another type', async () => {
    const as = (type: string, other: string) => ({ type, fields: { as: { type: other } } })
    await service.must('POST', '/cortex/indices', {
      name: 'layered',
      mappings: { properties: { year: as('integer', 'keyword'), code: as('keyword', 'integer') } },
    })
    for (const [year, code] of [
      [1000, '9'],
      [200, '10'],
    ])
      await service.must('POST', '/cortex/documents', {
        ...{ index: 'layered', id: code, document: { title: 'x', year, code } },
      })
    const words = (more: object) =>
      service.must<Found>('POST', '/cortex/search', { query: '', index: 'layered', ...more })
    const ids = async (more: object) => (await words(more)).hits.map(({ id }) => id)
    expect(await ids({ sort: 'year' })).toEqual(['10', '9'])
    expect(await ids({ sort: 'year.as' })).toEqual(['9', '10'])
    expect(await ids({ sort: 'code' })).toEqual(['10', '9'])
    expect(await ids({ sort: 'code.as' })).toEqual(['9', '10'])
    for (const value of [200, '200'])
      expect(await ids({ filters: { 'year.as': value } })).toEqual(['10'])
    expect(await ids({ filters: { 'code.as': { gte: 10 } } })).toEqual(['10'])
    const { facets } = await words({ facets: ['year.as'], size: 0 })
    expect(facets?.['year.as']?.values).toEqual([
      { value: '1000', count: 1 },
      { value: '200', count: 1 },
    ])
    await service.must('DELETE', '/cortex/indices/layered')
  })
})

describe('sorting', () => {
  it.each([
    ['year', ['1', '3', '5', '2', '4']],
    ['year:desc', ['2', '3', '5', '1', '4']],
    [['year:desc'], ['2', '3', '5', '1', '4']],
    [[{ year: 'desc' }], ['2', '3', '5', '1', '4']],
    [[{ year: { order: 'asc' } }], ['1', '3', '5', '2', '4']],
    [
      ['nowhere', 'year'],
      ['1', '3', '5', '2', '4'],
    ],
    [
      ['tags:desc', 'year'],
      ['4', '1', '3', '2', '5'],
    ],
  ])('sorts by %j, what has no value last', async (sort, expected) => {
    expect(await ids({ sort })).toEqual(expected)
  })

  it('sorts by score, downwards unless told', async () => {
    const down = await ids({ query: 'fox dog', sort: '_score' })
    expect(down).toEqual(await ids({ query: 'fox dog' }))
    expect(await ids({ query: 'fox dog', sort: ['_score:asc'] })).toEqual([...down].reverse())
  })

  it.each([[{ year: 'up' }], [7], [[{ year: 3 }]], ['content']])('refuses %j', async (sort) => {
    const body = { index: 'main', sort }
    expect((await service.call('POST', '/cortex/search', body)).status).toBe(400)
  })
})

describe('what is returned', () => {
  it('shows chosen fields, paths into objects too', async () => {
    const { hits } = await find({ query: 'dimensions', fields: ['title', 'extra.deep', 'nothing'] })
    expect(hits[0]?.source).toEqual({ title: 'Vector search', extra: { deep: 1 } })
    expect((await find({ query: 'dimensions', fields: [] })).hits[0]?.source).toEqual({})
  })

  it('marks words, escaped for HTML', async () => {
    const { hits } = await find({ query: 'vectors fox', highlight: true })
    const third = hits.find(({ id }) => id === '3')
    expect(third?.highlight?.content).toEqual([
      'inverted lists &lt;b&gt;&amp; &quot;<em>vectors</em>&quot;&lt;/b&gt; of documents',
    ])
    const first = hits.find(({ id }) => id === '1')
    expect(first?.highlight).toEqual({ title: ['Quick brown <em>fox</em>'] })
  })

  it('marks with other words, in chosen fields, in pieces', async () => {
    const highlight = { fields: ['content'], pre: '[', post: ']', fragments: 1, fragmentSize: 20 }
    const { hits } = await find({ query: 'fox', highlight })
    const fourth = hits.find(({ id }) => id === '4')
    expect(fourth?.highlight?.content).toHaveLength(1)
    expect(fourth?.highlight?.content?.[0]).toContain('[fox]')
    expect(hits.find(({ id }) => id === '1')?.highlight).toEqual({})
  })

  it('has its context', async () => {
    const { searchContext, took } = await find({ query: 'Fox ', sessionId: 's' })
    expect(took).toBeGreaterThanOrEqual(0)
    expect(searchContext).toMatchObject({
      queryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      searchType: 'text',
      sessionId: 's',
      model: null,
      adaptations: [],
      experiments: [],
      generation: expect.any(Number),
    })
    const again = await find({ query: '  FOX' })
    expect(again.searchContext.queryHash).toBe(searchContext.queryHash)
    expect(again.searchContext.queryId).not.toBe(searchContext.queryId)
    const filtered = await find({ query: 'fox', filters: { year: 2001 } })
    expect(filtered.searchContext.queryHash).not.toBe(searchContext.queryHash)
  })
})

describe('several indices', () => {
  it('searches all, a list, or one', async () => {
    const everywhere = await find({ query: 'fox', index: ['main', 'side'] })
    expect(everywhere.total).toBe(3)
    expect(new Set(everywhere.hits.map(({ index, id }) => `${index}/${id}`))).toEqual(
      new Set(['main/1', 'main/4', 'side/1']),
    )
    const all = await service.must<Found>('POST', '/cortex/search', {
      query: 'fox',
      searchType: 'text',
    })
    expect(all.total).toBe(3)
    expect((await find({ query: 'fox', index: ['side', 'side'] })).total).toBe(1)
  })

  it('sorts, counts and pages over them as one', async () => {
    const body = {
      index: ['main', 'side'],
      sort: ['year'],
      size: 2,
      facets: { year: { stats: true } },
    }
    const years: unknown[] = []
    let cursor: string | undefined
    do {
      const page: Found = await find({ ...body, cursor })
      expect(page.total).toBe(6)
      expect(page.facets?.year?.stats).toMatchObject({ min: 1999, max: 2003, count: 5 })
      years.push(...page.hits.map(({ source }) => source.year))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(years).toEqual([1999, 2001, 2002, 2002, 2003, undefined])
  })

  it('are one list in whatever order they are named, on its later pages, too', async () => {
    const names = ['twin-b', 'twin-a']
    for (const index of names) {
      const documents = ['1', '2', '3'].map((id) => ({ id, document: { title: 'Twin badgers' } }))
      await service.must('POST', '/cortex/documents/bulk', { index, documents })
    }
    const body = { query: 'badgers', size: 2 }
    const shown = ({ hits }: Found) => hits.map(({ index, id }) => `${index}/${id}`)
    for (const more of [{ searchType: 'vector' }, { searchType: 'hybrid' }, { sort: 'year' }, {}]) {
      const first = await find({ ...body, ...more, index: names })
      const next = { ...body, ...more, size: 10, cursor: first.nextCursor }
      const rest = await find({ ...next, index: names.toReversed() })
      const all = [...shown(first), ...shown(rest)]
      expect(new Set(all).size, JSON.stringify(more)).toBe(6)
      expect(shown(await find({ ...body, ...more, size: 10, index: 'twin-a,twin-b' }))).toEqual(all)
    }
  })

  it('answers 404 when one is unknown', async () => {
    const body = { query: 'fox', index: ['main', 'unknown'] }
    const answer = await service.call('POST', '/cortex/search', body)
    const details = [{ path: 'index[1]' }]
    expect(answer).toMatchObject({ status: 404, code: 'INDEX_NOT_FOUND', details })
  })
})

describe('requests that are wrong', () => {
  it.each([
    [{ query: 'x'.repeat(4097) }, 'query'],
    [{ query: 7 }, 'query'],
    [{ searchType: 'fuzzy' }, 'searchType'],
    [{ from: -1 }, 'from'],
    [{ size: 1001 }, 'size'],
    [{ size: 1.5 }, 'size'],
    [{ from: 9999, size: 10 }, 'from'],
    [{ operator: 'xor' }, 'operator'],
    [{ searchFields: [] }, 'searchFields'],
    [{ searchFields: {} }, 'searchFields'],
    [{ fuzziness: 3 }, 'fuzziness'],
    [{ fuzziness: 'lots' }, 'fuzziness'],
    [{ fusion: 'magic' }, 'fusion'],
    [{ filters: [] }, 'filters'],
    [{ filters: { year: { above: 3 } } }, 'filters.year.above'],
    [{ filters: { year: {} } }, 'filters.year'],
    [{ filters: { and: 'x' } }, 'filters.and'],
    [{ filters: { or: {} } }, 'filters.or'],
    [{ filters: { not: [] } }, 'filters.not'],
    [{ boost: { title: -1 } }, 'boost'],
    [{ boost: { title: 'x' } }, 'boost'],
    [{ index: [] }, 'index'],
    [{ index: 7 }, 'index'],
    [{ highlight: 'yes' }, 'highlight'],
    [{ facets: 'tags' }, 'facets'],
    [{ minScore: 'x' }, 'minScore'],
  ])('refuses %j and names the field', async (body, path) => {
    const answer = await service.call('POST', '/cortex/search', body)
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    expect(answer.details[0]?.path).toContain(path)
  })

  it('takes either of two conditions, in a list or in an object', async () => {
    const idsOf = async (filters: object) =>
      (await find({ filters, sort: ['year', 'title.raw'] })).hits.map(({ id }) => id)
    const either = { year: 2001, tags: 'computer' }
    expect(await idsOf({ or: either })).toEqual(['1', '3'])
    expect(await idsOf({ or: [{ year: 2001 }, { tags: 'computer' }] })).toEqual(['1', '3'])
    expect(await idsOf({ and: either })).toEqual([])
    expect(await idsOf({ and: [], year: 2001 })).toEqual(['1'])
  })

  it('takes the largest page, and a query of 4096 characters', async () => {
    expect((await find({ size: 1000, from: 9000 })).hits).toEqual([])
    expect((await find({ size: 0 })).total).toBe(5)
    await find({ query: 'fox '.repeat(1024) })
    await find({ query: 'fox '.repeat(1024), fuzziness: 2, prefix: true, searchType: 'hybrid' })
  })

  it.each(['garbage', '', Buffer.from('[1,2,3]').toString('base64url'), 'AAAA'])(
    'refuses the cursor %j',
    async (cursor) => {
      const answer = await service.call('POST', '/cortex/search', { query: 'fox', cursor })
      expect(answer).toMatchObject({ status: 400, code: 'INVALID_CURSOR' })
      const message = 'is not one that this service gave'
      expect(answer.details).toEqual([{ path: 'cursor', message }])
      expect(answer.error).toBe(`cursor ${message}.`)
    },
  )

  it('refuses the cursor of another query', async () => {
    const { nextCursor } = await find({ query: 'fox dog', size: 1 })
    const body = { index: 'main', searchType: 'text', cursor: nextCursor, size: 1 }
    const other = await service.call('POST', '/cortex/search', { ...body, query: 'cat' })
    expect(other.code).toBe('INVALID_CURSOR')
    const same = await find({ query: 'fox dog', size: 2, cursor: nextCursor, highlight: true })
    expect(same.hits).toHaveLength(2)
  })
})

describe('a generation', () => {
  it.each([
    [1.5, 'must be a whole number'],
    [1e20, 'must be at most 9007199254740991'],
  ])('%s %s', async (generation, message) => {
    const { status, details } = await service.call('POST', '/cortex/search', { generation })
    expect(status).toBe(400)
    expect(details).toEqual([{ path: 'generation', message }])
  })
})

describe('the GET form', () => {
  const get = (query: string) => service.call<Found>('GET', `/cortex/search?${query}`)

  it('answers as the POST form does', async () => {
    const { data } = await get('q=fox%20dog&index=main&searchType=text&size=2&facets=tags,year')
    const posted = await find({ query: 'fox dog', size: 2, facets: ['tags', 'year'] })
    for (const part of ['hits', 'total', 'facets'] as const)
      expect(data[part]).toEqual(posted[part])
    expect((await get('')).data.total).toBeGreaterThanOrEqual(6)
    const filters = encodeURIComponent(JSON.stringify({ year: { gte: 2002 } }))
    const filtered = await get(
      `index=main&filters=${filters}&sort=year:desc,title.raw&fields=title`,
    )
    expect(filtered.data.hits.map(({ id }) => id)).toEqual(['2', '3', '5'])
    expect(filtered.data.hits[0]?.source).toEqual({ title: 'Lazy afternoon' })
  })

  it('reads numbers, switches and weights, and leaves what it does not know', async () => {
    const words =
      'minScore=0.1&neighbors=5&similarity=0.1&slop=1&feedback=false&fusion=rrf&searchFields=title,content'
    const boost = encodeURIComponent('{"title":3}')
    const { status, data, error } = await get(
      `q=fox&index=main&${words}&boost=${boost}&after=x&features=1&cut=9&nonsense=%7B`,
    )
    expect(error ?? status).toBe(200)
    const posted = await find({
      ...{ query: 'fox', searchType: 'hybrid', minScore: 0.1, neighbors: 5, similarity: 0.1 },
      ...{ slop: 1, feedback: false, fusion: 'rrf', searchFields: ['title', 'content'] },
      boost: { title: 3 },
    })
    expect(data.hits).toEqual(posted.hits)
    expect((await get('q=fox&index=main&minScore=1e9')).data.total).toBe(0)
  })

  it('takes JSON where a body has objects and lists', async () => {
    const said = {
      facets: { tags: { size: 1 } },
      sort: [{ year: 'desc' }, 'tags'],
      searchFields: { title: 2 },
      fields: ['title'],
      highlight: { fields: ['title'], pre: '[', post: ']' },
    }
    const words = Object.entries(said).map(
      ([name, value]) => `${name}=${encodeURIComponent(JSON.stringify(value))}`,
    )
    const { data } = await get(`q=fox%20search&index=main&searchType=text&${words.join('&')}`)
    const posted = await find({ query: 'fox search', ...said })
    expect(data.hits).toEqual(posted.hits)
    expect(data.hits[0]?.highlight).toBeDefined()
    expect(data.facets?.tags?.values).toHaveLength(1)
    expect(data.searchContext.warnings).toBeUndefined()
    expect((await get('q=fox&index=main&highlight=false')).data.hits[0]?.highlight).toBeUndefined()
    expect((await get('q=fox&index=main&highlight=False')).data.hits[0]?.highlight).toBeUndefined()
    expect((await get('q=fox&index=main&highlight=True')).data.hits[0]?.highlight).toBeDefined()
  })

  it('takes names that are repeated, in one parameter, or both', async () => {
    await service.must('POST', '/cortex/documents', {
      ...{
        index: 'aside',
        id: 'aside',
        document: { title: 'A fox aside', tags: ['x'], year: 1999 },
      },
    })
    const posted = await service.call<Found>('POST', '/cortex/search', {
      ...{ query: 'fox', index: ['main', 'aside'], facets: ['tags', 'year'], size: 100 },
      ...{ fields: ['title', 'year'], sort: ['year', '_score'] },
    })
    expect(posted.data.hits.map(({ index }) => index)).toContain('aside')
    for (const words of [
      'index=main&index=aside&facets=tags&facets=year&fields=title&fields=year&sort=year&sort=_score',
      'index=main,aside&facets=tags,year&fields=title,year&sort=year,_score',
    ]) {
      const { data } = await get(`q=fox&size=100&${words}`)
      for (const part of ['hits', 'total', 'facets'] as const)
        expect(data[part]).toEqual(posted.data[part])
    }
    const three = await get('q=fox&index=main,aside&index=nowhere')
    expect(three).toMatchObject({ status: 404, code: 'INDEX_NOT_FOUND' })
    expect((await get('q=fox&facets=%5B%22year%22%5D&facets=tags')).details[0]?.path).toBe('facets')
    await service.must('DELETE', '/cortex/indices/aside')
  })

  it('tells each parameter that is wrong', async () => {
    const { status, error, details } = await get('size=-1&from=x&explain=perhaps&q=fox')
    expect([status, error]).toEqual([400, 'from must be a whole number in plain digits.'])
    expect(details.map(({ path }) => path)).toEqual(['from', 'size', 'explain'])
    const texts = encodeURIComponent('{"a": -1}')
    const read = await get(`boost=${texts}&searchFields=${texts}&fields=${'a,'.repeat(200)}`)
    expect(read.details.map(({ path }) => path)).toEqual(['boost.a', 'fields', 'searchFields.a'])
  })

  it('tells what it ignores', async () => {
    const { data } = await get('q=fox&index=main&limit=1&filter=x')
    expect(data.searchContext.warnings).toEqual([
      '"limit" is not a field of a search and was ignored; "size" is.',
      '"filter" is not a field of a search and was ignored; "filters" is.',
    ])
  })

  it('tells how lists and objects are written that stand in brackets', async () => {
    const { data } = await get('q=fox&index=main&filters[year][gte]=2020&fields[]=title&boost[0]=1')
    expect(data.searchContext.warnings).toEqual([
      '"filters[year][gte]" is not a field of a search and was ignored; "filters" is, with an object as JSON.',
      '"fields[]" is not a field of a search and was ignored; "fields" is.',
      '"boost[0]" is not a field of a search and was ignored; "boost" is.',
    ])
  })

  it('tells of names that no index has, and then of keys that are not read', async () => {
    const facets = encodeURIComponent('{"tags":{"limit":1}}')
    const { data } = await get(`q=fox&index=main&searchFields=titel&facets=${facets}`)
    expect(data.searchContext.warnings).toEqual([
      '"titel" of searchFields is no field whose words are searched, and no other is named, so that nothing was looked for by words; "title" is one.',
      '"limit" is not read in facets.tags and was ignored; "size" is.',
    ])
  })

  it('tells of fields to return that look like a slip, or that no document can have', async () => {
    const warningsOf = async (query: string) =>
      (await get(`q=fox&${query}`)).data.searchContext.warnings
    expect(await warningsOf('index=main&fields=titel,year,*,tags')).toEqual([
      '"titel" of fields: no document of "main" has a value in it; "title" is a field.',
    ])
    const mappings = {
      dynamic: 'strict',
      properties: { car: { properties: { name: {} } }, any: { type: 'object' } },
    }
    await service.must('POST', '/cortex/indices', { name: 'narrow', mappings })
    const names = 'fields=car,car.name,any.x,title&fields=year,car.wheels'
    expect(await warningsOf(`index=narrow&${names}`)).toEqual([
      '"year" of fields is mapped in none of the indices.',
      '"car.wheels" of fields is mapped in none of the indices.',
    ])
    expect(await warningsOf(`index=narrow,main&${names}`)).toEqual([
      '"car.wheels" of fields: no document of "main", "narrow" has a value in it.',
    ])
    await service.must('DELETE', '/cortex/indices/narrow')
  })

  it('searches by a vector, as numbers or as base64', async () => {
    await service.must('POST', '/cortex/indices', {
      name: 'points',
      settings: { embedder: { kind: 'given', dimensions: 2 } },
    })
    for (const [id, vector] of [
      ['east', [1, 0.09]],
      ['north', [0, 1]],
    ])
      await service.must('POST', '/cortex/documents', {
        ...{ index: 'points', id, vector },
        document: { title: 'a point' },
      })
    const nearest = async (vector: string) =>
      (await get(`index=points&searchType=vector&vector=${vector}`)).data.hits.map(({ id }) => id)
    const bytes = Buffer.from(Float32Array.of(1, 0.09).buffer).toString('base64')
    expect(bytes).toContain('+')
    for (const east of ['1,%200.09', '[1,9e-2]', encodeURIComponent(bytes), bytes])
      expect(await nearest(east), east).toEqual(['east', 'north'])
    expect(await nearest('-.1,1')).toEqual(['north', 'east'])
  })

  it.each([
    ['vector=1,x', 'vector'],
    ['vector=1,', 'vector'],
    ['vector=0.5', 'vector'],
    ['vector=[1,', 'vector'],
    ['vector=abcdef', 'vector'],
    ['facets={"tags":1}', 'facets.tags'],
    ['facets={"tags"', 'facets'],
    ['sort=[{"year":"up"}]', 'sort[0].year'],
    [`sort=${'['.repeat(40)}`, undefined],
    ['highlight=maybe', 'highlight'],
    ['highlight={"fragments":0}', 'highlight.fragments'],
    ['generation=1.5', 'generation'],
    ['generation=1e20', 'generation'],
    ['minScore=x', 'minScore'],
    ['minScore=1e999', 'minScore'],
    ['neighbors=0', 'neighbors'],
    ['boost=2', 'boost'],
    ['boost={"title":"2"}', 'boost.title'],
    ['filters={"year":{"gt":1e999}}', 'filters.year.gt'],
  ])('refuses %s and names %s', async (query, path) => {
    const { status, error, details } = await get(query.replace(/[{}"]/g, encodeURIComponent))
    expect(status).toBe(400)
    expect(details[0]?.path).toBe(path)
    expect(error).not.toContain('line 1')
  })

  it.each(['filters=x', 'filters=[1]', 'size=many', 'from=-1', 'searchType=x'])(
    'refuses %s',
    async (query) => {
      expect((await get(query)).status).toBe(400)
    },
  )
})

describe('suggestions', () => {
  const suggest = (body: object) =>
    service.must<{
      completions: { text: string; documents: number }[]
      corrections: { text: string }[]
    }>('POST', '/cortex/suggest', { index: 'main', ...body })

  it('completes the beginning of a word from the indexed words', async () => {
    const { completions } = await suggest({ prefix: 'do' })
    expect(completions).toEqual([
      { text: 'dog', documents: 3 },
      { text: 'documents', documents: 1 },
    ])
    expect((await suggest({ prefix: 'D', limit: 1 })).completions).toHaveLength(1)
    expect((await suggest({ prefix: 'zzz' })).completions).toEqual([])
  })

  it.each(['dog ', 'dog-', 'dog/', 'dog.'])('completes no word behind %j', async (prefix) => {
    expect((await suggest({ prefix })).completions).toEqual([])
  })

  it('a query, which other engines complete, says that it is only corrected where nothing of it is', async () => {
    expect(await suggest({ query: 'do' })).toMatchObject({
      ...{ completions: [], corrections: [] },
      warnings: ['No word of "query" has a correction, and "query" is not completed; "prefix" is.'],
    })
    for (const body of [
      { query: 'serch' },
      { query: ' ' },
      { prefix: 'zzz' },
      { prefix: 'do', query: 'do' },
    ])
      expect(await suggest(body), JSON.stringify(body)).not.toHaveProperty('warnings')
  })

  it('corrects spelling', async () => {
    const { corrections } = await suggest({ query: 'serch' })
    expect(corrections[0]).toMatchObject({ text: 'search', distance: 1 })
  })

  it('counts no document that is gone', async () => {
    const document = { title: 'ephemeral' }
    await service.must('POST', '/cortex/documents', { index: 'main', id: 'e', document })
    expect((await suggest({ prefix: 'ephem' })).completions).toHaveLength(1)
    await service.must('DELETE', '/cortex/documents/e?index=main')
    expect((await suggest({ prefix: 'ephem' })).completions).toEqual([])
  })

  it('has nothing for an empty text, and refuses a request with nothing to complete or correct', async () => {
    const nothing = { completions: [], corrections: [] }
    for (const body of [{ prefix: '' }, { query: '' }, { prefix: '', query: '' }])
      expect(await suggest(body)).toEqual(nothing)
    for (const body of [{}, { q: 'serch' }, { index: 'main' }]) {
      const answer = await service.call('POST', '/cortex/suggest', body)
      expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
      expect(answer.details).toEqual([{ path: 'prefix', message: 'or query is required' }])
    }
  })

  it('tells of what its address says, and of fields that are none', async () => {
    const warned = async (path: string, body: object) =>
      (await service.must<{ warnings?: string[] }>('POST', `/cortex/suggest${path}`, body)).warnings
    expect(await warned('?index=main&limit=1', { prefix: 'do', indx: 'main', size: 3 })).toEqual([
      '"index" in the address of a POST is not read and was ignored; "index" in the body is.',
      '"limit" in the address of a POST is not read and was ignored; "limit" in the body is.',
      '"indx" is not a field of a suggestion and was ignored; "index" is.',
      '"size" is not a field of a suggestion and was ignored; "limit" is.',
    ])
    expect(await warned('', { prefix: 'do', query: 'serch', limit: 1 })).toBeUndefined()
  })

  it('answers 404 for an unknown index', async () => {
    const answer = await service.call('POST', '/cortex/suggest', { index: 'nope', prefix: 'a' })
    expect(answer.status).toBe(404)
  })
})

describe('facets', () => {
  it('counts values, ranges and statistics', async () => {
    const { facets } = await find({
      facets: {
        tags: { size: 1 },
        year: { ranges: [{ key: 'old', to: 2002 }, { from: 2002 }], stats: true },
        nowhere: {},
      },
    })
    expect(facets?.tags).toEqual({ values: [{ value: 'animal', count: 3 }] })
    expect(facets?.year?.ranges).toMatchObject([
      { key: 'old', to: 2002, count: 1 },
      { from: 2002, count: 3 },
    ])
    expect(facets?.year?.stats).toEqual({ min: 2001, max: 2003, avg: 2002, sum: 8008, count: 4 })
    expect(facets?.nowhere).toEqual({ values: [] })
  })

  it('shows a date of one index and the same text of another as one value, which a filter finds', async () => {
    const day = '2020-01-01T00:00:00.000Z'
    const index = ['dated', 'worded', 'open']
    for (const [name, type] of [
      ['dated', 'date'],
      ['worded', 'keyword'],
    ])
      await service.must('POST', '/cortex/indices', {
        name,
        mappings: { properties: { day: { type } } },
      })
    for (const [name, value] of [
      ['dated', '2020-01-01'],
      ['dated', '2021-01-01'],
      ['worded', day],
      ['worded', '2020-01-01'],
      ['open', day],
    ])
      await service.must('POST', '/cortex/documents', {
        index: name,
        document: { title: 'x', day: value },
      })
    const { facets } = await find({ index, facets: ['day'] })
    expect(facets?.day?.values).toEqual([
      { value: day, count: 3 },
      { value: '2021-01-01T00:00:00.000Z', count: 1 },
      { value: '2020-01-01', count: 1 },
    ])
    expect((await find({ index, filters: { day } })).total).toBe(3)
    for (const name of index) await service.must('DELETE', `/cortex/indices/${name}`)
  })

  it('takes a number without a mapping for a number, also beside an index where it is a date', async () => {
    const [day, index, dayMs] = ['2020-01-01T00:00:00.000Z', ['dated', 'open'], 1_577_836_800_000]
    const mappings = { properties: { day: { type: 'date' } } }
    await service.must('POST', '/cortex/indices', { name: 'dated', mappings })
    const documents = [
      ['dated', dayMs],
      ['open', dayMs],
      ['open', day],
    ].map(([name, value]) => ({ index: name, document: { title: 'x', day: value } }))
    await service.must('POST', '/cortex/documents/bulk', { documents })
    const { facets } = await find({ index, facets: ['day'] })
    expect(facets?.day?.values).toEqual([
      { value: day, count: 2 },
      { value: dayMs, count: 1 },
    ])
    expect((await find({ index, filters: { day } })).total).toBe(2)
    // Each index reads the milliseconds as its own.
    expect((await find({ index, filters: { day: dayMs } })).total).toBe(2)
    for (const name of index) await service.must('DELETE', `/cortex/indices/${name}`)
  })
})
