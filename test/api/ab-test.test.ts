import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bucketOf } from '../../src/learn/statistics/buckets.ts'
import { type RunningApp, startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
type Data = Record<string, any>

interface Test {
  testId: string
  name: string
  status: string
  variants: { id: string; name: string; share: number; config: object }[]
  metrics: Record<string, Record<string, number>>
  startDate: string
  endDate: string
  trafficAllocation: number
  warnings?: string[]
}

let app: RunningApp
let count = 0

beforeAll(async () => {
  // Nothing but the tests themselves may change an order here.
  app = await startApp({ EXPLORATION_SHARE: '0', MEMORY_STRENGTH: '0' })
  for (const [id, title, content] of [
    ['a', 'red fox', 'a quick animal'],
    ['b', 'animal care', 'red fox and others'],
  ])
    await app.call('PUT', `/cortex/documents/${id}?index=ab`, { title, content })
})
afterAll(() => app.close())

const name = (): string => `test ${++count}`
const two = [{ name: 'control' }, { name: 'other' }]
const create = (body: object = {}) =>
  app.call<Test>('POST', '/cortex/ab-test/create', { name: name(), variants: two, ...body })
const session = async (body: object = {}) =>
  (await app.call<{ sessionId: string }>('POST', '/cortex/sessions', body)).data.sessionId

describe('creating a test', () => {
  it('tells of what it does not read beside its fields', async () => {
    const { data } = await create({ endDat: '2030-01-01', traffic: 0.5, hypothesis: 'red sells' })
    expect(data.warnings).toEqual([
      '"endDat" is not a field of a test and was ignored; "endDate" is.',
      '"traffic" is not a field of a test and was ignored; "trafficAllocation" is.',
      '"hypothesis" is not a field of a test and was ignored.',
    ])
    await app.call('POST', `/cortex/ab-test/${data.testId}/stop`)
  })

  it('tells of weights of fields that no index searches', async () => {
    const heavy = { id: 'heavy', config: { fieldWeights: { titel: 3, title: 2 } } }
    const { data } = await create({ variants: [{ id: 'control' }, heavy] })
    expect(data.warnings).toEqual([
      'No index searches a field "titel": its weight changes nothing.',
    ])
    const fallbackConfig = { fieldWeights: { contnt: 2 } }
    const fallback = await create({ fallbackConfig })
    expect(fallback.data.warnings).toContain(
      'No index searches a field "contnt": its weight changes nothing.',
    )
    await app.call('POST', `/cortex/ab-test/${fallback.data.testId}/stop`)
    await app.call('POST', `/cortex/ab-test/${data.testId}/stop`)
  })

  it('answers with its variants, shares, times and empty metrics', async () => {
    const { status, data } = await create({ variants: [{ name: 'a' }, {}, {}] })
    expect(status).toBe(200)
    expect(data).toMatchObject({
      status: 'ACTIVE',
      trafficAllocation: 1,
      variants: [
        { id: 'a', name: 'a', share: 1 / 3, config: {} },
        { id: 'variant-1', name: 'variant-1', share: 1 / 3 },
        { id: 'variant-2', name: 'variant-2' },
      ],
      metrics: { a: { units: 0, searches: 0, ctr: 0, mrr: 0, zeroResultRate: 0, latencyP95Ms: 0 } },
    })
    expect(Date.parse(data.endDate) - Date.parse(data.startDate)).toBe(30 * 86_400_000)
  })

  it('answers the same at its other path, and refuses a name twice', async () => {
    const body = { name: 'only one', variants: two }
    const [first, second] = await Promise.all([
      app.call('POST', '/cortex/ab-test', body),
      app.call('POST', '/cortex/ab-test', body),
    ])
    expect([first.status, second.status].sort()).toEqual([200, 409])
    expect([first, second].find(({ status }) => status === 409)?.code).toBe('NAME_TAKEN')
  })

  it.each([
    ['synonyms', { synonyms: ['fox, vixen'] }],
    ['operator', { operator: 'and' }],
    ['minScore', { thresholds: { minScore: 0.2 } }],
    ['fields of weight 0', { fieldWeights: { title: 0 } }],
  ])(
    'refuses to interleave rankings that differ in %s, and says what to do',
    async (what, config) => {
      const variants = [{ id: 'control' }, { id: 'other', config }]
      const { status, details } = await create({ variants, mode: 'interleaving' })
      expect([status, details[0]?.path]).toEqual([400, 'variants[1].config'])
      expect(details[0]?.message).toContain(`differ from variants[0] in ${what} `)
      expect(details[0]?.message).toContain('A/B test (mode split)')
      expect((await create({ variants, status: 'draft' })).status).toBe(200)
      const same = [
        { id: 'control', config: { ...config, fusion: 'rrf' } },
        { id: 'other', config },
      ]
      const both = await create({ variants: same, mode: 'interleaving', status: 'draft' })
      expect(both.status).toBe(200)
    },
  )

  it.each([
    ['weights', { variants: [{ weight: 0.2 }, { weight: 0.8 }] }, [0.2, 0.8]],
    ['percent', { variants: [{ allocation: 30 }, { allocation: 70 }] }, [0.3, 0.7]],
    ['an object by name', { trafficAllocation: { other: 90, control: 10 } }, [0.1, 0.9]],
    ['one of two', { variants: [{ weight: 0.9 }, {}] }, [0.9, 0.1]],
    ['one of three', { variants: [{}, { weight: 40 }, {}] }, [0.3, 0.4, 0.3]],
    ['a sum within 1e-6', { variants: [{ weight: 0.3333334 }, { weight: 0.6666667 }] }, undefined],
  ])('reads shares as %s', async (_, body, shares) => {
    const { status, data } = await create(body)
    expect(status).toBe(200)
    if (shares) expect(data.variants.map(({ share }) => share)).toEqual(shares)
  })

  it('reads a number as the share of units, above 1 as a percentage', async () => {
    expect((await create({ trafficAllocation: 0.25 })).data.trafficAllocation).toBe(0.25)
    expect((await create({ trafficAllocation: 40 })).data.trafficAllocation).toBe(0.4)
    // What shares come to when they are added up is no percentage.
    const sum = { trafficAllocation: 1.1 + 2.2 - 2.3 }
    expect(sum.trafficAllocation).toBeGreaterThan(1)
    expect((await create(sum)).data.trafficAllocation).toBe(1)
  })

  it.each([
    ['one variant', 'variants', { variants: [{ name: 'a' }] }],
    ['an id twice', 'variants[1].id', { variants: [{ id: 'a' }, { id: 'a' }] }],
    [
      'a name twice',
      'variants[1].name',
      {
        variants: [
          { id: 'a', name: 'x' },
          { id: 'b', name: 'x' },
        ],
      },
    ],
    ['shares that miss 1', 'variants', { variants: [{ weight: 0.5 }, { weight: 0.4 }] }],
    ['shares that leave nothing', 'variants', { variants: [{ weight: 1 }, {}] }],
    ['percents that leave nothing', 'variants', { variants: [{ weight: 60 }, { weight: 50 }, {}] }],
    [
      'an allocation without a variant',
      'trafficAllocation',
      { trafficAllocation: { control: 0.5 } },
    ],
    [
      'an object that misses 100',
      'trafficAllocation',
      { trafficAllocation: { control: 50, other: 49 } },
    ],
    [
      'an object that names another',
      'trafficAllocation',
      { trafficAllocation: { control: 50, x: 50 } },
    ],
    ['an object that names none', 'trafficAllocation', { trafficAllocation: {} }],
    [
      'a negative share',
      'trafficAllocation.control',
      { trafficAllocation: { control: -1, other: 2 } },
    ],
    ['an allocation over 100', 'trafficAllocation', { trafficAllocation: 101 }],
    [
      'an end before the start',
      'endDate',
      { startDate: '2090-01-02T00:00:00Z', endDate: '2090-01-01T00:00:00Z' },
    ],
    ['an end in the past', 'endDate', { endDate: '2001-01-01T00:00:00Z' }],
    ['a date that is none', 'startDate', { startDate: 'soon' }],
    ['a start beyond the year 9999', 'startDate', { startDate: 253_402_300_800_000 }],
    ['a start whose end lies there', 'startDate', { startDate: '9999-12-24' }],
    ['an end beyond the year 9999', 'endDate', { endDate: 253_402_300_800_000 }],
    [
      'an unknown operator',
      'targetingRules.age.around',
      { targetingRules: { age: { around: 3 } } },
    ],
    ['an unknown mode', 'mode', { mode: 'bandit' }],
    ['three interleaved', 'variants', { mode: 'interleaving', variants: [{}, {}, {}] }],
    [
      'a guardrail without a threshold',
      'guardrails[0].threshold',
      { guardrails: [{ metric: 'ctr' }] },
    ],
    [
      'a guardrail that is relative in words',
      'guardrails[0].relative',
      { guardrails: [{ metric: 'ctr', threshold: 0.1, relative: 'true' }] },
    ],
    [
      'a targeting rule without a field',
      'targetingRules[0].field',
      { targetingRules: [{ operator: 'eq', value: 'mobile' }] },
    ],
    ['a guardrail without a metric', 'guardrails[0].metric', { guardrails: [{ ctr: 0.1 }] }],
    ['a name that is a number', 'name', { name: 4 }],
    [
      'a weight in words',
      'variants[1].config.fieldWeights.title',
      { variants: [{ id: 'a' }, { id: 'b', config: { fieldWeights: { title: 'x' } } }] },
    ],
  ])('refuses %s and names the place', async (_, path, body) => {
    const { status, code, details } = await create(body)
    expect([status, code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(details[0]?.path).toBe(path)
  })

  it('says which parts of a configuration change no ranking', async () => {
    const config = { fieldWeights: { title: 2 }, colour: 'red', boost: 1.5 }
    const { data } = await create({ variants: [{ id: 'a' }, { id: 'b', config }] })
    expect(data.variants[1]?.config).toEqual(config)
    expect(data.warnings).toHaveLength(2)
    expect(data.warnings?.[0]).toContain('"colour"')
    expect(data.warnings?.[1]).toContain('"boost (must be an object of weights by name)"')
  })
})

describe('assigning a session', () => {
  const assign = (body: object) => app.call<Data>('POST', '/cortex/ab-test/assign', body)

  it('is the published function of the test and the unit, for unknown sessions too, and sticky', async () => {
    const { testId, name: testName } = (await create({ trafficAllocation: 0.5 })).data
    const seen = new Set<string>()
    for (let n = 0; n < 40; n += 1) {
      const { status, data } = await assign({ sessionId: `s-${n}`, testName })
      const bucket = bucketOf(testId, `s-${n}`, 'arm')
      const inExperiment = bucketOf(testId, `s-${n}`, 'inclusion') < 5000
      const variantId = inExperiment && bucket >= 5000 ? 'other' : 'control'
      expect([status, data]).toMatchObject([
        200,
        { testId, testName, bucket, inExperiment, variantId },
      ])
      if (!inExperiment) expect(data.reason).toBe('allocation')
      expect((await assign({ sessionId: `s-${n}`, testId })).data).toEqual(data)
      seen.add(`${inExperiment} ${variantId}`)
    }
    expect(seen.size).toBe(3)
  })

  it('is that of its user in all of the sessions', async () => {
    const { name: testName, testId } = (await create()).data
    const [one, two] = [await session({ userId: 'u-7' }), await session({ userId: 'u-7' })]
    const first = (await assign({ sessionId: one, testName })).data
    expect((await assign({ sessionId: two, testName })).data).toEqual(first)
    expect(first.bucket).toBe(bucketOf(testId, 'u-7', 'arm'))
  })

  it('is control outside the targets', async () => {
    const rules = { targetingRules: [{ field: 'deviceType', operator: 'in', value: ['mobile'] }] }
    const { name: testName } = (await create(rules)).data
    const mobile = await session({ metadata: { deviceType: 'mobile' } })
    const desktop = await session({ metadata: { deviceType: 'desktop' } })
    expect((await assign({ sessionId: mobile, testName })).data.inExperiment).toBe(true)
    for (const sessionId of [desktop, 'unknown'])
      expect((await assign({ sessionId, testName })).data).toMatchObject({
        inExperiment: false,
        variantId: 'control',
        reason: 'targeting',
      })
  })

  it('needs a test that is there and active', async () => {
    const { testId, name: testName } = (await create()).data
    for (const path of ['testName', 'testId'])
      expect(await assign({ sessionId: 's', [path]: 'no such' })).toMatchObject({
        ...{ status: 404, code: 'TEST_NOT_FOUND', details: [{ path }] },
      })
    const nameless = await assign({ sessionId: 's' })
    expect([nameless.status, nameless.details[0]?.path]).toEqual([400, 'testName'])
    const both = await assign({ sessionId: 's', testId, testName: 'another' })
    expect([both.status, both.details[0]?.path]).toEqual([400, 'testName'])
    expect((await assign({ sessionId: 's', testId, testName })).data.testId).toBe(testId)
    const refusal = async (named: string) => {
      const { status, code, error } = await assign({ sessionId: 's', testName: named })
      expect([status, code]).toEqual([409, 'NOT_ACTIVE'])
      return error
    }
    await app.call('POST', `/cortex/ab-test/${testId}/pause`)
    expect(await refusal(testName)).toBe('The test is not active: it is PAUSED; resume it first.')
    await app.call('POST', `/cortex/ab-test/${testId}/stop`)
    expect(await refusal(testName)).toContain('it is STOPPED; it has ended')
    const future = await create({ startDate: '2090-01-01T00:00:00Z' })
    expect(future.data.status).toBe('DRAFT')
    expect(await refusal(future.data.name)).toContain(
      'it is DRAFT; it starts at 2090-01-01T00:00:00.000Z, or when you resume it',
    )
    const held = await create({ status: 'DRAFT' })
    expect(await refusal(held.data.name)).toContain('it is DRAFT; resume starts it')
  })

  it('tells of what it does not read beside its fields', async () => {
    const { name: testName } = (await create()).data
    const { data } = await assign({ sessionId: 's', testName, userId: 'u' })
    expect(data.warnings).toEqual([
      '"userId" is not a field of an assignment and was ignored; "sessionId" is.',
    ])
    expect((await assign({ sessionId: 's', testName })).data).not.toHaveProperty('warnings')
  })
})

describe('a test that runs', () => {
  it('changes the searches of its variant alone, says so, and counts them', async () => {
    const config = { fieldWeights: { title: 0.01 }, fusion: 'rrf' }
    const variants = [{ id: 'control' }, { id: 'content', config }]
    const { testId, name: testName } = (await create({ variants })).data
    const orders: Record<string, Set<string>> = { control: new Set(), content: new Set() }
    const members: Record<string, number> = { control: 0, content: 0 }
    for (let n = 0; n < 20; n += 1) {
      const sessionId = await session({ userId: `searcher ${n}` })
      const { data: assigned } = await app.call<Data>('POST', '/cortex/ab-test/assign', {
        sessionId,
        testName,
      })
      const { data } = await app.call<Data>('POST', '/cortex/search', {
        query: 'red fox',
        index: 'ab',
        searchType: 'text',
        sessionId,
      })
      const applied = data.searchContext.experiments.find((each: Data) => each.testId === testId)
      expect(applied).toMatchObject({ variantId: assigned.variantId, testName })
      orders[assigned.variantId]?.add(data.hits.map((hit: Data) => hit.id).join())
      members[assigned.variantId]! += 1
      if (assigned.variantId === 'content')
        await app.call('POST', '/cortex/feedback', {
          sessionId,
          feedback: [
            {
              queryId: data.searchContext.queryId,
              rating: 1,
              metadata: { userAction: 'click', resultId: data.hits[1].id },
            },
          ],
        })
    }
    expect(orders.control).toEqual(new Set(['a,b']))
    expect(orders.content).toEqual(new Set(['b,a']))
    const { data } = await app.call<Data>('GET', `/cortex/ab-test/${testId}`)
    expect(data.metrics).toMatchObject({
      control: { units: members.control, searches: members.control, ctr: 0, rating: null },
      content: { units: members.content, searches: members.content, ctr: 1, mrr: 0.5, rating: 1 },
    })
    expect(data.comparisons).not.toEqual([])
    await app.call('POST', `/cortex/ab-test/${testId}/stop`)
    const sessionId = await session({ userId: 'searcher 0' })
    const after = await app.call<Data>('POST', '/cortex/search', { query: 'red fox', sessionId })
    expect(after.data.searchContext.experiments.some((each: Data) => each.testId === testId)).toBe(
      false,
    )
  })

  it('counts a list as one search, clicked or not, whatever page its hits are on', async () => {
    const { testId } = (await create()).data
    const sessionId = await session({ userId: 'one who reads on' })
    const page = async (more: object) =>
      (
        await app.call<Data>('POST', '/cortex/search', {
          query: 'fox',
          size: 1,
          sessionId,
          ...more,
        })
      ).data
    const first = await page({})
    const pages = [await page({ from: 1 }), await page({ cursor: first.nextCursor }), first]
    for (const { searchContext, hits } of pages)
      await app.call('POST', '/cortex/feedback', {
        sessionId,
        feedback: ['click', 'purchase'].map((userAction) => ({
          queryId: searchContext.queryId,
          rating: 1,
          metadata: { userAction, resultId: hits[0].id },
        })),
      })
    const { metrics } = (await app.call<Data>('GET', `/cortex/ab-test/${testId}`)).data
    const { variantId } = first.searchContext.experiments.find(
      (each: Data) => each.testId === testId,
    )
    const once = { units: 1, searches: 1, ctr: 1, mrr: 1, conversionRate: 1 }
    expect(metrics[variantId]).toMatchObject(once)
    await app.call('POST', `/cortex/ab-test/${testId}/stop`)
  })

  it('deals two rankings into one list, and credits the one that a click came from', async () => {
    const variants = [{ id: 'one' }, { id: 'two', config: { fieldWeights: { title: 0.01 } } }]
    const { testId } = (await create({ variants, mode: 'interleaving' })).data
    const seen = new Set<string>()
    for (let n = 0; n < 20; n += 1) {
      const sessionId = await session({ userId: `taster ${n}` })
      const { data } = await app.call<Data>('POST', '/cortex/search', {
        query: 'red fox',
        index: 'ab',
        searchType: 'text',
        sessionId,
      })
      const { experiments, queryId } = data.searchContext
      expect(experiments.some((each: Data) => each.variantId === '@interleaved')).toBe(true)
      const hits: string[] = data.hits.map((hit: Data) => hit.id)
      seen.add(hits.join())
      const metadata = { userAction: 'click', resultId: hits[0] }
      const feedback = [{ queryId, rating: 1, metadata }]
      await app.call('POST', '/cortex/feedback', { sessionId, feedback })
    }
    expect([...seen].sort()).toEqual(['a,b', 'b,a'])
    const { data } = await app.call<Data>('GET', `/cortex/ab-test/${testId}`)
    expect(data.metrics['@interleaved']).toMatchObject({ units: 20, ctr: 1 })
    expect(data.interleaving).toMatchObject({ units: 20, significant: false })
    expect(data.verdict).toEqual({ metric: 'preference', decision: 'UNDECIDED' })
    await app.call('POST', `/cortex/ab-test/${testId}/stop`)
  })

  it.each([
    [{ pins: ['a'] }, { pins: ['b'] }],
    [{ pins: ['b'] }, {}],
    [{ fieldWeights: { title: 0.01 } }, {}],
  ])('deals each ranking by its own settings alone: %j and %j', async (one, other) => {
    const variants = [
      { id: 'one', config: one },
      { id: 'other', config: other },
    ]
    const { testId } = (await create({ variants, mode: 'interleaving' })).data
    const firsts = new Set<string>()
    for (let n = 0; n < 20; n += 1) {
      const sessionId = await session({ userId: `chooser ${n}` })
      const words = { query: 'red fox', index: 'ab', searchType: 'text', sessionId }
      const { data } = await app.call<Data>('POST', '/cortex/search', words)
      const hits: string[] = data.hits.map((hit: Data) => hit.id)
      firsts.add(hits[0] ?? '')
      const path = `/nous/learn/searches/${data.searchContext.queryId}`
      const again = await app.call<Data>('POST', `${path}/replay`)
      expect(again.status).toBe(200)
      expect(again.data.hits.map((hit: Data) => hit.id)).toEqual(hits)
    }
    expect([...firsts].sort()).toEqual(['a', 'b'])
    await app.call('POST', `/cortex/ab-test/${testId}/stop`)
  })

  it('changes the searches of sessions that it has never heard of, and counts nobody by them', async () => {
    const variants = [{ id: 'control' }, { id: 'nothing', config: { minScore: 100 } }]
    const { testId } = (await create({ variants })).data
    const totals = new Map<string, number>()
    for (let n = 0; n < 20; n += 1) {
      const sessionId = `session ${n}`
      const sent = { sessionId, query: 'red fox', index: 'ab' }
      const { data: assigned } = await app.call<Data>('POST', '/cortex/ab-test/assign', {
        ...{ sessionId, testId },
      })
      const { data } = await app.call<Data>('POST', '/cortex/search', sent)
      const applied = data.searchContext.experiments.find((each: Data) => each.testId === testId)
      expect(applied.variantId).toBe(assigned.variantId)
      totals.set(assigned.variantId, data.total)
    }
    expect(Object.fromEntries(totals)).toEqual({ control: 2, nothing: 0 })
    const { data } = await app.call<Data>('GET', `/cortex/ab-test/${testId}`)
    expect(data.metrics.nothing.units).toBe(0)
    await app.call('POST', `/cortex/ab-test/${testId}/stop`)
  })

  it('leaves searches without a session alone', async () => {
    await create({ variants: [{}, { config: { minScore: 100 } }] })
    const { data } = await app.call<Data>('POST', '/cortex/search', {
      query: 'red fox',
      index: 'ab',
    })
    expect([data.total, data.searchContext.experiments]).toEqual([2, []])
  })

  it('is paused, resumed and stopped for good; the same again changes nothing', async () => {
    const { testId } = (await create()).data
    const steer = async (verb: string) => {
      const { status, code, data } = await app.call<Data>(
        'POST',
        `/cortex/ab-test/${testId}/${verb}`,
      )
      return status === 200 ? data.status : code
    }
    const verbs = ['resume', 'pause', 'pause', 'resume', 'stop', 'stop', 'resume']
    const seen = []
    for (const verb of verbs) seen.push(await steer(verb))
    const [A, P, S] = ['ACTIVE', 'PAUSED', 'STOPPED']
    expect(seen).toEqual([A, P, P, A, S, S, 'INVALID_TRANSITION'])
    expect((await app.call('POST', '/cortex/ab-test/none/pause')).code).toBe('TEST_NOT_FOUND')
  })

  it('is listed and survives a restart', async () => {
    const { data } = await create({ status: 'draft' })
    const list = async () =>
      (await app.call<Data>('GET', '/cortex/ab-test?status=DRAFT,PAUSED')).data.tests
    const before = await list()
    expect(before[0]).toEqual(data)
    await app.restart()
    expect(await list()).toEqual(before)
    expect((await create({ name: data.name })).code).toBe('NAME_TAKEN')
  })
})

it('the API document tells how units are assigned, with test vectors', async () => {
  const response = await fetch(`${app.url}/openapi.json`)
  const { paths } = (await response.json()) as Data
  const { description } = paths['/cortex/ab-test/assign'].post
  expect(description).toContain('MurmurHash3_x86_32')
  expect(description).toContain(
    '| `search-test-1` | `user-1` | 1 | 0.5, 0.5 | 4612 | 6836 | arm 1 |',
  )
})

describe('a variant that names a model', () => {
  const sync = (modelId: string, weight: number) =>
    app.call<Data>('POST', '/nous/learn/models/sync', {
      ...{ modelId, state: { weights: [weight], bias: 0, featureNames: ['textScore'] } },
    })
  const models = async () => {
    const request = { query: 'red fox', index: 'ab', sessionId: await session() }
    const { data } = await app.call<Data>('POST', '/cortex/search', request)
    return data.searchContext.model
  }
  const both = (model: string) =>
    create({ variants: ['a', 'b'].map((id) => ({ id, config: { model } })) })

  it('ranks by the version that it had when the test was made', async () => {
    await sync('early', 1)
    const { data } = await both('early')
    expect(data.warnings ?? []).toEqual([])
    await waitUntil(async () => (await models()) === 'early@1')
    expect((await sync('early', -1)).data.version).toBe(2)
    for (let round = 0; round < 3; round += 1) expect(await models()).toBe('early@1')
    await app.call('POST', `/cortex/ab-test/${data.testId}/stop`)
  })

  it('ranks by the first version that comes when none was there, and keeps it', async () => {
    const { data } = await both('late')
    expect(data.warnings?.length).toBe(2)
    expect(await models()).toBeNull()
    await sync('late', 1)
    const found = `/nous/learn/events?type=TEST_MODEL_FOUND`
    await waitUntil(async () => (await app.call<Data>('GET', found)).data.total > 0)
    await sync('late', -1)
    await waitUntil(async () => (await models()) === 'late@1')
    for (let round = 0; round < 3; round += 1) expect(await models()).toBe('late@1')
    await app.call('POST', `/cortex/ab-test/${data.testId}/stop`)
  })
})
