import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

interface Found {
  hits: { id: string }[]
  searchContext: { queryId: string; model: string | null }
}
interface Shown {
  hits: { id: string; features: Record<string, number> }[]
  request: { clickRates?: { prior: number; edition?: number } }
}

/** The prior of these settings, and what it is worth by default. */
const PRIOR = 0.125
const shrunk = (gain: number, examination: number) => (gain + 5 * PRIOR) / (examination + 5)
const SETTINGS = {
  ...{ MEMORY_PRIOR_RATE: `${PRIOR}`, CLICK_RATES_MS: '1500', EXPLORATION_SHARE: '0' },
  // Only models may move anything here.
  MEMORY_STRENGTH: '0',
}
const IDS = Array.from({ length: 12 }, (_, at) => `d${at}`)

let service: RunningApp
let reader: string

/** What is counted weighs less from midnight on (UTC), so the service's days begin twelve hours from now. */
function beginAtNoon(): void {
  const { now } = Date
  const aheadMs = 43_200_000 - (now() % 86_400_000)
  vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs)
}

beforeAll(async () => {
  beginAtNoon()
  service = await startApp(SETTINGS)
  const documents = IDS.map((id, at) => ({
    id,
    document: { title: 'pear', content: `pear juice ${'sweet '.repeat(at)}` },
  }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'fruit', documents })
  reader = await session('reader')
})
afterAll(async () => {
  await service.close()
  vi.restoreAllMocks()
})

async function session(userId: string): Promise<string> {
  return (await service.must<{ sessionId: string }>('POST', '/cortex/sessions', { userId }))
    .sessionId
}

const search = (query: string, sessionId: string, more: object = {}) =>
  service.must<Found>('POST', '/cortex/search', {
    ...{ query, index: 'fruit', searchType: 'text', sessionId, size: IDS.length },
    ...more,
  })

/** Somebody new takes a document; returns the place where it was shown. */
async function take(userId: string, query: string, resultId: string): Promise<number> {
  const sessionId = await session(userId)
  const { hits, searchContext } = await search(query, sessionId)
  const metadata = { resultId, userAction: 'purchase' }
  const feedback = [{ queryId: searchContext.queryId, rating: 1, metadata }]
  await service.must('POST', '/cortex/feedback', { sessionId, feedback })
  return hits.findIndex(({ id }) => id === resultId) + 1
}

/** What a search for something that nobody gained from shows: the rates by document, and their edition. */
async function look(query = 'juice') {
  const { searchContext } = await search(query, reader)
  const path = `/nous/learn/searches/${searchContext.queryId}`
  const { hits, request } = await service.must<Shown>('GET', path)
  const rates = new Map(hits.map(({ id, features }) => [id, features.clickRate]))
  expect(request.clickRates?.prior).toBe(PRIOR)
  return { rates, edition: request.clickRates?.edition, rate: (id: string) => rates.get(id) ?? -1 }
}

it('documents have the prior until somebody takes one, then what the count says', async () => {
  const before = await look()
  expect(before.edition).toBeUndefined()
  for (const id of IDS) expect(before.rate(id)).toBeCloseTo(PRIOR, 6)
  const place = await take('ann', 'pear', 'd3')
  await waitUntil(async () => (await look()).rate('d3') > PRIOR)
  const { rates, rate } = await look()
  expect(rate('d3')).toBeCloseTo(shrunk(1, 1 / place), 5)
  // What stood at the first place was looked at for certain, and left.
  expect([...rates.values()].sort()[0]).toBeCloseTo(shrunk(0, 1), 5)
})

it('a document that is written anew has the prior until the next count', async () => {
  const known = (await look()).rate('d3')
  // Counts when the index is open, and then not for an hour.
  await service.restart({ CLICK_RATES_MS: '3600000' })
  // The first search reads it.
  expect((await look()).rate('d3')).toBe(known)
  await service.must('PUT', '/cortex/documents/d3?index=fruit', { title: 'pear', n: 1 })
  expect((await look()).rate('d3')).toBe(PRIOR)
  await service.restart()
  await waitUntil(async () => (await look()).rate('d3') === known)
})

it('nothing is counted while nobody gains, or sees again what somebody gained from', async () => {
  await waitUntil(async () => {
    const { edition } = await look()
    await new Promise((resolve) => setTimeout(resolve, 3000))
    return (await look('sweet')).edition === edition
  })
})

it('a synced model ranks by it, its later pages and its replay by the same count', async () => {
  await service.must('POST', '/nous/learn/models/sync', {
    ...{ modelId: 'liked', activate: true },
    state: {
      ...{ weights: [1], bias: 0, scaler: { mean: [0], std: [1] } },
      featureNames: ['clickRate'],
    },
  })
  await waitUntil(async () => (await search('juice', reader)).searchContext.model !== null)
  const first = await search('juice', reader, { size: 4 })
  expect(first.hits[0]?.id).toBe('d3')
  const last = (await search('juice', await session('else'))).hits.at(-1)?.id ?? ''
  await take('bob', 'pear', last)
  await take('cleo', 'pear juice', last)
  const somebody = await session('somebody')
  await waitUntil(async () => (await search('juice', somebody)).hits[0]?.id === last)
  const pages = [first]
  for (const from of [4, 8]) pages.push(await search('juice', reader, { size: 4, from }))
  const seen = pages.flatMap(({ hits }) => hits.map(({ id }) => id))
  expect([...seen].sort()).toEqual([...IDS].sort())
  expect(seen.at(-1)).toBe(last)
  for (const { searchContext } of pages) {
    const path = `/nous/learn/searches/${searchContext.queryId}/replay`
    expect(await service.must('POST', path)).toMatchObject({ same: true })
  }
  expect((await search('juice', reader, { size: 4 })).hits[0]?.id).toBe(last)
})

it('a start counts again, and one without learning gives all documents the prior', async () => {
  // The newest count may not hold the newest evidence; that of a start does.
  await service.restart()
  await waitUntil(async () => (await look()).edition !== undefined)
  const before = await look()
  await service.restart()
  await waitUntil(async () => (await look()).edition !== undefined)
  expect((await look()).rates).toEqual(before.rates)
  const place = { text: 'pear', list: undefined }
  const search = { query: 'pear', sessionId: reader }
  const plan = () => service.app.learning.plan(search, 'pear', place)
  expect(plan().clickRates).toEqual({ prior: PRIOR, edition: expect.any(Number) })
  await service.restart({ LEARNING: 'false' })
  expect(plan().clickRates).toEqual({ prior: PRIOR })
  await service.restart()
})

it('forgetting who chose takes the choice out at once, later pages included', async () => {
  await waitUntil(async () => (await look()).edition !== undefined)
  const before = await look()
  expect(before.rate('d3')).toBeGreaterThan(PRIOR)
  await service.restart({ CLICK_RATES_MS: '3600000' })
  await waitUntil(async () => (await look()).edition !== undefined)
  expect((await look()).rate('d3')).toBe(before.rate('d3'))
  await service.must('DELETE', '/nous/learn/subjects/ann')
  await waitUntil(async () => (await look()).rate('d3') < PRIOR)
  for (const subject of ['bob', 'cleo'])
    await service.must('DELETE', `/nous/learn/subjects/${subject}`)
  const isPrior = (rate: number | undefined) => rate === PRIOR
  await waitUntil(async () => [...(await look()).rates.values()].every(isPrior))
})
