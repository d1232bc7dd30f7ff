import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bucketOf } from '../../src/learn/assignment.ts'
import { type RunningApp, startApp } from '../running-app.ts'

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
  app = await startApp()
  for (const [id, title, content] of [
    ['a', 'red fox', 'a quick animal'],
    ['b', 'animal care', 'red fox and others'],
  ])
    await app.call('POST', '/cortex/documents', { index: 'ab', document: { id, title, content } })
}, 120_000)
afterAll(() => app.close())

const name = (): string => `test ${++count}`
const two = [{ name: 'control' }, { name: 'other' }]
const create = (body: object = {}) =>
  app.call<Test>('POST', '/cortex/ab-test/create', { name: name(), variants: two, ...body })
const session = async (body: object = {}) =>
  (await app.call<{ sessionId: string }>('POST', '/cortex/sessions', body)).data.sessionId

describe('creating a test', () => {
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
    ['weights', { variants: [{ weight: 0.2 }, { weight: 0.8 }] }, [0.2, 0.8]],
    ['percent', { variants: [{ allocation: 30 }, { allocation: 70 }] }, [0.3, 0.7]],
    ['an object by name', { trafficAllocation: { other: 90, control: 10 } }, [0.1, 0.9]],
    ['a sum within 1e-6', { variants: [{ weight: 0.3333334 }, { weight: 0.6666667 }] }, undefined],
  ])('reads shares as %s', async (_, body, shares) => {
    const { status, data } = await create(body)
    expect(status).toBe(200)
    if (shares) expect(data.variants.map(({ share }) => share)).toEqual(shares)
  })

  it('reads a number as the share of units, above 1 as a percentage', async () => {
    expect((await create({ trafficAllocation: 0.25 })).data.trafficAllocation).toBe(0.25)
    expect((await create({ trafficAllocation: 40 })).data.trafficAllocation).toBe(0.4)
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
    ['a share for one of two', 'variants', { variants: [{ weight: 1 }, {}] }],
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
    ['an allocation over 100', 'trafficAllocation', { trafficAllocation: 101 }],
    [
      'an end before the start',
      'endDate',
      { startDate: '2090-01-02T00:00:00Z', endDate: '2090-01-01T00:00:00Z' },
    ],
    ['an end in the past', 'endDate', { endDate: '2001-01-01T00:00:00Z' }],
    ['a date that is none', 'startDate', { startDate: 'soon' }],
    ['an unknown operator', 'targetingRules', { targetingRules: { age: { around: 3 } } }],
    ['an unknown mode', 'mode', { mode: 'bandit' }],
    ['three interleaved', 'variants', { mode: 'interleaving', variants: [{}, {}, {}] }],
    [
      'a guardrail without a threshold',
      'guardrails[0].threshold',
      { guardrails: [{ metric: 'ctr' }] },
    ],
    ['a name that is a number', 'name', { name: 4 }],
  ])('refuses %s and names the place', async (_, path, body) => {
    const { status, code, details } = await create(body)
    expect([status, code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(details[0]?.path).toBe(path)
  })

  it('says which parts of a configuration change no ranking', async () => {
    const config = { fieldWeights: { title: 2 }, colour: 'red' }
    const { data } = await create({ variants: [{ id: 'a' }, { id: 'b', config }] })
    expect(data.variants[1]?.config).toEqual(config)
    expect(data.warnings).toHaveLength(1)
    expect(data.warnings?.[0]).toContain('colour')
  })
})
