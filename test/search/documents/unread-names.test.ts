import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
  const embedder = { kind: 'given', dimensions: 2 }
  await service.must('POST', '/cortex/indices', { name: 'given', settings: { embedder } })
})
afterAll(() => service.close())

interface Item {
  id: string
  index: string
  vectorized: boolean
  warnings?: string[]
}

async function bulk(path: string, ...items: object[]): Promise<Item[]> {
  const body = items.map((item) => JSON.stringify(item)).join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = await service.call<{ items: Item[] }>('POST', path, body, headers)
  return answer.data.items
}

const KEPT_INDEX =
  'index is kept as a field: to choose the index of the document, send it beside "document", or as ?index= in the address.'
const KEPT_ID = '_id is kept as a field: to choose what the document is called, send id.'
const INNER_VECTOR =
  'document.vector is kept as a field: to give the document its vector, send vector beside document.'

it('takes the vector of a plain document in a bulk, as of one that is the whole body of a PUT', async () => {
  const [plain, wrapped, inner] = await bulk(
    '/cortex/documents/bulk?index=given',
    { id: '1', title: 'one', vector: [1, 0] },
    { id: '2', document: { title: 'two' }, vector: [1, 0] },
    { id: '3', document: { title: 'three', vector: [1, 0] } },
  )
  expect([plain?.vectorized, plain?.warnings]).toEqual([true, undefined])
  expect([wrapped?.vectorized, wrapped?.warnings]).toEqual([true, undefined])
  expect([inner?.vectorized, inner?.warnings]).toEqual([false, [INNER_VECTOR]])
  const read = await service.must('GET', '/cortex/documents/1?index=given')
  expect(read.source).toEqual({ title: 'one' })
})

it('tells of a vector that an update of a bulk does not take away, and how it is taken away', async () => {
  const path = '/cortex/documents/bulk?index=given'
  const op = 'update'
  await bulk(path, { id: 'n', title: 'one', vector: [1, 0] })
  const [inner] = await bulk(path, { op, id: 'n', document: { vector: null } })
  expect([inner?.vectorized, inner?.warnings]).toEqual([
    true,
    [expect.stringContaining('PATCH it with {"vector": null}')],
  ])
  const patched = await service.must('PATCH', '/cortex/documents/n?index=given', { vector: null })
  expect(patched.vectorized).toBe(false)
  const [replaced] = await bulk(path, { id: 'n', document: { title: 'one', vector: null } })
  expect(replaced?.warnings).toBeUndefined()
})

it('keeps a field called vector where an index makes its own vectors', async () => {
  const [plain] = await bulk('/cortex/documents/bulk?index=own', {
    id: '1',
    title: 'a fox',
    vector: [1],
  })
  expect(plain?.warnings).toBeUndefined()
  const read = await service.must('GET', '/cortex/documents/1?index=own')
  expect(read.source).toEqual({ title: 'a fox', vector: [1] })
})

it('refuses a plain document whose vector is none, alone', async () => {
  const items = await bulk(
    '/cortex/documents/bulk?index=given',
    { id: '8', title: 'eight', vector: [1, 0, 0] },
    { id: '9', title: 'nine', vector: [0, 1] },
  )
  expect(items).toMatchObject([{ code: 'VECTOR_DIMENSIONS' }, { id: '9', vectorized: true }])
})

it('tells in a bulk which names did not choose the id or the index of a document', async () => {
  const [id, index, beside, inside] = await bulk(
    '/cortex/documents/bulk',
    { _id: '7', title: 'seven' },
    { id: '5', index: 'papers', title: 'five' },
    { _id: '6', document: { title: 'six' }, _index: 'papers' },
    { document: { id: '4', title: 'four' } },
  )
  expect(id?.warnings).toEqual([KEPT_ID])
  expect([index?.index, index?.warnings]).toEqual(['documents', [KEPT_INDEX]])
  expect(beside?.warnings).toEqual([
    '"_id" is not read and was ignored; "id" is.',
    '"_index" is not read and was ignored; "index" is.',
  ])
  expect(inside?.warnings).toEqual([
    'document.id is kept as a field: to choose what the document is called, send id beside document.',
  ])
  // Whoever names the index in the address means the field.
  const [meant] = await bulk('/cortex/documents/bulk?index=x', {
    id: '5',
    index: 'papers',
    title: 'five',
  })
  expect(meant?.warnings).toBeUndefined()
})

it('tells the same of a single document', async () => {
  const create = (body: object) => service.must<Item>('POST', '/cortex/documents', body)
  const document = { title: 'one' }
  const typed = await create({ index: 'given', document, _id: '7', vectr: [1, 0] })
  expect(typed.warnings).toEqual([
    '"_id" is not read and was ignored; "id" is.',
    '"vectr" is not read and was ignored; "vector" is.',
  ])
  const inner = await create({ index: 'given', document: { ...document, vector: [1, 0] } })
  expect([inner.vectorized, inner.warnings]).toEqual([false, [INNER_VECTOR]])
  expect(
    (await create({ index: 'given', id: 'w', document, vector: [1, 0] })).warnings,
  ).toBeUndefined()
})

it('tells of the first few items of a long bulk', async () => {
  const items = Array.from({ length: 2500 }, (_, at) => ({ _id: `${at}`, title: `fox ${at}` }))
  const told = (await bulk('/cortex/documents/bulk?index=long', ...items)).filter(
    ({ warnings }) => warnings !== undefined,
  )
  expect(told).toHaveLength(8)
})
