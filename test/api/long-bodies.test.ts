import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { LARGE_BYTES } from '../../src/json/gradual.ts'
import { type RunningApp, startApp } from '../running-app.ts'
import { watchJson } from '../watch-json.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp()
})
afterAll(() => running.close())

const LONG = Object.fromEntries(
  Array.from({ length: 90 }, (_, n) => [`g${n}`, Array.from({ length: 3000 }, () => ({}))]),
)
const NOTES = { n: 1, LONG }
const VARIANTS = [{ id: 'a', config: { LONG } }, { id: 'b' }]

const BODIES: [path: string, body: object][] = [
  [
    '/nous/adapt/suggest',
    { queryHash: 'a', confidence: 0.9, patterns: { averageRelevance: 0.1, NOTES } },
  ],
  ['/nous/adapt/rules', { queryHash: 'a', changes: NOTES }],
  ['/nous/adapt/apply', { type: 'own', queryHash: 'a', changes: NOTES }],
  ['/nous/adapt/apply', { type: 'own', queryHash: 'b', changes: { n: 1 }, expectedImpact: LONG }],
  ['/cortex/ab-test/create', { name: 't', variants: VARIANTS }],
  ['/nous/ab-testing/experiments', { name: 'e', type: 'own', variants: VARIANTS }],
]

it.each(BODIES)(
  'a long body of %s is read, kept and answered a part at a time',
  async (path, body) => {
    const sent = JSON.stringify(body)
    const headers = { 'content-type': 'application/json' }
    const longest = watchJson()
    const response = await fetch(`${running.url}${path}`, { method: 'POST', headers, body: sent })
    const text = await response.text()
    expect(longest()).toBeLessThan(LARGE_BYTES)
    vi.restoreAllMocks()
    expect(response.status).toBe(200)
    const { data } = JSON.parse(text) as { data: object }
    const echoed = JSON.stringify(data)
    expect(echoed).toContain(JSON.stringify(LONG))
  },
)
