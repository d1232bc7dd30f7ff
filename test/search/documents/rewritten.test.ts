import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { native } from '../../../src/native.ts'
import { clearSuperseded } from '../../../src/search/engine/sweep.ts'
import { openLentSlabs } from '../../../src/search/query/slab.ts'
import { search } from '../../../workers/search.ts'
import { type RunningApp, startApp } from '../../running-app.ts'

interface Found {
  hits: { id: string; score: number; explain?: object }[]
  total: number
  nextCursor?: string
  searchContext: { queryId: string; generation: number }
}

const COUNT = 12

let service: RunningApp
let round = 0
const { take } = openLentSlabs()
let index: string

beforeAll(async () => {
  service = await startApp({ EXPLORATION_SHARE: '0' })
})
afterAll(() => service.close())
beforeEach(async () => {
  index = `rewritten-${round++}`
  const documents = Array.from({ length: COUNT }, (_, n) => ({
    id: `d${n}`,
    document: { title: `fox ${'and others '.repeat(n + 1)}` },
  }))
  await service.must('POST', '/cortex/documents/bulk', { index, documents })
})

const find = (more: object) =>
  service.must<Found>('POST', '/cortex/search', {
    index,
    query: 'fox',
    searchType: 'text',
    ...more,
  })
const shown = ({ hits }: Found) => hits.map(({ id, score }) => ({ id, score }))
const rewrite = (id: string) =>
  service.must('PUT', `/cortex/documents/${id}?index=${index}`, { title: 'wolf', round: round++ })
const drop = (id: string) => service.must('DELETE', `/cortex/documents/${id}?index=${index}`)

/** The first hit of a search, which can be run in this thread as often as one likes. */
async function inThread(more: object): Promise<() => Found['hits'][0]> {
  const asked = vi.spyOn(service.app.pool, 'search')
  await find(more)
  const [input] = asked.mock.calls[0] ?? []
  asked.mockRestore()
  if (input === undefined) throw new Error('Nothing was asked.')
  return () => {
    const [outcome] = search([input])
    if (outcome === undefined || !('value' in outcome)) throw new Error(JSON.stringify(outcome))
    const { data, dataLength } = outcome.value
    const taken = take(data, dataLength).data
    return JSON.parse(Buffer.concat([taken].flat()).toString()).hits[0]
  }
}

/** Ranks the documents for everybody as long as the test lasts. */
async function whileRanked(changes: object, act: () => Promise<void>): Promise<void> {
  const change = { type: 'ranking', immediate: true, changes }
  const { adaptationId } = await service.must<{ adaptationId: string }>(
    'POST',
    '/nous/adapt/apply',
    change,
  )
  await act()
  await service.must('POST', `/nous/adaptations/${adaptationId}/rollback`, {})
}

/** All pages of a list; something is done to its documents behind each. */
async function walk(between: (page: number) => Promise<unknown>): Promise<void> {
  const whole = await find({ size: COUNT, explain: true })
  const first = await find({ size: 3, explain: true })
  const seen = [...first.hits]
  let cursor = first.nextCursor
  for (let page = 0; cursor !== undefined; page++) {
    await between(page)
    const next: Found = await find({ size: 3, cursor, explain: true })
    seen.push(...next.hits)
    cursor = next.nextCursor
  }
  expect(seen).toEqual(whole.hits)
  expect(seen).toHaveLength(COUNT)
  const { generation, queryId } = first.searchContext
  expect(shown(await find({ size: COUNT, generation }))).toEqual(shown(whole))
  const replay = await service.must('POST', `/nous/learn/searches/${queryId}/replay`)
  expect(replay).toMatchObject({ same: true })
}

/** d11 again and again, another one comes back, and one is gone. */
async function change(page: number): Promise<void> {
  await rewrite('d11')
  if (page === 1) await drop('d10')
  if (page === 2) await drop('d9')
  if (page === 2) await rewrite('d10')
}

it.each([
  ['boosted', { boosts: { d11: 1, d10: 0.9, d9: 0.3, d0: -1 } }],
  ['pinned', { pinnedResults: ['d11', 'd10', 'd9'] }],
])('pages of a list stay whole while its %s documents are written and deleted', (_, changes) =>
  whileRanked(changes, () => walk(change)),
)

it('so they do while documents are whose place was learned', async () => {
  for (const resultId of ['d11', 'd11', 'd10', 'd10']) {
    const { sessionId } = await service.must<{ sessionId: string }>('POST', '/cortex/sessions', {})
    const { queryId } = (await find({ sessionId, size: COUNT })).searchContext
    const metadata = { userAction: 'purchase', resultId }
    const feedback = [{ queryId, rating: 1, metadata }]
    await service.must('POST', '/cortex/feedback', { sessionId, feedback })
    await service.app.learning.caughtUp()
  }
  const [best] = (await find({ explain: true })).hits
  expect(['d10', 'd11']).toContain(best?.id)
  expect(best).toHaveProperty('explain.clickMemory')
  await walk(change)
})

it('a search in whose midst a write is published shows the new version in its place', () =>
  whileRanked({ boosts: { d11: 1 } }, async () => {
    const found = await inThread({ size: 1 })
    const before = native.generation()
    expect(found()).toHaveProperty('id', 'd11')
    await service.must('PUT', `/cortex/documents/d11?index=${index}`, {
      title: 'fox',
      content: 'tail',
    })
    vi.spyOn(native, 'generation').mockReturnValueOnce(before)
    expect(found()).toMatchObject({ id: 'd11', source: { content: 'tail' } })
  }))

it('a search by ids is answered, however often something is published before its numbers are known', async () => {
  const found = await inThread({ filters: { _id: ['d4', 'd5'] } })
  const before = native.generation()
  await rewrite('d5')
  await service.must('PUT', `/cortex/documents/d4?index=${index}`, { content: 'tail' })
  const always = vi.spyOn(native, 'generation').mockReturnValue(before)
  expect(found()).toMatchObject({ id: 'd4', source: { content: 'tail' } })
  always.mockRestore()
})

it('earlier numbers are known as long as replaced records are kept, and not too many', async () => {
  const { store, indices } = service.app
  const { earlierOrds } = store.tables
  const entry = indices.all().find(({ record }) => record.name === index)
  const key: [number, string] = [entry?.record.id ?? 0, 'd1']
  for (let written = 0; written < 3; written++) await rewrite('d1')
  await drop('d1')
  const known = earlierOrds.get(key) ?? []
  expect(known).toHaveLength(4)
  expect(known).toEqual([...known].sort((a, b) => b - a))
  const documents = Array.from({ length: 200 }, (_, n) => ({
    id: 'd1',
    document: { title: `${n}` },
  }))
  await service.must('POST', '/cortex/documents/bulk', { index, documents })
  expect(earlierOrds.get(key)).toHaveLength(128)
  await clearSuperseded(store, Date.now() + 86_400_000)
  expect([...earlierOrds.keys({ limit: 1 })]).toEqual([])
})
