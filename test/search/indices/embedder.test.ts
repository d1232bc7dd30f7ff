import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen } from '../../listen.ts'
import { type RunningApp, startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

const DIMENSIONS = 4
/** Words that the endpoint knows; each is a direction. */
const DIRECTIONS = ['cat', 'car', 'sea', 'sun']

let endpoint: Server
let isDown = false
let dimensions = DIMENSIONS
let asked: string[] = []
let service: RunningApp

/** An OpenAI-compatible endpoint: a text's vector counts the words that it knows. */
function embedding(text: string): number[] {
  const counts = DIRECTIONS.map((word) => text.toLowerCase().split(word).length - 1)
  const vector = counts.some((count) => count > 0) ? counts : [0.5, 0.5, 0.5, 0.5]
  return [...vector, ...Array.from({ length: dimensions - vector.length }, () => 0)]
}

beforeAll(async () => {
  endpoint = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      if (isDown) return void response.writeHead(500).end('{}')
      const { input } = JSON.parse(body) as { input: string[] }
      asked.push(...input)
      const data = input.map((text, index) => ({ index, embedding: embedding(text) }))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
    })
  })
  const port = await listen(endpoint)
  service = await startApp({
    EMBEDDER: 'http',
    EMBEDDER_URL: `http://127.0.0.1:${port}/embeddings`,
    EMBEDDER_DIMENSIONS: String(DIMENSIONS),
    EMBEDDER_TIMEOUT_MS: '2000',
    CHECKPOINT_MS: '100',
  })
})
afterAll(async () => {
  await service.close()
  await new Promise((resolve) => endpoint.close(resolve))
})

const add = (id: string, document: object) =>
  service.must('POST', '/cortex/documents', { index: 'e', id, document })
const find = (body: object) =>
  service.must<{
    hits: { id: string; index: string; explain?: { vector?: unknown } }[]
    total: number
    nextCursor?: string
    searchContext: { degraded?: string[]; warnings?: string[] }
  }>('POST', '/cortex/search', { index: 'e', ...body })
const isVectorized = async (id: string) =>
  (await service.must<{ vectorized: boolean }>('GET', `/cortex/documents/${id}?index=e`)).vectorized

it('vectorises a document at its creation and a query at its search', async () => {
  expect(await add('1', { title: 'A cat', content: 'purrs' })).toMatchObject({ vectorized: true })
  expect(await add('2', { title: 'A car' })).toMatchObject({ vectorized: true })
  const { hits } = await find({ query: 'cat', searchType: 'vector' })
  expect(hits[0]?.id).toBe('1')
  const both = await find({ query: 'car', searchType: 'hybrid' })
  expect(both.hits[0]?.id).toBe('2')
  expect(both.searchContext.degraded).toBeUndefined()
})

it('asks again only for text that has changed', async () => {
  asked = []
  expect(
    await service.must('PUT', '/cortex/documents/1?index=e', { source: 'home' }),
  ).toMatchObject({
    result: 'updated',
    vectorized: true,
  })
  expect(
    await service.must('PUT', '/cortex/documents/1?index=e', { source: 'home' }),
  ).toMatchObject({
    result: 'unchanged',
    vectorized: true,
  })
  expect(asked).toEqual([])
  await service.must('PUT', '/cortex/documents/1?index=e', { title: 'The sea' })
  expect(asked).toEqual(['The sea\npurrs'])
  expect((await find({ query: 'sea', searchType: 'vector' })).hits[0]?.id).toBe('1')
})

it('stores what comes while the endpoint is down, and vectorises it later', async () => {
  isDown = true
  try {
    expect(await add('3', { title: 'The sun' })).toMatchObject({ vectorized: false })
    expect(await isVectorized('3')).toBe(false)
    expect((await find({ query: 'sun', searchType: 'text' })).hits[0]?.id).toBe('3')
    const changed = await service.must('PUT', '/cortex/documents/2?index=e', { title: 'A sun car' })
    expect(changed).toMatchObject({ vectorized: false })
    const bulk = await service.must<{ items: { vectorized: boolean; status: number }[] }>(
      'POST',
      '/cortex/documents/bulk',
      { index: 'e', documents: [{ id: '4', document: { title: 'sun sun sea' } }] },
    )
    expect(bulk.items).toMatchObject([{ status: 200, vectorized: false }])
  } finally {
    isDown = false
  }
  for (const id of ['2', '3', '4']) await waitUntil(() => isVectorized(id), 30_000)
  expect((await find({ query: 'sun', searchType: 'vector' })).hits[0]?.id).toBe('3')
  expect(await service.must('GET', '/cortex/documents/3?index=e')).toMatchObject({ version: 1 })
})

it('answers by text alone while the endpoint is down, and says so', async () => {
  isDown = true
  try {
    const { hits, searchContext, total } = await find({
      query: 'unheard of sun',
      searchType: 'hybrid',
    })
    // What was asked for, whichever leg is missing and why.
    expect(searchContext).toMatchObject({ searchType: 'hybrid', degraded: ['vector'] })
    expect(total).toBe(hits.length)
    expect(hits.map(({ id }) => id).sort()).toEqual(['2', '3', '4'])
    const only = await service.call('POST', '/cortex/search', {
      query: 'never asked',
      searchType: 'vector',
    })
    expect(only).toMatchObject({ status: 503, code: 'EMBEDDER_UNAVAILABLE' })
    expect((await find({ query: '', searchType: 'vector' })).total).toBe(4)
    expect((await find({ vector: [0, 0, 1, 0], searchType: 'vector' })).hits[0]?.id).toBe('1')
  } finally {
    isDown = false
  }
})

it('goes on without vectors in a list that was begun without', async () => {
  // No document has the last two words; all are near to them.
  const list = { query: 'sun cargo seaside', searchType: 'hybrid', size: 1 }
  isDown = true
  const first = await find(list).finally(() => {
    isDown = false
  })
  expect(first).toMatchObject({ total: 3, searchContext: { degraded: ['vector'] } })
  await waitUntil(async () => (await find(list)).total === 4)
  const rest = await find({ ...list, size: 10, cursor: first.nextCursor })
  expect(rest).toMatchObject({ total: 3, searchContext: { degraded: ['vector'] } })
  expect(new Set([...first.hits, ...rest.hits].map(({ id }) => id)).size).toBe(3)
})

describe('beside indices whose vectors come from elsewhere', () => {
  const everywhere = (body: object) => find({ index: ['own', 'yours', 'e'], ...body })
  const found = ({ hits }: Awaited<ReturnType<typeof find>>) =>
    [...new Set(hits.map(({ index }) => index))].sort()

  beforeAll(async () => {
    for (const [name, embedder] of [
      ['own', { kind: 'learned' }],
      ['yours', { kind: 'given', dimensions: 4 }],
    ] as const)
      await service.must('POST', '/cortex/indices', { name, settings: { embedder } })
    const document = { title: 'A sea of sun' }
    await service.must('POST', '/cortex/documents', { index: 'own', id: 'o', document })
    const yours = { index: 'yours', id: 'y', document, vector: [0, 0, 1, 0] }
    await service.must('POST', '/cortex/documents', yours)
  })

  it('its vector of a query is for its own documents alone', async () => {
    const near = await everywhere({ query: 'sea', searchType: 'vector' })
    expect(found(near)).toEqual(['e', 'own'])
    expect(near.hits.filter(({ index }) => index === 'e')[0]?.id).toBe('1')
    expect(near.searchContext.warnings).toEqual([
      '"yours" takes its vectors from you, and no "vector" was sent: nothing of it is found.',
    ])
    const both = await everywhere({ query: 'sea', explain: true })
    expect(found(both)).toEqual(['e', 'own', 'yours'])
    for (const { index, explain } of both.hits)
      expect(explain?.vector === undefined || explain.vector === null).toBe(index === 'yours')
  })

  it('a search that misses the vectors of one says which', async () => {
    const warnings = [
      '"yours" takes its vectors from you, and no "vector" was sent: it is searched by words alone.',
    ]
    const some = await everywhere({ query: 'sea' })
    expect(some.searchContext).toMatchObject({ warnings })
    expect(some.searchContext.degraded).toBeUndefined()
    const alone = await find({ index: 'yours', query: 'sea' })
    expect(alone.searchContext).toMatchObject({ degraded: ['vector'], warnings })
    for (const body of [
      ...[{ query: 'sea', index: ['e', 'own'] }, { query: '' }, { searchType: 'text' }],
      { query: 'sea', index: ['e', 'yours'], vector: [0, 0, 1, 0] },
    ])
      expect((await everywhere(body)).searchContext.warnings, JSON.stringify(body)).toBeUndefined()
  })

  it('goes on by words where the endpoint fails, and says both', async () => {
    isDown = true
    try {
      const { searchContext } = await everywhere({ query: 'sea unheard of' })
      expect(searchContext.degraded).toEqual(['vector'])
      expect(searchContext.warnings).toHaveLength(1)
    } finally {
      isDown = false
    }
  })
})

describe.each(['PUT', 'PATCH'])('%s with a vector among the fields', (method) => {
  const id = `changed-${method.toLowerCase()}`
  const path = `/cortex/documents/${id}?index=yours`
  const near = async (vector: number[]) =>
    (await find({ index: 'yours', searchType: 'vector', vector, size: 1 })).hits[0]?.id

  it('gives the document that vector, and keeps it with later changes', async () => {
    const made = { title: 'Rain', vector: [1, 0, 0, 0] }
    expect(await service.must(method, path, made)).toMatchObject({ vectorized: true, version: 1 })
    expect(await near([1, 0, 0, 0])).toBe(id)
    const moved = { vector: [0, 0, 0, -1] }
    expect(await service.must(method, path, moved)).toMatchObject({ vectorized: true, version: 2 })
    expect(await near([0, 0, 0, -1])).toBe(id)
    const base64 = Buffer.from(Float32Array.of(0, -1, 0, 0).buffer).toString('base64')
    expect(await service.must(method, path, { vector: base64 })).toMatchObject({ version: 3 })
    await service.must(method, path, { title: 'Heavy rain' })
    expect(await near([0, -1, 0, 0])).toBe(id)
    const { source } = await service.must<{ source: object }>('GET', path)
    expect(source).toEqual({ title: 'Heavy rain' })
    await service.must('DELETE', path)
  })

  it('refuses what is no vector of the index, as creating does', async () => {
    for (const [vector, code] of [
      [[1, 2], 'VECTOR_DIMENSIONS'],
      [[0, 0, 0, 0], 'VALIDATION_FAILED'],
      [[1, 2, 3, 'x'], 'VALIDATION_FAILED'],
      [{ x: 1 }, 'VALIDATION_FAILED'],
    ] as const) {
      const refused = await service.call(method, path, { title: 'Rain', vector })
      expect(refused, JSON.stringify(vector)).toMatchObject({
        status: 400,
        code,
        details: [{ path: 'vector' }],
      })
    }
  })

  it('is a field like any other where an index makes its own, or maps one of that name', async () => {
    const properties = { title: { type: 'text' }, vector: { type: 'keyword' } }
    const settings = { embedder: { kind: 'given', dimensions: 4 } }
    const name = `mapped-${method.toLowerCase()}`
    await service.must('POST', '/cortex/indices', { name, settings, mappings: { properties } })
    for (const index of ['own', name]) {
      const place = `/cortex/documents/${id}?index=${index}`
      await service.must(method, place, { title: 'Rain', vector: 'svg' })
      const { source } = await service.must<{ source: object }>('GET', place)
      expect(source).toEqual({ title: 'Rain', vector: 'svg' })
      await service.must('DELETE', place)
    }
    await service.must('DELETE', `/cortex/indices/${name}`)
  })
})

it('refuses an index whose vectors the endpoint can not supply', async () => {
  const settings = { embedder: { kind: 'http', dimensions: 5 } }
  const refused = await service.call('POST', '/cortex/indices', { name: 'other', settings })
  expect(refused).toMatchObject({
    status: 400,
    error:
      "settings.embedder.dimensions must be 4, the length of the endpoint's vectors (EMBEDDER_DIMENSIONS).",
  })
  expect((await service.call('GET', '/cortex/indices/other')).status).toBe(404)
})

it('keeps its vectors through a restart without asking again', async () => {
  asked = []
  await service.restart()
  for (const id of ['1', '2', '3', '4']) expect(await isVectorized(id)).toBe(true)
  expect(asked).toEqual([])
})

it('is searched by words, and refused where it is new, once the server has no endpoint', async () => {
  await service.restart({ EMBEDDER: 'learned', EMBEDDER_URL: '' })
  const { hits, searchContext } = await find({ query: 'car' })
  expect(hits.map(({ id }) => id)).toEqual(['2'])
  expect(searchContext.degraded).toEqual(['vector'])
  const settings = { embedder: { kind: 'HTTP' } }
  const refused = await service.call('PUT', '/cortex/indices/late', { settings })
  expect(refused).toMatchObject({ status: 400, details: [{ path: 'settings.embedder.kind' }] })
  expect(refused.error).toContain('EMBEDDER_URL')
  const mappings = { properties: { more: { type: 'keyword' } } }
  expect((await service.call('PUT', '/cortex/indices/e', { mappings })).status).toBe(200)
})

it('is searched by words, and keeps what comes, while the endpoint gives vectors of another length', async () => {
  await service.restart({ EMBEDDER_DIMENSIONS: '6' })
  dimensions = 6
  asked = []
  try {
    const late = await service.call<{ vectorized: boolean }>('POST', '/cortex/documents', {
      ...{ index: 'e', id: 'late', document: { title: 'A late cat' } },
    })
    expect(late).toMatchObject({ status: 200, data: { vectorized: false } })
    expect((await find({ query: 'late', searchType: 'text' })).hits[0]?.id).toBe('late')
    const document = { title: 'A late sea' }
    const six = await service.must('POST', '/cortex/documents', { index: 'six', id: 's', document })
    expect(six).toMatchObject({ vectorized: true })
    const warnings = [
      '"e" holds vectors of 4 numbers, and the endpoint of this server gives such of 6 (EMBEDDER_DIMENSIONS): it is searched by words alone.',
    ]
    const alone = await find({ query: 'late' })
    expect(alone.hits.map(({ id }) => id)).toEqual(['late'])
    expect(alone.searchContext).toMatchObject({ degraded: ['vector'], warnings })
    const beside = await find({ query: 'sea', index: ['e', 'six'], explain: true })
    expect(beside.searchContext).toMatchObject({ warnings })
    expect(beside.searchContext).not.toHaveProperty('degraded')
    for (const { index, explain } of beside.hits)
      expect(explain?.vector === undefined || explain.vector === null).toBe(index === 'e')
    const only = { index: 'e', query: 'late', searchType: 'vector' }
    const refused = await service.call('POST', '/cortex/search', only)
    expect(refused).toMatchObject({ status: 503, code: 'EMBEDDER_UNAVAILABLE' })
    expect(refused.error).toContain('EMBEDDER_DIMENSIONS')
    // Nothing is asked for that could not be kept.
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(new Set(asked)).toEqual(new Set(['A late sea', 'sea']))
  } finally {
    dimensions = DIMENSIONS
  }
  await service.restart()
  await waitUntil(() => isVectorized('late'), 30_000)
})
