import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bucketOf } from '../../src/learn/statistics/buckets.ts'
import { type RunningApp, startApp } from '../running-app.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
type Data = Record<string, any>

let app: RunningApp
let count = 0

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const PATH = '/nous/ab-testing/experiments'
const body = (more: object = {}) => ({
  name: `experiment ${++count}`,
  type: 'learning_strategy',
  variants: [{ id: 'a' }, { id: 'b', config: { learning: false } }],
  ...more,
})
const create = (more: object = {}) => app.call<Data>('POST', PATH, body(more))

describe('a learning experiment', () => {
  it('is created with monitoring, on the default steps', async () => {
    const { status, data } = await create({ guardrails: [{ metric: 'ctr', threshold: 0.1 }] })
    expect(status).toBe(200)
    expect(data).toMatchObject({
      experimentId: expect.any(String),
      status: 'ACTIVE',
      type: 'learning_strategy',
      monitoring: {
        srm: {
          ...{ status: 'INSUFFICIENT_DATA', pValue: null, chiSquare: null },
          observed: { a: 0, b: 0 },
        },
        guardrails: [{ metric: 'ctr', variantId: 'b', status: 'INSUFFICIENT_DATA' }],
        step: { current: 1, of: 4, percent: 10 },
        nextCheckAt: expect.any(String),
        sampleSize: 0,
      },
    })
  })

  it('has a name of its own among experiments, whatever tests are called', async () => {
    const name = 'shared name'
    const made = await app.call('POST', '/cortex/ab-test', { name, variants: [{}, {}] })
    const statuses = [made.status]
    for (const path of [PATH, '/nous/experiments'])
      statuses.push((await app.call('POST', path, body({ name }))).status)
    expect(statuses).toEqual([200, 200, 409])
  })

  it('has variants that a session can ask for, by its name or its id, as it grows', async () => {
    const { data } = await create({ rolloutStrategy: { type: 'steps', steps: [50, 100] } })
    const { experimentId: testId, name: testName } = data
    const assign = (sent: object) => app.must<Data>('POST', '/cortex/ab-test/assign', sent)
    const seen = new Set<string>()
    for (let n = 0; n < 40; n += 1) {
      const sessionId = `visitor-${n}`
      const isIn = bucketOf(testId, sessionId, 'inclusion') < 5000
      const arm = bucketOf(testId, sessionId, 'arm') < 5000 ? 'a' : 'b'
      const assigned = await assign({ sessionId, testName })
      expect(assigned).toMatchObject({ testId, testName, variantId: isIn ? arm : 'a' })
      expect(assigned.inExperiment).toBe(isIn)
      expect(await assign({ sessionId, testId })).toEqual(assigned)
      seen.add(`${isIn} ${arm}`)
    }
    expect(seen.size).toBe(4)
    await app.must('POST', `${PATH}/${testId}/deactivate`)
    const refused = await app.call('POST', '/cortex/ab-test/assign', { sessionId: 's', testName })
    expect(refused).toMatchObject({ status: 409, code: 'NOT_ACTIVE' })
    expect(refused.error).toContain('it is PAUSED; activate it first')
  })

  it('has a test before it where both have one name', async () => {
    const name = 'both kinds'
    await app.must('POST', PATH, body({ name }))
    const sent = { name, variants: [{ id: 'c' }, { id: 'd' }] }
    const { testId } = await app.must<Data>('POST', '/cortex/ab-test', sent)
    const asked = { sessionId: 's', testName: name }
    expect((await app.must<Data>('POST', '/cortex/ab-test/assign', asked)).testId).toBe(testId)
  })

  it('is listed, read and steered under the shorter path, too', async () => {
    const other = '/nous/experiments'
    const { data } = await app.call<Data>('POST', other, body())
    const path = `${other}/${data.experimentId}`
    expect((await app.call<Data>('GET', path)).data.experimentId).toBe(data.experimentId)
    const [one, same] = await Promise.all(
      [PATH, other].map((at) => app.call<Data>('GET', `${at}?limit=1`)),
    )
    expect(one?.status).toBe(200)
    expect(same?.data).toEqual(one?.data)
    for (const [verb, status] of [
      ['deactivate', 'PAUSED'],
      ['activate', 'ACTIVE'],
      ['stop', 'STOPPED'],
    ])
      expect((await app.call<Data>('POST', `${path}/${verb}`)).data.status).toBe(status)
  })

  it.each([
    ['no type', 'type', { type: undefined }],
    ['one variant', 'variants', { variants: [{ id: 'a' }] }],
    ['an unknown rollout', 'rolloutStrategy.type', { rolloutStrategy: { type: 'magic' } }],
    [
      'steps of more than a year',
      'rolloutStrategy.interval',
      { rolloutStrategy: { type: 'steps', steps: [10, 100], interval: 9e15 } },
    ],
    ['a rollout in words', 'rolloutStrategy', { rolloutStrategy: 'steps' }],
    ['a guardrail in words', 'guardrails', { guardrails: 'strict' }],
    [
      'a bad operator',
      'guardrails[0].operator',
      { guardrails: [{ metric: 'x', operator: '~', threshold: 1 }] },
    ],
    ['metrics that are numbers', 'technicalMetrics[0]', { technicalMetrics: [3] }],
    ['null as metrics', 'businessMetrics', { businessMetrics: null }],
    ['null as guardrails', 'guardrails', { guardrails: null }],
    ['null as a rollout', 'rolloutStrategy.type', { rolloutStrategy: { type: null } }],
    [
      'a fallback that weighs in words',
      'fallbackConfig.textWeight',
      { fallbackConfig: { textWeight: 'much' } },
    ],
    ['a fallback in words', 'fallbackConfig', { fallbackConfig: 'none' }],
  ])('is refused with %s', async (_, path, more) => {
    const { status, code, details } = await create(more)
    expect([status, code, details[0]?.path]).toEqual([400, 'VALIDATION_FAILED', path])
  })

  it('is activated and deactivated; the same again changes nothing', async () => {
    const { experimentId } = (await create({ status: 'DRAFT' })).data
    const steer = async (verb: string) =>
      (await app.call<Data>('POST', `${PATH}/${experimentId}/${verb}`)).data.status
    expect((await app.call('POST', `${PATH}/${experimentId}/deactivate`)).code).toBe(
      'INVALID_TRANSITION',
    )
    expect([await steer('activate'), await steer('activate')]).toEqual(['ACTIVE', 'ACTIVE'])
    expect([await steer('deactivate'), await steer('activate')]).toEqual(['PAUSED', 'ACTIVE'])
    const { data } = await app.call<Data>('GET', `${PATH}/${experimentId}`)
    expect(data).toMatchObject({
      status: 'ACTIVE',
      verdict: { decision: 'UNDECIDED' },
      comparisons: [],
    })
  })

  it('is stopped for good', async () => {
    const { experimentId } = (await create()).data
    const { data } = await app.call<Data>('POST', `${PATH}/${experimentId}/stop`)
    expect(data).toMatchObject({ experimentId, status: 'STOPPED' })
    expect(await app.call('POST', `${PATH}/${experimentId}/activate`)).toMatchObject({
      status: 409,
      code: 'INVALID_TRANSITION',
    })
  })

  it('is unknown with 404, and a test is none', async () => {
    const { testId } = (
      await app.call<Data>('POST', '/cortex/ab-test', { name: 'a test', variants: [{}, {}] })
    ).data
    for (const id of ['nothing', testId])
      for (const [method, path] of [
        ['GET', `${PATH}/${id}`],
        ['POST', `${PATH}/${id}/activate`],
      ] as const)
        expect(await app.call(method, path)).toMatchObject({
          status: 404,
          code: 'EXPERIMENT_NOT_FOUND',
        })
  })

  it('is listed by status, newest first, at most as many as asked for', async () => {
    const draft = (await create({ status: 'DRAFT' })).data.experimentId
    const { data } = await app.call<Data>('GET', `${PATH}?status=draft&limit=1`)
    expect(data.experiments.map((each: Data) => each.experimentId)).toEqual([draft])
    expect(data).toMatchObject({ limit: 1, total: expect.any(Number) })
    expect((await app.call('GET', `${PATH}?status=sleeping`)).status).toBe(400)
    expect((await app.call('GET', `${PATH}?limit=0`)).status).toBe(400)
  })
})

describe('a reported result', () => {
  const report = (sent: object) => app.call<Data>('POST', '/nous/ab-testing/results', sent)

  it('counts for the variant that is named or that the unit is in', async () => {
    const { experimentId, name } = (await create({ rolloutStrategy: { type: 'immediate' } })).data
    expect(
      (await report({ experimentId, variantId: 'b', metrics: { revenue: 2 } })).data,
    ).toMatchObject({
      experimentId,
      variantId: 'b',
      recorded: 1,
      status: 'ACTIVE',
    })
    await report({ experimentId, variantId: 'b', metrics: { revenue: 4, nps: 7 } })
    const own = await report({ experimentName: name, unit: 'u-1', metrics: { revenue: 1 } })
    expect(['a', 'b']).toContain(own.data.variantId)
    const { metrics } = (await app.call<Data>('GET', `${PATH}/${experimentId}`)).data
    expect(metrics.b.reported.nps).toEqual({ mean: 7, values: 1, units: 1 })
  })

  it('tells of what it does not read beside its fields', async () => {
    const { experimentId } = (await create({ rolloutStrategy: { type: 'immediate' } })).data
    const sent = { experimentId, variantId: 'b', user: 'u-1', metrics: { revenue: 2 } }
    expect((await report(sent)).data.warnings).toEqual([
      '"user" is not a field of a result and was ignored; "unit" is.',
    ])
    const { user: unit, ...same } = sent
    expect((await report({ ...same, unit })).data).not.toHaveProperty('warnings')
  })

  it('may name a test, a user, a variant and one value by their own names', async () => {
    const variants = [
      { id: '1', name: 'plain' },
      { id: '2', name: 'bold' },
    ]
    const name = 'other names'
    const { testId } = await app.must<Data>('POST', '/cortex/ab-test', { name, variants })
    const bold = { variantId: 'bold', userId: 'u-9', metric: 'revenue' }
    const first = await report({ ...bold, testId, value: 2 })
    expect(first.data).toMatchObject({ experimentId: testId, variantId: '2', recorded: 1 })
    expect(first.data).not.toHaveProperty('warnings')
    await report({ ...bold, testName: name, value: 4, metrics: { nps: 7 } })
    const { metrics } = await app.must<Data>('GET', `/cortex/ab-test/${testId}`)
    expect(metrics['2'].reported).toMatchObject({
      revenue: { mean: 3, values: 2, units: 1 },
      nps: { mean: 7, values: 1, units: 1 },
    })
  })

  it.each([
    ['metrics', {}],
    ['value', { metric: 'revenue' }],
    ['metric', { value: 2 }],
    ['metric', { metric: 'a', value: 2, metrics: { a: 1 } }],
    ['testId', { metrics: { a: 1 }, testId: 'another' }],
    ['userId', { metrics: { a: 1 }, unit: 'u', userId: 'v' }],
  ])('is refused at %s for %j', async (path, sent) => {
    const { experimentId } = (await create()).data
    const { status, details } = await report({ experimentId, variantId: 'a', ...sent })
    expect([status, details[0]?.path]).toEqual([400, path])
  })

  it('has numbers under names, whatever the names are', async () => {
    const { experimentId } = (await create({ rolloutStrategy: { type: 'immediate' } })).data
    for (const metrics of [{ 'a\nb': 'x' }, { '': 1 }, { ['x'.repeat(129)]: 1 }]) {
      const { status, details } = await report({ experimentId, variantId: 'b', metrics })
      expect([status, details[0]?.path]).toEqual([400, expect.stringMatching(/^metrics/)])
    }
    const { metrics } = (await app.call<Data>('GET', `${PATH}/${experimentId}`)).data
    expect(metrics.b.reported).toBeUndefined()
  })

  it('as great as may be can be summed and compared', async () => {
    const more = { rolloutStrategy: { type: 'immediate' }, successMetrics: ['revenue'] }
    const { experimentId } = (await create(more)).data
    for (const variantId of ['a', 'b'])
      for (const revenue of [1e100, -1e100, 1e100])
        await report({ experimentId, variantId, metrics: { revenue } })
    const { status, data } = await app.call<Data>('GET', `${PATH}/${experimentId}`)
    expect(status).toBe(200)
    expect(data.metrics.b.reported.revenue).toMatchObject({ values: 3, units: 3 })
    expect(data.metrics.b.reported.revenue.mean / 1e100).toBeCloseTo(1 / 3)
    expect(data.comparisons).toMatchObject([{ metric: 'revenue' }])
    for (const value of Object.values(data.comparisons[0]).flat())
      if (typeof value === 'number') expect(value).toSatisfy(Number.isFinite)
  })

  it('beyond a guardrail rolls the experiment back', async () => {
    const { experimentId } = (
      await create({ guardrails: [{ metric: 'latency', operator: '>', threshold: 500 }] })
    ).data
    const { data } = await report({ experimentId, variantId: 'b', metrics: { latency: 900 } })
    expect(data.status).toBe('ROLLED_BACK')
    const again = await app.call('POST', `${PATH}/${experimentId}/activate`)
    expect([again.status, again.code]).toEqual([409, 'INVALID_TRANSITION'])
    const { events } = (
      await app.call<Data>('GET', '/nous/learn/events?type=EXPERIMENT_ROLLED_BACK')
    ).data
    expect(events[0]).toMatchObject({
      data: { experimentId, metric: 'latencyP95Ms', observed: 900 },
    })
  })

  it('that rolled an experiment back leaves a fallback that deactivate ends', async () => {
    const { experimentId } = (
      await create({ guardrails: { errors: 1 }, fallbackConfig: { minScore: 0.1 } })
    ).data
    await report({ experimentId, variantId: 'b', metrics: { errors: 9 } })
    const path = `${PATH}/${experimentId}`
    const isInForce = async () => (await app.call<Data>('GET', path)).data.fallbackInForce
    expect(await isInForce()).toBe(true)
    const { status, data } = await app.call<Data>('POST', `${path}/deactivate`)
    expect([status, data.status, data.fallbackInForce]).toEqual([200, 'ROLLED_BACK', false])
    expect(await isInForce()).toBe(false)
  })

  it.each([
    ['no experiment', { metrics: { a: 1 } }, 400, 'experimentId'],
    [
      'an unknown one',
      { experimentId: 'x', variantId: 'a', metrics: { a: 1 } },
      404,
      'experimentId',
    ],
    ['no metrics', { experimentId: 'x', metrics: {} }, 400, 'metrics'],
    ['a value too great to sum', { experimentId: 'x', metrics: { a: 1e308 } }, 400, 'metrics.a'],
    ['a value too small to sum', { experimentId: 'x', metrics: { a: -1e101 } }, 400, 'metrics.a'],
    ['a metric in words', { experimentId: 'x', metrics: { a: '1' } }, 400, 'metrics.a'],
  ])('with %s is refused', async (_, sent, status, path) => {
    const answered = await report(sent)
    expect([answered.status, answered.details[0]?.path]).toEqual([status, path])
  })

  it('counts for a test, too, whose name may be that of an experiment', async () => {
    const name = 'both a test and an experiment'
    const variants = [{ id: 'a' }, { id: 'b' }]
    const test = await app.call<Data>('POST', '/cortex/ab-test', { name, variants })
    const sent = { experimentName: name, variantId: 'b', metrics: { revenue: 1 } }
    expect((await report(sent)).data.experimentId).toBe(test.data.testId)
    const { experimentId } = (await create({ name })).data
    expect((await report(sent)).data.experimentId).toBe(experimentId)
    expect((await report({ ...sent, experimentName: 'neither' })).code).toBe('EXPERIMENT_NOT_FOUND')
  })

  it('of an id and a name that mean two is refused', async () => {
    const { experimentId, name } = (await create()).data
    const result = { experimentId, variantId: 'a', metrics: { a: 1 } }
    const { status, details } = await report({ ...result, experimentName: 'another' })
    expect([status, details[0]?.path]).toEqual([400, 'experimentName'])
    expect((await report({ ...result, experimentName: name })).data.recorded).toBe(1)
  })

  it('counts while the experiment is paused, and no more when a test was stopped', async () => {
    const { experimentId } = (await create()).data
    await app.call('POST', `${PATH}/${experimentId}/deactivate`)
    const { data } = await report({ experimentId, variantId: 'a', metrics: { late: 3 } })
    expect(data).toMatchObject({ recorded: 1, status: 'PAUSED' })
    const { metrics } = (await app.call<Data>('GET', `${PATH}/${experimentId}`)).data
    expect(metrics.a.reported.late).toMatchObject({ mean: 3, values: 1 })

    const test = { name: 'to be stopped', variants: [{ id: 'a' }, {}] }
    const { testId } = (await app.call<Data>('POST', '/cortex/ab-test', test)).data
    await app.call('POST', `/cortex/ab-test/${testId}/stop`)
    const sent = { experimentId: testId, variantId: 'a', metrics: { late: 3 } }
    expect((await report(sent)).code).toBe('NOT_ACTIVE')
  })

  it('for an unknown variant, and for nobody, is refused', async () => {
    const { experimentId } = (await create()).data
    for (const variantId of ['z', undefined]) {
      const { status, details } = await report({ experimentId, variantId, metrics: { a: 1 } })
      expect([status, details[0]?.path]).toEqual([400, 'variantId'])
    }
  })
})

it('the metrics page counts experiments by status', async () => {
  await create()
  const page = await app.metricsPage()
  expect(page).toMatch(/^svc_experiments\{kind="experiment",status="ACTIVE"\} [1-9]/m)
  expect(page).toMatch(/^svc_experiment_units\{kind="experiment",status="ACTIVE"\} \d/m)
})
