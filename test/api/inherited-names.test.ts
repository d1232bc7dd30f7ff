import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

/** What every JavaScript object answers to, whether it holds it or not; `toJSON` is called by whoever writes JSON. */
const NAMES = ['constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'toJSON']

interface Page {
  hits: { id: string; source: Record<string, unknown>; highlight?: Record<string, string[]> }[]
  total: number
  facets?: Record<string, { values: { value: string; count: number }[] }>
}

let service: RunningApp
const search = (body: object) => service.must<Page>('POST', '/cortex/search', body)
const idsOf = ({ hits }: Page) => hits.map(({ id }) => id)
const ofAll = <Value>(of: (name: string) => Value) =>
  Object.fromEntries(NAMES.map((name) => [name, of(name)]))

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

it.each([
  ['without a mapping', undefined],
  ['under a mapping', ofAll(() => ({ type: 'keyword' }))],
  ['under a strict mapping', ofAll(() => ({ type: 'keyword' }))],
])('fields by such names are fields like others: %s', async (how, properties) => {
  const index = how.replaceAll(' ', '-')
  const dynamic = how.includes('strict') ? 'strict' : true
  await service.must('POST', '/cortex/indices', { name: index, mappings: { properties, dynamic } })
  const two = ofAll((name) => `${name} two`)
  await service.must('POST', '/cortex/documents', {
    ...{ index, id: 'one' },
    document: { title: 'tea', ...ofAll((name) => `${name} one`) },
  })
  await service.must('POST', '/cortex/documents', {
    ...{ index, id: 'two', document: { title: 'tea', ...two } },
  })
  await service.must('POST', '/cortex/documents', {
    ...{ index, id: 'bare', document: { title: 'tea' } },
  })
  await service.restart()
  const read = await service.must('GET', `/cortex/documents/two?index=${index}`)
  expect(read.source).toEqual({ title: 'tea', ...two })
  for (const name of NAMES) {
    const found = (body: object) => search({ index, query: '', ...body })
    const { facets, ...sorted } = await found({ sort: [`${name}:desc`], facets: [name] })
    expect(idsOf(sorted)).toEqual(['two', 'one', 'bare'])
    expect(facets?.[name]?.values).toHaveLength(2)
    expect(idsOf(await found({ filters: { [name]: `${name} one` } }))).toEqual(['one'])
    expect(idsOf(await found({ filters: { [name]: { exists: false } } }))).toEqual(['bare'])
    expect((await found({ facets: { [name]: { size: 1 } } })).facets?.[name]?.values).toHaveLength(
      1,
    )
    const picked = await found({ fields: [name], sort: [{ [name]: 'asc' }] })
    expect(picked.hits.map(({ source }) => source)).toEqual([
      { [name]: `${name} one` },
      { [name]: `${name} two` },
      {},
    ])
  }
  const path = `/cortex/documents/two?index=${index}`
  await service.must('PUT', path, { constructor: 'new', prototype: null })
  const left = { title: 'tea', ...two, constructor: 'new', prototype: undefined }
  expect((await service.must('GET', path)).source).toEqual(left)
})

it('values inside of objects are found and returned by their paths', async () => {
  const designer = { name: 'Colin', toString: [{ year: 1952, place: 'Hornsey' }] }
  const document = { title: 'tea', constructor: designer, car: { constructor: 'Lotus' } }
  await service.must('POST', '/cortex/documents', { index: 'nested', id: 'a', document })
  const fields = ['constructor.name', 'constructor.toString.year', 'car.constructor', 'car.valueOf']
  const filters = { 'car.constructor': 'Lotus', 'constructor.toString.place': 'Hornsey' }
  const page = await search({ index: 'nested', fields, filters })
  expect(page.hits[0]?.source).toEqual({
    constructor: { name: 'Colin', toString: [{ year: 1952 }] },
    car: { constructor: 'Lotus' },
  })
})

it('their words are found, weighed and highlighted where the mapping says that they hold words', async () => {
  await service.must('POST', '/cortex/indices', {
    name: 'words',
    mappings: {
      properties: { constructor: { type: 'text', fields: { raw: { type: 'keyword' } } } },
    },
  })
  await service.must('POST', '/cortex/documents', {
    ...{ index: 'words', id: 'a', document: { constructor: 'Renault engines' } },
  })
  const page = await search({
    ...{ index: 'words', query: 'engine', searchType: 'text', searchFields: ['constructor'] },
    ...{
      highlight: true,
      boost: { constructor: 2 },
      filters: { 'constructor.raw': 'Renault engines' },
    },
  })
  expect(page.hits[0]?.highlight?.constructor).toEqual(['Renault <em>engines</em>'])
  const given = { kind: 'given', dimensions: 2 }
  await service.must('POST', '/cortex/indices', {
    ...{ name: 'vectors', settings: { embedder: given } },
    mappings: { properties: { constructor: { type: 'dense_vector', dims: 2 } } },
  })
  const document = { title: 'x', constructor: [1, 0] }
  const stored = { index: 'vectors', id: 'a', document }
  expect(await service.must('POST', '/cortex/documents', stored)).toMatchObject({
    vectorized: true,
  })
  const without = { index: 'vectors', id: 'b', document: { title: 'x' } }
  expect(await service.must('POST', '/cortex/documents', without)).toMatchObject({
    vectorized: false,
  })
})

it('what people say under such names is kept, counted, and there after a restart', async () => {
  const metadata = { ...ofAll((name) => name), deviceType: 'constructor' }
  const { sessionId } = await service.must<{ sessionId: string }>('POST', '/cortex/sessions', {
    metadata,
  })
  const page = await service.must<{ searchContext: { queryId: string } }>(
    ...(['POST', '/cortex/search', { query: 'tea', sessionId }] as const),
  )
  const { queryId } = page.searchContext
  const feedback = NAMES.map((userAction) => ({ queryId, rating: 1, metadata: { userAction } }))
  await service.must('POST', '/cortex/feedback', { sessionId, feedback })
  await service.must('POST', '/cortex/metrics', {
    ...{ name: 'constructor', value: 1, labels: ofAll((name) => name) },
  })
  const { testId } = await service.must<{ testId: string }>('POST', '/cortex/ab-test', {
    ...{ name: 'constructor', targetingRules: { toString: ['x'] } },
    variants: [
      { id: 'constructor', config: ofAll((name) => ({ [name]: name })) },
      { id: 'toString', config: { fieldWeights: { constructor: 2 } } },
    ],
    trafficAllocation: { constructor: 0.5, toString: 0.5 },
  })
  await service.must('POST', '/nous/learn/models/sync', {
    ...{ modelId: 'constructor', state: { weights: ofAll(() => 1), featureNames: NAMES } },
  })
  await service.must('GET', '/nous/learn/metrics')
  await service.restart()
  expect(await service.must('GET', `/cortex/sessions/${sessionId}`)).toMatchObject({ metadata })
  const { byAction, byDevice } = await service.must<{
    byAction: { action: string; count: number }[]
    byDevice: { deviceType: string }[]
  }>('GET', '/nous/learn/feedback/patterns')
  expect(new Map(byAction.map(({ action, count }) => [action, count]))).toEqual(
    new Map(NAMES.map((name) => [name.toLowerCase(), 1])),
  )
  expect(byDevice).toMatchObject([{ deviceType: 'constructor', searches: 1, entries: 6 }])
  const test = await service.must<{ variants: { config: object }[] }>(
    ...(['GET', `/cortex/ab-test/${testId}`] as const),
  )
  expect(test.variants[0]?.config).toEqual(ofAll((name) => ({ [name]: name })))
})
