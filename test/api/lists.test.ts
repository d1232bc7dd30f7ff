import { afterAll, beforeAll, expect, it } from 'vitest'
import { routes } from '../../src/api/index.ts'
import { type RunningApp, startApp } from '../running-app.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp()
  const state = { weights: [1], featureNames: ['textScore'], scaler: { mean: [0], std: [1] } }
  await running.call('POST', '/nous/learn/models/sync', { modelId: 'm', state })
  await running.call('POST', '/nous/learn/models/sync', { modelId: 'n', state, activate: true })
  const variants = [{ id: 'a' }, { id: 'b' }]
  await running.call('POST', '/cortex/ab-test/create', { name: 't', variants })
  const experiment = { name: 'e', type: 'model_config', variants }
  await running.call('POST', '/nous/ab-testing/experiments', experiment)
  const patterns = { positivePatterns: ['title'] }
  for (const confidence of [0.1, 0.9])
    await running.call('POST', '/nous/adapt/suggest', { queryHash: 'h', patterns, confidence })
  const changes = { fieldWeights: { title: 2 } }
  await running.call('POST', '/nous/adapt/apply', { type: 'ranking', queryHash: 'a', changes })
  await running.call('POST', '/nous/adapt/apply', {
    ...{ type: 'Rules', queryHash: 'b', changes, immediate: true },
  })
})
afterAll(() => running.close())

const total = async (path: string) =>
  (await running.call<{ total: number }>('GET', path)).data.total

it.each([
  ['/cortex/ab-test', 'ACTIVE', 'DRAFT', 1],
  ['/nous/ab-testing/experiments', 'ACTIVE', 'ROLLED_BACK', 1],
  ['/nous/learn/models', 'CANDIDATE', 'ACTIVE', 2],
  ['/nous/adapt/suggestions', 'ACCEPTED', 'REJECTED', 2],
  ['/nous/adaptations', 'CANARY', 'ACTIVE', 2],
  ['/nous/signals', 'COMPLETED', 'PENDING', 3],
])('%s takes words of any case, repeated or as a comma list', async (path, one, other, both) => {
  for (const query of [
    `status=${one},${other}`,
    `status=${one.toLowerCase()},%20${other.toLowerCase()}`,
    `status=${one}&status=${other}`,
    'status=',
    '',
  ])
    expect(await total(`${path}?${query}`), query).toBe(both)
  const answer = await running.call('GET', `${path}?status=${one},wat`)
  expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
  expect(answer.details).toMatchObject([
    { path: 'status', message: expect.stringMatching(`^must be one of .*${one}`) },
  ])
})

it('suggestions are told apart by their source, adaptations by any type', async () => {
  expect(await total('/nous/adapt/suggestions?source=Client,service')).toBe(2)
  expect(await total('/nous/adapt/suggestions?source=service')).toBe(0)
  expect(await running.call('GET', '/nous/adapt/suggestions?source=wat')).toMatchObject({
    ...{ status: 400, details: [{ path: 'source', message: 'must be one of CLIENT, SERVICE' }] },
  })
  expect(await total('/nous/adaptations?type=ranking,rules')).toBe(2)
  expect(await total('/nous/adaptations?type=of%20my%20own')).toBe(0)
})

/** Every list with each id that it can be filtered by; a search only says who searches. */
const filters = routes
  .filter(({ method, path }) => method === 'GET' && path !== '/cortex/search')
  .flatMap(({ path, query }) => {
    const { properties = {}, required = [] } = (query ?? {}) as {
      properties?: object
      required?: string[]
    }
    const ids = Object.keys(properties).filter((name) => /(?:Id|Hash)$/.test(name))
    return ids.filter((id) => !required.includes(id)).map((id) => [path, id] as const)
  })

it('the ids that lists can be filtered by are these', () => {
  expect(filters.map(([path, id]) => `${path}?${id}`)).toEqual([
    '/cortex/feedback?sessionId',
    '/cortex/feedback?queryId',
    '/nous/signals?sessionId',
    '/nous/learn/events?sessionId',
    '/nous/learn/events?modelId',
    '/nous/learn/events?adaptationId',
    '/nous/adapt/suggestions?queryHash',
    '/nous/adapt/rules?queryHash',
    '/nous/adaptations?queryHash',
  ])
})

it.each(filters)('%s refuses an empty %s, which names nothing', async (path, id) => {
  const message = 'must not be empty: give it a value, or leave it out'
  for (const query of [`${id}=`, id, `limit=5&${id}=`])
    expect(await running.call('GET', `${path}?${query}`), query).toMatchObject({
      ...{ status: 400, code: 'VALIDATION_FAILED', error: `${id} ${message}.` },
      details: [{ path: id, message }],
    })
  expect(await running.call('GET', `${path}?${id}=nobody`)).toMatchObject({ status: 200 })
})

it('an empty id that a route can not do without is asked for', async () => {
  expect(await running.call('GET', '/cortex/sessions?id=')).toMatchObject({
    ...{ status: 400, code: 'VALIDATION_FAILED', error: 'id must not be empty.' },
  })
})

it('of an id that an address lacks it says by which name it is read', async () => {
  const message = 'is required, the id of the session: ?id=… ("sessionId" is not read here)'
  expect(await running.call('GET', '/cortex/sessions?sessionId=s-1')).toMatchObject({
    ...{ status: 400, code: 'VALIDATION_FAILED', error: `id ${message}.` },
    details: [{ path: 'id', message }],
  })
  const { error } = await running.call('GET', '/cortex/sessions?ID=s-1')
  expect(error).toContain('id is required in this spelling')
})
