import { afterAll, beforeAll, expect, it } from 'vitest'
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
}, 120_000)
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
