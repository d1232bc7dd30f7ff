import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

it('figures of a facet are numbers that agree, however doubles round their sum', async () => {
  const fields = { tenth: 0.1, great: 1.7e308, least: -1.7e308 }
  const documents = ['a', 'b', 'c'].map((id) => ({ id, title: 'x', ...fields }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'figures', documents })
  const facets = Object.fromEntries(Object.keys(fields).map((name) => [name, { stats: true }]))
  const data = await service.must<{ facets: Record<string, { stats: object }> }>(
    'POST',
    '/cortex/search',
    { index: 'figures', size: 0, facets },
  )
  const of = (value: number, sum: number) => ({ min: value, max: value, avg: value, sum, count: 3 })
  expect(data.facets.tenth?.stats).toEqual(of(0.1, 0.1 + 0.1 + 0.1))
  expect(data.facets.great?.stats).toEqual(of(1.7e308, Number.MAX_VALUE))
  expect(data.facets.least?.stats).toEqual(of(-1.7e308, -Number.MAX_VALUE))
})
