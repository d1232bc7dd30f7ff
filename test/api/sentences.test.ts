import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

let service: RunningApp
beforeAll(async () => {
  service = await startApp()
  const mappings = { properties: { year: { type: 'integer' }, 'dc:year': { type: 'integer' } } }
  await service.call('PUT', '/cortex/indices/mapped', { mappings })
  await service.call('PUT', '/cortex/indices/typed', {
    mappings: {
      properties: {
        ...{ year: { type: 'integer' }, on: { type: 'boolean' }, when: { type: 'date' } },
        ...{ word: { type: 'keyword' }, price: { type: 'float' } },
      },
    },
  })
  await service.call('PUT', '/cortex/indices/pictures', {
    mappings: { properties: { seen: { type: 'dense_vector', dims: 2 } } },
  })
  const typed = {
    title: 'x',
    year: 1,
    on: true,
    when: '2024-02-29',
    word: '1',
    price: 2.5,
    free: 'x',
  }
  const put = await service.call('PUT', '/cortex/documents/a?index=typed', typed)
  expect(put.error).toBeUndefined()
  await service.call('POST', '/cortex/documents/bulk', {
    index: 'mapped',
    documents: [1, 3, 2].map((n) => ({
      document: { title: 'x', year: n, 'dc:year': n, 'dc:free': n },
    })),
  })
})
afterAll(() => service.close())

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
const search = (request: object) => service.call<any>('POST', '/cortex/search', request)

it.each<[string, string, unknown, string, string]>([
  [
    'POST',
    '/cortex/metrics',
    { name: 'a', value: 1, type: 'rate' },
    'type',
    'must be one of counter, gauge, histogram, summary',
  ],
  [
    'POST',
    '/cortex/metrics',
    { name: 'a b', value: 1 },
    'name',
    'must be of the form of checkout_seconds (^[a-zA-Z_:][a-zA-Z0-9_:]*$)',
  ],
  ['GET', '/nous/learn/events?order=up', undefined, 'order', 'must be one of asc, desc'],
  [
    'GET',
    '/cortex/feedback?timeframe=soon',
    undefined,
    'timeframe',
    'must be a time back with its unit, like 30m, 24h, 7d or PT30M',
  ],
  [
    'POST',
    '/cortex/documents',
    { index: 'mapped', title: 'x' },
    'document',
    'is required; the fields of a document stand inside of it, {"document": {"title": "…"}}',
  ],
  [
    'POST',
    '/cortex/feedback',
    { sessionId: 's', queryId: 'q', rating: 1 },
    'feedback',
    'is required, a list with {"queryId", "rating", "metadata": {"userAction", "resultId"}} for each action',
  ],
  [
    'POST',
    '/cortex/feedback',
    { session_id: 's', feedback: [{ queryId: 'q', rating: 1 }] },
    'sessionId',
    'is required in this spelling; a name beside it that is nearly this one is not read',
  ],
  [
    'POST',
    '/cortex/documents/bulk',
    { index: 'mapped', docs: [{ title: 'x' }] },
    'documents',
    'is required, a list with {"id", "document": {"title": "…"}} for each; the list may be the body, too',
  ],
  [
    'POST',
    '/nous/ab-testing/experiments',
    { name: 'untyped', variants: [{ id: 'a' }, { id: 'b' }] },
    'type',
    'is required: learning_strategy, model_config, business_rules, or a word of your own',
  ],
  ['POST', '/cortex/ab-test/assign', { sessionId: 's' }, 'testName', 'is required, or testId'],
  ['POST', '/nous/learn/models/train', { kind: 'deep' }, 'kind', 'must be one of linear, trees'],
  [
    'POST',
    '/cortex/documents',
    { index: 'mapped', id: 7, document: { title: 'x' } },
    'id',
    'must be a text such as "7"',
  ],
  ['POST', '/cortex/search', { sort: [5] }, 'sort[0]', 'must be a text or an object'],
  ['POST', '/cortex/search', { sort: 5 }, 'sort', 'must be a text or an object or a list'],
  ['POST', '/cortex/search', { sort: [{}] }, 'sort[0]', 'must name a field'],
  [
    'POST',
    '/cortex/search',
    { sort: { field: 'year', order: 'desc' } },
    'sort',
    'must have the field as a name: {"year": "desc"}',
  ],
  ['POST', '/cortex/search', { sort: [{ year: 'up' }] }, 'sort[0].year', 'must be asc or desc'],
])('%s %s %j says what it wants', async (method, path, body, place, message) => {
  const { status, details } = await service.call(method, path, body)
  expect(status).toBe(400)
  expect(details).toEqual([{ path: place, message }])
})

it.each(['year:up', '_score:down', 'mapped:up', 'dc:free'])(
  'a sort by %s has no order that there is',
  async (sort) => {
    const { status, details } = await service.call('POST', '/cortex/search', {
      index: 'mapped',
      sort: ['_score', sort],
    })
    expect(status).toBe(400)
    expect(details[0]).toMatchObject({ path: 'sort[1]' })
    expect(details[0]?.message).toMatch(/:asc or :desc/)
  },
)

it.each([
  ['year:DESC', [3, 2, 1]],
  ['dc:year', [1, 2, 3]],
  ['dc:year:desc', [3, 2, 1]],
  ['dc:free:asc', [1, 2, 3]],
  [{ 'dc:free': 'desc' }, [3, 2, 1]],
])('a field may have a colon in its name: %j', async (sort, years) => {
  const { data } = await service.call<{ hits: { source: { year: number } }[] }>(
    'POST',
    '/cortex/search',
    { index: 'mapped', sort },
  )
  expect(data.hits.map(({ source }) => source.year)).toEqual(years)
})

it('seconds where milliseconds are read are told', async () => {
  const seconds = Math.floor(Date.now() / 1000)
  const told = async (path: string, sent: object) =>
    (await service.must<{ warnings?: string[] }>('POST', path, sent)).warnings
  const variants = [{ id: 'a' }, { id: 'b' }]
  const test = { name: 'in seconds', variants, startDate: seconds }
  expect(await told('/cortex/ab-test', test)).toEqual([expect.stringMatching(/^startDate: .*1970/)])
  const event = { eventType: 'seen', timestamp: seconds }
  expect(await told('/cortex/analytics', event)).toEqual([
    expect.stringMatching(/^timestamp: .*1970/),
  ])
  expect(await told('/nous/learn/models/train', { since: seconds })).toEqual([
    expect.stringMatching(/^since: .*1970/),
  ])
})

it('shares that miss the whole are told with their sum, and a name that no variant has', async () => {
  const variants = [{ id: 'a' }, { id: 'b' }]
  const refused = async (trafficAllocation: object) =>
    (await service.call('POST', '/cortex/ab-test', { name: 'odd', variants, trafficAllocation }))
      .error
  expect(await refused({ a: 0.5, b: 0.4 })).toContain('to 100, and these sum to 0.9.')
  expect(await refused({ a: 0.5, c: 0.5 })).toBe(
    'trafficAllocation must name only variants of the test, each by its id or its name.',
  )
  expect(await refused({ a: 0.5 })).toContain('to every variant, and variants[1] has none.')
})

it('a conflict names its place, too', async () => {
  const { call } = service
  const variants = [{ id: 'a' }, { id: 'b' }]
  const made = await call<{ testId: string }>('POST', '/cortex/ab-test', { name: 'x', variants })
  await call('POST', `/cortex/ab-test/${made.data.testId}/stop`)
  await call('POST', '/cortex/metrics', { name: 'counted', value: 1, type: 'counter' })
  const state = { weights: [1], featureNames: ['textScore'] }
  await call('POST', '/nous/learn/models/sync', { modelId: 'resting', state })
  const put = '/cortex/documents/a?index=typed'
  const conflicts: [string, ...Parameters<typeof call>][] = [
    ['name', 'POST', '/cortex/indices', { name: 'typed' }],
    ['name', 'PUT', '/cortex/indices/typed', {}],
    ['name', 'POST', '/cortex/ab-test', { name: 'x', variants }],
    ['status', 'POST', '/cortex/ab-test/assign', { sessionId: 's', testName: 'x' }],
    ['type', 'POST', '/cortex/metrics', { name: 'counted', value: 1, type: 'gauge' }],
    ['id', 'POST', '/nous/learn/models/resting/rollback', {}],
    ['If-Match', 'PUT', put, { year: 2 }, { 'if-match': '"99"' }],
    ['If-None-Match', 'PUT', put, { year: 2 }, { 'if-none-match': '*' }],
  ]
  for (const [path, ...sent] of conflicts) {
    const { status, details } = await call(...sent)
    expect([409, 412], sent[1]).toContain(status)
    expect(details, sent[1]).toEqual([{ path, message: expect.stringMatching(/^\w+ /) }])
  }
})

it('words of a closed list are read in any case', async () => {
  const training = await service.call('POST', '/nous/learn/models/train', { kind: 'Linear' })
  expect(training.status, training.error).toBe(200)
})

it('an item of a bulk that is none is called an item', async () => {
  const { data } = await service.call<{ items: { error: string }[] }>(
    'POST',
    '/cortex/documents/bulk',
    [5],
  )
  expect(data.items[0]?.error).toBe('The item must be an object.')
})

it.each<[string, string, object, string]>([
  ['POST', '/cortex/analytics', { eventType: 'a', events: [{ eventType: 'b' }] }, 'eventType'],
  ['POST', '/cortex/analytics', { sessionId: 's', events: [{ eventType: 'b' }] }, 'sessionId'],
  ['PUT', '/cortex/indices/one', { name: 'two' }, 'name'],
  ['POST', '/cortex/indices/one/documents', { index: 'two', document: { title: 'x' } }, 'index'],
  [
    'POST',
    '/cortex/documents/bulk?index=one',
    { index: 'two', documents: [{ document: { title: 'x' } }] },
    'index',
  ],
  ['GET', '/cortex/search?q=one&query=two', {}, 'query'],
])('%s %s %j contradicts itself', async (method, path, body, place) => {
  const sent = method === 'GET' ? undefined : body
  const { status, details } = await service.call(method, path, sent)
  expect(status).toBe(400)
  expect(details[0]).toMatchObject({ path: place, message: expect.stringContaining('send one') })
  expect((await service.call('GET', '/cortex/indices/two')).status).toBe(404)
})

it('an id inside of a document is told to be a field, and one beside it is taken', async () => {
  const document = { title: 'x', id: 'own' }
  for (const path of ['/cortex/documents', '/cortex/indices/told/documents']) {
    const create = async (more: object) => {
      const sent = { index: 'told', document, ...more }
      return (await service.call<{ id: string; warnings?: string[] }>('POST', path, sent)).data
    }
    const inside = await create({})
    expect(inside.id).not.toBe('own')
    expect(inside.warnings).toEqual([expect.stringContaining('send id beside document')])
    const beside = await create({ id: 'mine' })
    expect([beside.id, beside.warnings]).toEqual(['mine', undefined])
  }
})

it('the same name in the path and in the body is no contradiction', async () => {
  const answers = [
    await service.call('PUT', '/cortex/indices/same', { name: 'same' }),
    await service.call('POST', '/cortex/indices/same/documents', {
      index: 'same',
      document: { title: 'x' },
    }),
    await service.call('GET', '/cortex/search?q=x&query=x'),
  ]
  expect(answers.map(({ status, error }) => error ?? status)).toEqual([200, 200, 200])
})

it.each<[object, string, string]>([
  [{ year: 'new' }, 'year', 'number'],
  [{ year: [1, 'two'] }, 'year', 'number'],
  [{ year: { gte: true } }, 'year', 'number'],
  [{ not: { or: [{ year: 1 }, { on: 'maybe' }] } }, 'not.or[1].on', 'boolean'],
  [{ on: 1 }, 'on', 'boolean'],
  [{ when: { lt: 'junk' } }, 'when', 'date (ISO 8601 or epoch milliseconds)'],
  [{ when: { gte: '2024-02-30' } }, 'when', 'date (ISO 8601 or epoch milliseconds)'],
  [{ when: { not: '2024-13-01' } }, 'when.not', 'date (ISO 8601 or epoch milliseconds)'],
  [{ when: { lt: '2023' } }, 'when', 'date (ISO 8601 or epoch milliseconds)'],
  [{ when: { lt: '2024-02-29junk' } }, 'when', 'date (ISO 8601 or epoch milliseconds)'],
  [{ when: { gte: '2024-02-29T00' } }, 'when', 'date (ISO 8601 or epoch milliseconds)'],
  [{ when: { not: '2024-02-29T25:00:00Z' } }, 'when.not', 'date (ISO 8601 or epoch milliseconds)'],
  [{ when: '2024-02-29Z' }, 'when', 'date (ISO 8601 or epoch milliseconds)'],
  [{ when: { gte: '0x10' } }, 'when', 'date (ISO 8601 or epoch milliseconds)'],
  [{ year: '0x1' }, 'year', 'number'],
  [{ when: { lte: 1e18 } }, 'when', 'date (ISO 8601 or epoch milliseconds)'],
  [{ price: { gte: 'abc', lt: 3 } }, 'price', 'number'],
])('the filter %j compares a field with another type', async (filters, place, wanted) => {
  const { status, code, details } = await search({ index: 'typed', filters })
  expect([status, code]).toEqual([400, 'VALIDATION_FAILED'])
  expect(details[0]?.path).toBe(`filters.${place}`)
  expect(details[0]?.message).toContain(`must be compared with a ${wanted}: its type is `)
})

it.each<[object]>([
  [{ year: '1' }],
  [{ year: { gt: 0.5 } }],
  [{ on: 'true' }],
  [{ when: '2024-02-29' }],
  [{ when: { gte: '2024-02-29t00:00:00z' } }],
  [{ when: '2024-02-29 00:00' }],
  [{ when: '2024-02-29T01:00:00,000+01' }],
  [{ when: '1709164800000' }],
  [{ year: { lte: ' 1e0' } }],
  [{ when: { gte: 0 } }],
  [{ word: 1 }],
  [{ price: { lt: 3 } }],
  [{ free: 'x' }],
])('the filter %j compares what it may', async (filters) => {
  const { status, data } = await search({ index: 'typed', filters })
  expect([status, data.total]).toEqual([200, 1])
})

it.each<[object, string, string]>([
  [{ year: { ranges: [{ to: 3 }, { from: 'new' }] } }, 'year.ranges[1]', 'number'],
  [{ when: { ranges: [{ from: '2024-02-30' }] } }, 'when.ranges[0]', 'date (ISO 8601'],
  [{ when: { ranges: [{ to: '2024-02-29T24:00' }] } }, 'when.ranges[0]', 'date (ISO 8601'],
  [{ on: { ranges: [{ to: 1 }] } }, 'on.ranges[0]', 'boolean'],
])('the facet %j counts ranges of another type', async (facets, place, wanted) => {
  const { status, code, details } = await search({ index: 'typed', facets })
  expect([status, code]).toEqual([400, 'VALIDATION_FAILED'])
  expect(details[0]?.path).toBe(`facets.${place}`)
  expect(details[0]?.message).toContain(`must be compared with a ${wanted}`)
})

it.each<[object]>([
  [{ year: { ranges: [{ from: 0, to: '3' }, {}] } }],
  [{ when: { ranges: [{ from: '2024-02-29' }, { to: 1e12 }] } }],
  [{ word: { ranges: [{ from: 'a' }] } }],
  [{ free: { ranges: [{ from: 'a' }, { to: 3 }] } }],
])('the facet %j counts ranges of its own', async (facets) => {
  expect((await search({ index: 'typed', facets })).status).toBe(200)
})

it.each([
  [{ exists: true }, 'filters.seen.exists'],
  [{ not: null }, 'filters.seen.not'],
  [3, 'filters.seen'],
])('a filter on vectors, %j, is refused', async (filter, place) => {
  const { status, details } = await search({ index: 'pictures', filters: { seen: filter } })
  expect([status, details[0]?.path]).toEqual([400, place])
  expect(details[0]?.message).toContain('is a vector')
})

it('an index in which a field may hold anything takes any value', async () => {
  const { status } = await search({ index: ['typed', 'mapped'], filters: { price: 'abc' } })
  expect(status).toBe(200)
})

it('a name of any length is told by its beginning', async () => {
  const name = 'long'.repeat(1000)
  const sent = { filters: { [name]: { near: 1 } } }
  const { status, error, details } = await service.call('POST', '/cortex/search', sent)
  expect(status).toBe(400)
  expect(error).toHaveLength(1000)
  expect(details[0]?.path).toMatch(/^filters\.(long)+.{1,4}$/)
  expect(details[0]?.path).toHaveLength(256)
})

it.each(['🍕'.repeat(200), `x${'🍕'.repeat(200)}`])(
  'a long name is repeated in whole characters, which UTF-8 can say: %#',
  async (name) => {
    const variants = [{ id: 'a', config: { [name]: 1 } }, { id: 'b' }]
    const requests: [string, object][] = [
      ['/cortex/search', { query: '', [name]: 1 }],
      ['/cortex/search', { query: '', filters: { year: { [name]: 1 } } }],
      ['/cortex/search', { query: '', boost: { [name]: 'much' } }],
      ['/cortex/ab-test', { name: `a ${name.length}`, variants }],
      ['/cortex/ab-test', { name: `b ${name.length}`, variants, guardrails: { [name]: 'x' } }],
      ['/cortex/ab-test', { name: `c ${name.length}`, variants, targetingRules: { [name]: {} } }],
      ['/nous/adapt/apply', { type: 'ranking', changes: { boosts: [{ id: 'a', [name]: 1 }] } }],
      ['/nous/adapt/apply', { type: 'ranking', changes: { fieldWeights: { [name]: 'much' } } }],
      [
        '/cortex/indices',
        {
          name: 'names',
          settings: { analysis: { filter: { [name]: { type: 'synonym', synonyms: ['a'] } } } },
        },
      ],
    ]
    for (const [path, body] of requests) {
      const queryHash = `hash ${name.length}`
      const answer = await service.call('POST', path, { queryHash, ...body })
      // JSON.stringify escapes halves alone.
      expect(JSON.stringify(answer), path).not.toContain('\\ud')
      expect(JSON.stringify(answer), path).not.toContain('\ufffd')
      expect(JSON.stringify(answer), path).toContain('🍕')
    }
  },
)
