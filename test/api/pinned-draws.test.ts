import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

interface Found {
  hits: { id: string }[]
  searchContext: { queryId: string; queryHash: string }
}
interface Shown {
  hits: { propensity: number }[]
  exploration?: { explored: boolean; pinned?: number }
}

let service: RunningApp
let sessionId: string

beforeAll(async () => {
  service = await startApp({ EXPLORATION_SHARE: '1', EXPLORATION_TEMPERATURE: '0.5' })
  const titles = ['Espresso', 'Espresso at home', 'Espresso and milk', 'Beans for an espresso']
  const documents = [...titles, 'Tea', 'Cocoa'].map((title, at) => ({
    id: `d${at}`,
    document: { title, content: `${title}, and more about coffee` },
  }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'coffee', documents })
  sessionId = (await service.must<{ sessionId: string }>('POST', '/cortex/sessions', {})).sessionId
})
afterAll(() => service.close())

const search = (more: object = {}) =>
  service.must<Found>('POST', '/cortex/search', { query: 'espresso', index: 'coffee', ...more })

it('leaves pinned hits where they are when it draws, and draws the others as ever', async () => {
  const pins = ['d3', 'd2']
  const { queryHash } = (await search()).searchContext
  const change = { type: 'rules', changes: { pins }, queryHash, immediate: true }
  await service.must('POST', '/nous/adapt/apply', change)
  const ways = [
    { searchType: 'text' },
    { searchType: 'vector' },
    { fusion: 'rrf' },
    { fusion: 'convex' },
  ]
  for (const way of ways) {
    const orders = new Set<string>()
    // Few draws may well be the same.
    for (let n = 0; n < 100 && (n < 4 || orders.size === 1); n++) {
      const { hits, searchContext } = await search({ sessionId, ...way })
      const ids = hits.map(({ id }) => id)
      expect(ids.slice(0, 2)).toEqual(pins)
      orders.add(ids.join())
      const path = `/nous/learn/searches/${searchContext.queryId}`
      const shown = await service.must<Shown>('GET', path)
      expect(shown.exploration).toMatchObject({ explored: true, pinned: 2 })
      const sure = shown.hits.map(({ propensity }) => propensity === 1)
      expect(sure).toEqual(ids.map((_, place) => place < 2))
      expect((await service.must<{ same: boolean }>('POST', `${path}/replay`)).same).toBe(true)
    }
    expect(orders.size, JSON.stringify(way)).toBeGreaterThan(1)
  }
})
