import { afterAll, beforeAll, expect, it } from 'vitest'
import { readVector } from '../../src/search/vector.ts'
import { type RunningApp, startApp } from '../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
  for (const [name, dimensions] of [
    ['pairs', 2],
    ['triples', 3],
  ] as const)
    await service.must('POST', '/cortex/indices', {
      name,
      settings: { embedder: { kind: 'given', dimensions } },
    })
})
afterAll(() => service.close())

interface Written {
  vectorized: boolean
  version: number
  result: string
}

it('refuses a vector that is too short to have a direction: the core would leave it out', () => {
  expect(() => readVector([1e-40, 1e-40], 'vector')).toThrow(
    'vector must have a length of at least 1e-30.',
  )
  expect(() => readVector([0, 0], 'vector')).toThrow('finite numbers that are not all zero')
  expect([...readVector([1e-29, 0], 'vector')]).toHaveLength(2)
})

it('refuses base64 that is no whole number of float32', () => {
  for (const bytes of [0, 3, 5])
    expect(() => readVector(Buffer.alloc(bytes, 1).toString('base64'), 'vector')).toThrow(
      'vector must be base64 of little-endian float32 numbers.',
    )
})

it('takes the vector of a document away when the same fields are stored whole again without one', async () => {
  const fields = { title: 'whole', tags: ['a'] }
  const store = (body: object = {}) =>
    service.must<Written>('POST', '/cortex/documents', {
      ...{ index: 'pairs', id: 'whole', document: fields },
      ...body,
    })
  await store({ vector: [1, 0] })
  expect(await store()).toMatchObject({ vectorized: false, version: 2, result: 'updated' })
  const nearest = {
    index: 'pairs',
    searchType: 'vector',
    vector: [1, 0],
    filters: { _id: 'whole' },
  }
  expect(await service.must('POST', '/cortex/search', nearest)).toMatchObject({ total: 0 })
  expect(await store()).toMatchObject({ vectorized: false, version: 2, result: 'unchanged' })
  const read = await service.must('GET', '/cortex/documents/whole?index=pairs')
  expect(read).toMatchObject({ version: 2, vectorized: false })
})

it('keeps the vector of a field, and one beside the fields that are sent, when nothing else is different', async () => {
  await service.must('POST', '/cortex/indices', {
    name: 'fielded',
    mappings: { properties: { emb: { type: 'dense_vector', dims: 2 } } },
  })
  const body = { index: 'fielded', id: 'f', document: { title: 'field', emb: [1, 0] } }
  await service.must('POST', '/cortex/documents', body)
  expect(await service.must<Written>('POST', '/cortex/documents', body)).toMatchObject({
    ...{ vectorized: true, version: 1, result: 'unchanged' },
  })
  const beside = { index: 'pairs', id: 'beside', document: { title: 'beside' }, vector: [0, 1] }
  await service.must('POST', '/cortex/documents', beside)
  const put = '/cortex/documents/beside?index=pairs'
  expect(await service.must<Written>('PUT', put, { title: 'beside' })).toMatchObject({
    ...{ vectorized: true, version: 1, result: 'unchanged' },
  })
  await service.must('DELETE', put)
})

it('null takes the vector of a document away, once', async () => {
  const document = { title: 'one', tags: ['a'] }
  await service.must('POST', '/cortex/documents', {
    index: 'pairs',
    id: '1',
    document,
    vector: [1, 0],
  })
  const change = (method: string, body: object) =>
    service.must<Written>(method, '/cortex/documents/1?index=pairs', body)
  expect(await change('PATCH', { tags: null })).toMatchObject({ vectorized: true, version: 2 })
  expect(await change('PUT', { vector: null })).toMatchObject({
    ...{ vectorized: false, version: 3, result: 'updated' },
  })
  expect(await change('PUT', { vector: null })).toMatchObject({ version: 3, result: 'unchanged' })
  const nearest = { index: 'pairs', searchType: 'vector', vector: [1, 0] }
  expect(await service.must('POST', '/cortex/search', nearest)).toMatchObject({ total: 0 })
  expect(await change('PATCH', { vector: [0, 1] })).toMatchObject({ vectorized: true, version: 4 })
  expect(await change('PATCH', { vector: [0, 1] })).toMatchObject({
    ...{ vectorized: true, version: 4, result: 'unchanged' },
  })
})

it('names the index whose vectors have another length than that of the search', async () => {
  const search = (index: string[], vector: number[]) =>
    service.call('POST', '/cortex/search', { index, searchType: 'vector', vector })
  const mixed = await search(['pairs', 'triples'], [1, 0])
  expect([mixed.code, mixed.error]).toEqual([
    'VECTOR_DIMENSIONS',
    'vector has 2 numbers; the vectors of "triples" have 3.',
  ])
  const alone = await search(['triples'], [1, 0])
  expect(alone.error).toBe('vector has 2 numbers; the vectors of "triples" have 3.')
})

it('takes a vector of the search for indices whose vectors come from outside; others make theirs of the words', async () => {
  const near = { index: 'pairs', id: 'east', document: { title: 'sea' }, vector: [1, 0] }
  await service.must('POST', '/cortex/documents', near)
  for (const id of ['sea', 'sun'])
    await service.must('POST', '/cortex/documents', { index: 'own', id, document: { title: id } })
  const find = async (body: object) => {
    const request = { index: ['own', 'pairs'], vector: [1, 0.1], explain: true, ...body }
    const { hits, searchContext } = await service.must<{
      hits: { id: string; explain: { vector?: unknown } }[]
      searchContext: { warnings?: string[] }
    }>('POST', '/cortex/search', request)
    const ids = hits.map(({ id }) => id)
    const isNear = ({ explain }: (typeof hits)[number]) => (explain.vector ?? null) !== null
    const byVector = hits.filter(isNear).map(({ id }) => id)
    return { ids, byVector, warnings: searchContext.warnings }
  }
  const both = await find({ query: 'sea', searchType: 'vector' })
  expect(both.byVector).toEqual(expect.arrayContaining(['east', 'sea']))
  expect(both.warnings).toBeUndefined()
  expect((await find({ query: 'sea' })).byVector).toContain('east')
  // Where there are no words, nothing of the others is near.
  const alone = await find({ searchType: 'vector' })
  expect(alone.ids).not.toContain('sun')
  expect(alone.ids).toContain('east')
  expect(alone.warnings).toEqual([
    '"own" makes vectors of words, and there are none in "query": nothing of it is found.',
  ])
})

it('refuses numbers that float32 can not hold, also in a field of the document', async () => {
  const properties = { point: { type: 'dense_vector', dims: 2 } }
  await service.must('POST', '/cortex/indices', { name: 'points', mappings: { properties } })
  for (const point of [
    [1e39, 1],
    [1e-40, 1e-40],
    [0, 0],
  ])
    expect(
      await service.call('POST', '/cortex/documents', {
        ...{ index: 'points', document: { title: 'one', point } },
      }),
    ).toMatchObject({ status: 400, details: [{ path: 'document.point' }] })
})

it('names the index that is not made by itself where the request named none', async () => {
  await service.restart({ AUTO_CREATE_INDEX: 'false' })
  const put = await service.call('PUT', '/cortex/documents/new', { title: 'one' })
  expect([put.code, put.error]).toEqual([
    'INDEX_NOT_FOUND',
    'index is not the name of an index: there is no "documents", and AUTO_CREATE_INDEX is off: create it first.',
  ])
  const named = await service.call('PUT', '/cortex/documents/new?index=sent', { title: 'one' })
  expect(named.error).toBe(
    'index is not the name of an index, and AUTO_CREATE_INDEX is off: create it first.',
  )
  await service.restart()
})

it('a vector beside a document is that of the field which holds the vectors', async () => {
  const properties = { place: { type: 'dense_vector', dims: 2 } }
  await service.must('POST', '/cortex/indices', { name: 'placed', mappings: { properties } })
  const send = (document: object, vector: unknown) =>
    service.call('POST', '/cortex/documents', { index: 'placed', id: 'a', document, vector })
  const nearest = async (vector: number[]) => {
    const search = { index: 'placed', query: '', searchType: 'vector', vector, similarity: 0.9 }
    const { hits } = await service.must<{ hits: { source: object }[] }>(
      'POST',
      '/cortex/search',
      search,
    )
    return hits.map(({ source }) => source)
  }

  const base64 = Buffer.from(Float32Array.of(0, 1).buffer).toString('base64')
  expect(await send({ title: 'one' }, base64)).toMatchObject({ status: 200 })
  await service.must('PATCH', '/cortex/documents/a?index=placed', { title: 'two' })
  expect(await nearest([0, 1])).toEqual([{ title: 'two', place: [0, 1] }])

  expect(await send({ title: 'three', place: [0.1, 0.2] }, [0.1, 0.2])).toMatchObject({
    status: 200,
  })
  expect(await send({ title: 'four', place: [1, 0] }, [0, 1])).toMatchObject({
    status: 400,
    error: 'vector is another one than that of place; send one of both.',
  })
  const both = { place: [1, 0], vector: [0, 1] }
  expect(await service.call('PATCH', '/cortex/documents/a?index=placed', both)).toMatchObject({
    status: 400,
  })
  expect(await nearest([1, 2])).toEqual([{ title: 'three', place: [0.1, 0.2] }])
})
