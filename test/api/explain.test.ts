import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

interface Found {
  hits: { id: string; score: number; explain?: Explanation }[]
  searchContext: { queryId: string }
}
interface Explanation {
  learned?: number
  clickMemory?: Record<string, number> & { undecayed: { gain: number; examination: number } }
}

let service: RunningApp

beforeAll(async () => {
  service = await startApp({ EXPLORATION_SHARE: '0', MEMORY_STRENGTH: '0.8' })
  const documents = ['one', 'two', 'three'].map((id) => ({
    ...{ id, document: { title: 'espresso', content: `espresso ${id}` } },
  }))
  await service.call('POST', '/cortex/documents/bulk', { index: 'coffee', documents })
})
afterAll(() => service.close())

const find = async (more: object = {}) =>
  (await service.call<Found>('POST', '/cortex/search', { query: 'espresso', ...more })).data

/** Somebody who searches and chooses this document. */
async function choose(resultId: string): Promise<void> {
  const { data } = await service.call<{ sessionId: string }>('POST', '/cortex/sessions', {})
  const { sessionId } = data
  const { queryId } = (await find({ sessionId })).searchContext
  const metadata = { userAction: 'purchase', resultId }
  await service.call('POST', '/cortex/feedback', {
    ...{ sessionId, feedback: [{ queryId, rating: 1, metadata }] },
  })
  await service.app.learning.caughtUp()
}

it('an explanation shows the evidence behind what was learned of a hit', async () => {
  const before = await find({ explain: true })
  for (const { explain } of before.hits) expect(explain).not.toHaveProperty('clickMemory')
  const last = before.hits.at(-1)?.id ?? ''
  await choose(last)
  await choose(last)

  const { hits } = await find({ explain: true })
  const [first, second] = hits
  const today = new Date().toISOString().slice(0, 10)
  // Looked at in the third place, then in the first.
  const examination = 1 / 3 + 1
  // Who chooses has looked.
  const rate = (2 + 5 * 0.05) / (2 + 5)
  expect(first?.id).toBe(last)
  expect(first?.explain?.clickMemory).toEqual({
    ...{ value: expect.closeTo(0.8 * (rate - 0.05), 4), rate: expect.closeTo(rate, 4) },
    ...{ gain: 2, examination: 2 },
    undecayed: { gain: 2, examination: expect.closeTo(examination, 4) },
    ...{ expectedRate: 0.05, priorWeight: 5, strength: 0.8, halfLifeDays: 30 },
    ...{ firstDay: today, lastDay: today },
  })
  expect(first?.explain?.learned).toBeCloseTo(first?.explain?.clickMemory?.value ?? 0, 4)
  // Shown to both and chosen by nobody.
  expect(second?.explain?.clickMemory).toMatchObject({ gain: 0 })
  expect(second?.explain?.clickMemory?.value).toBeLessThan(0)
})

it('shows it on later pages and for one query only, and only to those who ask', async () => {
  const [shown] = (await find({ explain: true, from: 1, size: 1 })).hits
  expect(shown?.explain).toHaveProperty('clickMemory.gain', 0)
  for (const { explain } of (await find({ query: 'espresso one', explain: true })).hits)
    expect(explain).not.toHaveProperty('clickMemory')
  for (const hit of (await find()).hits) expect(hit).not.toHaveProperty('explain')
})
