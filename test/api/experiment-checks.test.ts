import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
type Data = Record<string, any>

let app: RunningApp
let count = 0

beforeAll(async () => {
  app = await startApp()
  await app.must('PUT', '/cortex/documents/a?index=checked', { title: 'red fox' })
})
afterAll(() => app.close())

const create = async (more: object = {}): Promise<string> => {
  const sent = { name: `check ${++count}`, variants: [{ id: 'a' }, { id: 'b' }], ...more }
  return (await app.must<Data>('POST', '/cortex/ab-test/create', sent)).testId
}

/** Session of a new user whom the test puts into this variant. */
async function memberOf(testId: string, variantId: string): Promise<string> {
  for (;;) {
    const { sessionId } = await app.must<Data>('POST', '/cortex/sessions', {
      userId: `u${++count}`,
    })
    const given = await app.must<Data>('POST', '/cortex/ab-test/assign', { testId, sessionId })
    if (given.variantId === variantId) return sessionId
  }
}

async function search(sessionId: string, query = 'fox'): Promise<void> {
  await app.must('POST', '/cortex/search', { index: 'checked', query, sessionId })
}

const read = (testId: string) => app.must<Data>('GET', `/cortex/ab-test/${testId}`)

it('a guardrail is crossed by many people, not by one who searches often', async () => {
  const nothing = 'zzzqqqxxx'
  const testId = await create({ guardrails: { zeroResultRate: 0.5 } })
  const often = await memberOf(testId, 'b')
  for (let n = 0; n < 100; n += 1) await search(often, nothing)
  await waitUntil(async () => (await read(testId)).metrics.b.searches === 100)
  const [guardrail] = (await read(testId)).monitoring.guardrails
  expect(guardrail).toMatchObject({ status: 'INSUFFICIENT_DATA', samples: 100, observed: 1 })
  for (let n = 0; n < 49; n += 1) await search(await memberOf(testId, 'b'), nothing)
  await waitUntil(async () => (await read(testId)).status === 'STOPPED')
  const { reason } = await read(testId)
  expect(reason.figures).toMatchObject({ metric: 'zeroResultRate', status: 'BREACHED' })
  expect(reason.figures.pValue).toBeLessThan(0.05)
})

it('a sample ratio that was wrong once gives no verdict any more, and says so once', async () => {
  const testId = await create()
  for (let n = 0; n < 30; n += 1) await search(await memberOf(testId, 'b'))
  const alarms = async () => {
    const { events } = await app.must<Data>(
      'GET',
      '/nous/learn/events?type=TEST_SAMPLE_RATIO_UNHEALTHY',
    )
    return events.filter(({ data }: Data) => data.testId === testId).length
  }
  await waitUntil(async () => (await alarms()) > 0)
  for (let n = 0; n < 30; n += 1) await search(await memberOf(testId, 'a'))
  await waitUntil(async () => (await read(testId)).metrics.a.units === 30)
  const { sampleRatio, verdict, withheld } = await read(testId)
  expect(sampleRatio).toMatchObject({ status: 'UNHEALTHY', observed: { a: 30, b: 30 } })
  expect(sampleRatio.pValue).toBeLessThan(0.001)
  expect([verdict, withheld]).toEqual([null, 'sample ratio'])
  await app.restart()
  expect((await read(testId)).sampleRatio).toEqual(sampleRatio)
  expect(await alarms()).toBe(1)
})
