import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
type Data = Record<string, any>

let running: RunningApp

beforeAll(async () => {
  running = await startApp()
})
afterAll(() => running.close())

const post = async (path: string, body: object = {}): Promise<Data> => {
  const { data, status, error } = await running.call<Data>('POST', path, body)
  expect(status, `${path}: ${error}`).toBe(200)
  return data
}
const get = async (path: string): Promise<Data> => {
  const { data, status, error } = await running.call<Data>('GET', path)
  expect(status, `${path}: ${error}`).toBe(200)
  return data
}
const variants = [{ id: 'control' }, { id: 'other' }]

it('a test is one in any case of its id', async () => {
  const { testId } = await post('/cortex/ab-test', { name: 'a test', variants })
  const id = testId.toUpperCase()
  expect((await get(`/cortex/ab-test/${id}`)).testId).toBe(testId)
  for (const verb of ['pause', 'resume'])
    expect((await post(`/cortex/ab-test/${id}/${verb}`)).testId).toBe(testId)
  const assigned = await post('/cortex/ab-test/assign', { sessionId: 's', testId: id })
  expect(assigned.testId).toBe(testId)
  expect((await post(`/cortex/ab-test/${id}/stop`)).status).toBe('STOPPED')
})

it('an experiment is one in any case of its id', async () => {
  const made = { name: 'an experiment', type: 'model_config', variants }
  const { experimentId } = await post('/nous/experiments', made)
  const id = experimentId.toUpperCase()
  expect((await get(`/nous/experiments/${id}`)).experimentId).toBe(experimentId)
  for (const verb of ['deactivate', 'activate'])
    expect((await post(`/nous/experiments/${id}/${verb}`)).experimentId).toBe(experimentId)
  const result = { experimentId: id, variantId: 'other', metrics: { revenue: 1 } }
  expect((await post('/nous/ab-testing/results', result)).experimentId).toBe(experimentId)
})

it('a change is one in any case of its id, and of those of its rule and its suggestion', async () => {
  const changes = { pins: ['a'] }
  const queryHash = '9f86d081884c7d65'
  const { ruleId } = await post('/nous/adapt/rules', { changes, queryHash })
  const patterns = { positivePatterns: ['title'] }
  const suggestion = { queryHash, patterns, confidence: 1 }
  const { suggestionId } = await post('/nous/adapt/suggest', suggestion)
  for (const named of [{ ruleId }, { suggestionId }]) {
    const [[key, name]] = Object.entries(named) as [[string, string]]
    const sent = { type: 'rules', changes, immediate: true, [key]: name.toUpperCase() }
    const applied = await post('/nous/adapt/apply', sent)
    expect(applied).toMatchObject({ ...named, queryHash })
    const id = applied.adaptationId.toUpperCase()
    expect((await get(`/nous/adaptations/${id}`)).status).toBe('ACTIVE')
    expect((await get(`/nous/learn/events?adaptationId=${id}`)).total).toBeGreaterThan(0)
    expect((await post(`/nous/adaptations/${id}/rollback`)).status).toBe('ROLLED_BACK')
  }
  const { suggestions } = await get('/nous/adapt/suggestions?status=applied')
  expect(suggestions).toMatchObject([{ suggestionId }])
})
