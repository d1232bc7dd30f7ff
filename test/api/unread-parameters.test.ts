import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
}, 60_000)
afterAll(() => service.close())

it.each([
  '/cortex/ab-test',
  '/nous/ab-testing/experiments',
  '/nous/learn/models',
  '/nous/learn/events',
  '/nous/signals',
  '/nous/adaptations',
  '/nous/adapt/suggestions',
  '/nous/adapt/rules',
])('%s tells which names in its address it does not read', async (path) => {
  const { warnings } = await service.must<{ warnings?: string[] }>(
    'GET',
    `${path}?limti=5&__proto__=x&limit=5`,
  )
  expect(warnings?.length).toBeGreaterThan(0)
  expect(warnings?.[0]).toBe('"limti" is not read in this address and was ignored; "limit" is.')
  expect(await service.must('GET', `${path}?limit=5`)).not.toHaveProperty('warnings')
})

it('of very many names some are told', async () => {
  const names = Array.from({ length: 500 }, (_, at) => `x${at}=1`).join('&')
  const { warnings } = await service.must<{ warnings: string[] }>('GET', `/nous/signals?${names}`)
  expect(warnings).toHaveLength(8)
})
