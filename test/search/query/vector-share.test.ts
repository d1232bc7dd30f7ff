import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'
import { goodsOf, waitUntilSpaceIsLearned } from '../learned-space.ts'

let service: RunningApp

const THINGS = ['lamp', 'chair', 'desk', 'shelf', 'sofa', 'stool']

beforeAll(async () => {
  service = await startApp()
  const documents = goodsOf(THINGS)
  for (const index of ['shop', 'store'])
    await service.must('POST', '/cortex/documents/bulk', { index, documents })
  await service.must('POST', '/cortex/indices', {
    name: 'own',
    settings: { embedder: { kind: 'given', dimensions: 2, weights: [0.5, 0.5] } },
  })
  const own = [{ document: { title: 'Arbor lamp', vector: [1, 0] } }]
  await service.must('POST', '/cortex/documents/bulk', { index: 'own', documents: own })
  await Promise.all(['shop', 'store'].map((index) => waitUntilSpaceIsLearned(service, index)))
})
afterAll(() => service.close())

interface Found {
  hits: { explain: { weights: { text: number; vector: number } } }[]
}
async function share(query: string, more: object = {}): Promise<number | undefined> {
  const body = { index: 'shop', query, explain: true, ...more }
  const { hits } = await service.must<Found>('POST', '/cortex/search', body)
  const weights = hits[0]?.explain.weights
  if (weights) expect(weights.text + weights.vector).toBeCloseTo(1, 9)
  return weights?.vector
}

const LONG = 'a green lamp or a purple sofa that somebody like me could sit on'

it('learned vectors count less for a query of few words', async () => {
  expect(await share(LONG)).toBe(0.2)
  expect(await share('olive green lamp purple Iris sofa shelf')).toBe(0.14)
  expect(await share('lamp')).toBe(0.1)
})

it('the same in each of several indices', async () => {
  const index = ['shop', 'store']
  expect(await share(LONG, { index })).toBe(0.25)
  expect(await share('olive green lamp purple sofa', { index })).toBe(0.13)
})

it('what is sent counts as it is, and so do vectors from outside', async () => {
  expect(await share('lamp', { boost: { text: 0.6, vector: 0.4 } })).toBe(0.4)
  expect(await share('lamp', { index: 'own', vector: [1, 0] })).toBe(0.5)
})
