import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

let service: RunningApp
const HALF = '\ud83d'
const NDJSON = { 'content-type': 'application/x-ndjson' }

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

interface Bulk {
  items: { status: number; id?: string; error?: string }[]
  succeeded: number
}

describe('half a surrogate pair', () => {
  it.each<[string, string, object, string]>([
    ['POST', '/cortex/indices', { name: HALF }, 'name'],
    ['PUT', '/cortex/indices/put', { mappings: { properties: { [HALF]: {} } } }, 'mappings'],
    ['POST', '/cortex/sessions', { userId: `u${HALF}` }, 'userId'],
    ['POST', '/cortex/sessions', { clientId: HALF }, 'clientId'],
    ['POST', '/cortex/sessions', { metadata: { a: [{ b: HALF }] } }, 'metadata.a[0].b'],
    ['POST', '/cortex/sessions', { metadata: { [`k${HALF}`]: 1 } }, 'metadata.k\ufffd'],
    ['POST', '/nous/signals', { signalId: HALF }, 'signalId'],
    ['POST', '/nous/learn/models/sync', { modelId: HALF, state: {} }, 'modelId'],
    ['POST', '/cortex/ab-test', { name: HALF, variants: [{ id: 'a' }, { id: 'b' }] }, 'name'],
    [
      'POST',
      '/nous/experiments',
      { name: 'e', type: 'x', variants: [{ id: 'a' }, { id: HALF }] },
      'variants[1].id',
    ],
    ['POST', '/cortex/metrics', { name: 'm', value: 1, labels: { a: HALF } }, 'labels.a'],
    ['POST', '/cortex/documents', { index: HALF, document: { title: 'x' } }, 'index'],
    ['POST', '/cortex/documents', { index: 'i', id: HALF, document: { title: 'x' } }, 'id'],
    ['POST', '/cortex/documents/bulk', { index: HALF, documents: [] }, 'index'],
    ['POST', '/cortex/search', { query: 'x', sessionId: HALF }, 'sessionId'],
  ])('%s %s %j is refused at %s', async (method, path, body, place) => {
    const { status, code, details } = await service.call(method, path, body)
    expect({ status, code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' })
    expect(details[0]?.path).toContain(place)
    expect(details[0]?.message).toContain('half a surrogate pair')
  })

  it('is content in documents, in the words of a search and in what it filters by', async () => {
    const title = `cutoff ${HALF}`
    const written = [
      await service.call('POST', '/cortex/documents', {
        index: 'halves',
        id: 'a',
        document: { title, [HALF]: [HALF] },
      }),
      await service.call('PUT', '/cortex/documents/a', { source: HALF, [HALF]: { deep: HALF } }),
      await service.call('POST', '/cortex/documents/bulk', [{ id: 'b', title }]),
      await service.call('POST', '/cortex/search', {
        query: title,
        filters: { source: HALF },
        facets: [HALF],
      }),
      await service.call('POST', '/cortex/suggest', { prefix: HALF, query: HALF }),
    ]
    expect(written.map(({ status, error }) => error ?? status)).toEqual([200, 200, 200, 200, 200])
  })

  it.each(['JSON', 'NDJSON'])('fails an item of a bulk in %s alone', async (kind) => {
    const documents = [
      { id: 'good', index: 'bulk', document: { title: HALF } },
      { id: 'index', index: HALF, document: { title: 'x' } },
      { id: HALF, index: 'bulk', title: 'x' },
      { id: 'last', index: 'bulk', document: { title: 'x' } },
    ]
    const [body, headers] =
      kind === 'JSON'
        ? [{ documents }, {}]
        : [documents.map((one) => JSON.stringify(one)).join('\n'), NDJSON]
    const { status, data } = await service.call<Bulk>(
      'POST',
      '/cortex/documents/bulk',
      body,
      headers,
    )
    expect(status).toBe(200)
    expect(data.items.map((item) => item.status)).toEqual([200, 400, 400, 200])
    expect(data.items[1]?.error).toMatch(/^index holds half a surrogate pair/)
    expect(data.items[2]?.error).toMatch(/^id holds half a surrogate pair/)
  })
})

describe('a number out of range', () => {
  const long = `-${'9'.repeat(309)}`
  it.each([
    ['POST', '/cortex/search', '{"filters":{"year":{"gt":1e999}}}', 'filters.year.gt'],
    ['POST', '/cortex/search', '{"minScore":1E+400}', 'minScore'],
    ['POST', '/cortex/search', '{"generation":1e999}', 'generation'],
    [
      'POST',
      '/cortex/search',
      '{"facets":{"year":{"ranges":[{"from":1},{"to":1e999}]}}}',
      'facets.year.ranges[1].to',
    ],
    [
      'POST',
      '/nous/ab-testing/results',
      '{"experimentName":"e","variantId":"a","metrics":{"revenue":1e999}}',
      'metrics.revenue',
    ],
    ['POST', '/cortex/sessions', '{"metadata":{"a":[1e400]}}', 'metadata.a[0]'],
    ['POST', '/cortex/sessions', `{"metadata":{"a":${long}}}`, 'metadata.a'],
    ['POST', '/cortex/sessions', `{"metadata":{"a":${long.slice(0, 252)}.5e60}}`, 'metadata.a'],
    [
      'POST',
      '/cortex/documents',
      '{"index":"i","document":{"title":"x","price":1e999}}',
      'document.price',
    ],
    ['PUT', '/cortex/documents/a', '{"title":"x","price":-1e999}', 'price'],
    ['PUT', '/cortex/documents/a', '{"title":"x","flake":1234567890123456789}', 'flake'],
    ['POST', '/cortex/sessions', '{"metadata":{"a":[{"b":-9007199254740993}]}}', 'metadata.a[0].b'],
    ['POST', '/cortex/sessions', `{"metadata":{"a":1${'1'.repeat(307)}}}`, 'metadata.a'],
    [
      'POST',
      '/cortex/search',
      '{"filters":{"flake":[1,1234567890123456789,2]}}',
      'filters.flake[1]',
    ],
  ])('%s %s %s is refused with its place', async (method, path, body, place) => {
    const { status, code, details } = await service.call(method, path, body)
    expect({ status, code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' })
    expect(details).toEqual([{ path: place, message: expect.stringContaining('out of range') }])
  })

  it('leaves large and small numbers, and texts that look like them', async () => {
    const metadata = `{"a":1.7e308,"b":-1e+308,"c":1e-999,"d":"1e999","e":1${'0'.repeat(22)},"f":0.${'3'.repeat(400)},"g":9007199254740991,"h":-1700000000000000000,"i":1234567890123456789.5,"o":-70052936038178090,"j":0.1234567890123456789,"k":1234567890123456789e2,"l":"1234567890123456789","m":1e-0000000000000000007,"n":1.1e+0000000000000000003}`
    const { status, data } = await service.call<{ metadata: object }>(
      'POST',
      '/cortex/sessions',
      `{"metadata":${metadata}}`,
    )
    expect(status).toBe(200)
    expect(data.metadata).toEqual(JSON.parse(metadata))
  })

  it.each([
    ['JSON', {}],
    ['NDJSON', NDJSON],
  ])('fails an item of a bulk in %s alone', async (kind, headers) => {
    const items = [
      '{"id":"n1","index":"numbers","document":{"title":"x","n":1}}',
      '{"id":"n2","index":"numbers","document":{"title":"x","n":[1e999]}}',
      '{"id":"n3","index":"numbers","document":{"title":"x","n":1e300}}',
      '{"id":"n4","index":"numbers","document":{"title":"x","n":12345678901234567891}}',
    ]
    const body = kind === 'JSON' ? `[${items}]` : items.join('\n')
    const { data } = await service.call<Bulk>('POST', '/cortex/documents/bulk', body, headers)
    expect(data.items.map((item) => item.status)).toEqual([200, 400, 200, 400])
    expect(data.items[3]?.error).toMatch(/^document\.n is a number out of range/)
    expect(data.items[1]?.error).toMatch(/^document\.n\[0\] is a number out of range/)
  })
})
