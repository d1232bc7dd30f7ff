import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clearSuperseded } from '../../../src/search/engine/sweep.ts'
import { type RunningApp, startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'
import { waitUntilSpaceIsLearned } from '../learned-space.ts'

interface Found {
  hits: { id: string; score: number; source: { title: string; n: number } }[]
  total: number
  nextCursor?: string
  facets?: Record<string, { stats: { sum: number } }>
  searchContext: { generation: number }
}

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

const fill = (index: string, count: number) =>
  service.must('POST', '/cortex/documents/bulk', {
    index,
    documents: Array.from({ length: count }, (_, n) => ({
      id: `d${n}`,
      document: { title: `river fish ${n % 7}`, content: `stone ${n % 3}`, n },
    })),
  })
const find = (body: object) => service.must<Found>('POST', '/cortex/search', body)
const list = ({ hits, total }: Found) => ({
  total,
  hits: hits.map(({ id, score, source }) => ({ id, score, source })),
})

it.each(['text', 'hybrid', 'vector'])(
  'shows the same list again to who names the generation (%s)',
  async (searchType) => {
    const index = `same-${searchType}`
    await fill(index, 40)
    const body = { index, query: 'river stone', searchType, size: 100 }
    const before = await find(body)
    const { generation } = before.searchContext
    await service.must('POST', '/cortex/documents', {
      index,
      id: 'new',
      document: { title: 'river stone' },
    })
    await service.must('DELETE', `/cortex/documents/d0?index=${index}`)
    await service.must('PUT', `/cortex/documents/d1?index=${index}`, { title: 'changed', n: 1000 })
    const after = await find(body)
    expect(after.searchContext.generation).toBeGreaterThan(generation)
    expect(after.hits.map(({ id }) => id)).toContain('new')
    expect(after.hits.map(({ id }) => id)).not.toContain('d0')
    expect(list(await find({ ...body, generation }))).toEqual(list(before))
  },
)

it('pages through one view while documents come, change and go', async () => {
  const index = 'moving'
  await fill(index, 60)
  const body = {
    index,
    query: 'river',
    searchType: 'hybrid',
    size: 7,
    facets: { n: { stats: true } },
  }
  const whole = await find({ ...body, size: 100 })
  const seen: string[] = []
  let cursor: string | undefined
  let round = 0
  do {
    const page: Found = await find({ ...body, cursor })
    expect(page.total).toBe(60)
    expect(page.facets?.n?.stats.sum).toBe((59 * 60) / 2)
    for (const hit of page.hits) expect(hit.source.n).toBe(Number(hit.id.slice(1)))
    seen.push(...page.hits.map(({ id }) => id))
    cursor = page.nextCursor
    await service.must('DELETE', `/cortex/documents/d${round}?index=${index}`)
    await service.must('PUT', `/cortex/documents/d${59 - round}?index=${index}`, { n: -1 })
    await service.must('POST', '/cortex/documents', {
      index,
      id: `x${round}`,
      document: { title: 'river' },
    })
    round += 1
  } while (cursor !== undefined)
  expect(seen).toEqual(whole.hits.map(({ id }) => id))
})

describe('a list of all indices', () => {
  /** Two indices with six documents of a word that no other has, and the first page over all of them. */
  async function begin(word: string, sort?: string[]) {
    for (const index of [`${word}-a`, `${word}-b`])
      await service.must('POST', '/cortex/documents/bulk', {
        index,
        documents: Array.from({ length: 6 }, (_, n) => ({
          id: `${index}${n}`,
          document: { title: word, n },
        })),
      })
    const body = { query: word, searchType: 'text', size: 4, ...(sort && { sort }) }
    const { nextCursor: cursor, hits } = await find(body)
    return { ...body, cursor, shown: hits.map(({ id }) => id) }
  }

  it.each([
    ['first', undefined],
    ['first', ['n']],
    ['second', undefined],
    ['second', ['n']],
  ])('ends when the %s of them is deleted (sort: %j)', async (which, sort) => {
    const word = `gone${which}${sort ?? ''}`
    const { shown: _, ...body } = await begin(word, sort)
    await service.must('DELETE', `/cortex/indices/${word}-${which === 'first' ? 'a' : 'b'}`)
    const { status, code, details } = await service.call('POST', '/cortex/search', body)
    expect({ status, code }).toEqual({ status: 409, code: 'GENERATION_GONE' })
    expect(details[0]).toMatchObject({ path: 'cursor' })
  })

  it.each([undefined, ['n']])('goes on when another is made (sort: %j)', async (sort) => {
    const word = `more${sort ?? ''}`
    const { shown, ...body } = await begin(word, sort)
    await service.must('POST', '/cortex/documents', {
      index: `${word}-c`,
      document: { title: word },
    })
    let { cursor } = body
    while (cursor !== undefined) {
      const page: Found = await find({ ...body, cursor })
      expect(page.total).toBe(12)
      shown.push(...page.hits.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect([shown.length, new Set(shown).size]).toEqual([12, 12])
  })
})

it('goes on with a cursor beside the generation that its list has, and refuses another', async () => {
  const index = 'between'
  await fill(index, 20)
  const body = { index, query: 'river', size: 5 }
  const { generation } = (await find(body)).searchContext
  await service.must('PUT', `/cortex/documents/later?index=${index}`, { title: 'river' })
  const cursor = (await find({ ...body, generation })).nextCursor
  expect(cursor).toBeDefined()
  const second = await find({ ...body, cursor, generation })
  expect(second.searchContext.generation).toBe(generation)
  expect(list(second)).toEqual(list(await find({ ...body, cursor })))
  const now = (await find(body)).searchContext.generation
  expect(now).toBeGreaterThan(generation)
  const other = { ...body, cursor, generation: now }
  const refused = await service.call('POST', '/cortex/search', other)
  expect([refused.status, refused.code]).toEqual([400, 'VALIDATION_FAILED'])
  expect(refused.details).toEqual([
    { path: 'generation', message: 'must be that of the list beside its cursor, or not be sent' },
  ])
})

it('has no generation of all indices any more once one that it saw is deleted', async () => {
  const [one, other] = ['part-a', 'part-b']
  for (const index of [one, other])
    await service.must('POST', '/cortex/documents', { index, document: { title: 'harpsichord' } })
  const body = { query: 'harpsichord', searchType: 'text' }
  const before = await find(body)
  const { generation } = before.searchContext
  expect(list(await find({ ...body, generation }))).toEqual(list(before))
  const own = await find({ ...body, index: other })
  await service.must('DELETE', `/cortex/indices/${one}`)
  const gone = await service.call('POST', '/cortex/search', { ...body, generation })
  expect({ status: gone.status, code: gone.code }).toEqual({ status: 409, code: 'GENERATION_GONE' })
  expect(gone.details[0]).toMatchObject({ path: 'generation' })
  // The other index is as it was, alone and in what all indices are by now.
  expect(list(await find({ ...body, index: other, generation }))).toEqual(list(own))
  const after = await find(body)
  expect(after.total).toBe(1)
  const again = await find({ ...body, generation: after.searchContext.generation })
  expect(list(again)).toEqual(list(after))
})

it('goes on with a cursor after many searched changes of the index', async () => {
  const index = 'busy'
  await fill(index, 4)
  const body = { index, query: 'river', searchType: 'text', size: 2 }
  const { nextCursor: cursor, hits: first } = await find(body)
  for (let round = 0; round < 40; round++) {
    await service.must('PUT', `/cortex/documents/x${round}?index=${index}`, { title: 'river' })
    await find({ index, size: 1000 })
  }
  const { hits, total } = await find({ ...body, cursor })
  expect(total).toBe(4)
  expect([...first, ...hits].map(({ id }) => id).sort()).toEqual(['d0', 'd1', 'd2', 'd3'])
})

it('goes on with a cursor for longer than replaced records stay without one', async () => {
  const { store } = service.app
  const index = 'slow'
  await fill(index, 4)
  const body = { index, query: 'river', searchType: 'text', size: 2 }
  const { nextCursor: cursor, hits: first } = await find(body)
  for (const id of ['d0', 'd1', 'd2', 'd3'])
    await service.must('PUT', `/cortex/documents/${id}?index=${index}`, { title: 'sea' })
  await new Promise((resolve) => setTimeout(resolve, 300))
  // Two minutes after all of these were replaced, were it not for the view that the cursor goes on in.
  await clearSuperseded(store, Date.now() + 119_900)
  const { hits } = await find({ ...body, cursor })
  expect([...first, ...hits].map(({ id }) => id).sort()).toEqual(['d0', 'd1', 'd2', 'd3'])
  await clearSuperseded(store, Date.now() + 86_400_000)
  expect([...store.tables.superseded.keys({ limit: 1 })]).toEqual([])
})

it('follows a cursor beyond the ten thousandth hit', async () => {
  const index = 'long'
  const documents = Array.from({ length: 10_500 }, (_, n) => ({
    id: `${n}`,
    document: { title: 'x', n },
  }))
  for (let at = 0; at < documents.length; at += 3500)
    await service.must('POST', '/cortex/documents/bulk?refresh=false', {
      index,
      documents: documents.slice(at, at + 3500),
    })
  const body = { index, searchType: 'text', size: 1000, sort: ['n:desc'], fields: ['n'] }
  await waitUntil(async () => (await find({ ...body, size: 0 })).total === 10_500, 30_000)
  const seen: number[] = []
  let cursor: string | undefined
  do {
    const page: Found = await find({ ...body, cursor })
    seen.push(...page.hits.map(({ source }) => source.n))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  expect(seen).toEqual(Array.from({ length: 10_500 }, (_, n) => 10_499 - n))
})

it('answers 409 for a generation that is held no more, and 400 for what is none', async () => {
  await fill('old', 5)
  const { code, status, details } = await service.call('POST', '/cortex/search', {
    index: 'old',
    generation: 1,
  })
  expect({ code, status }).toEqual({ code: 'GENERATION_GONE', status: 409 })
  expect(details[0]).toMatchObject({ path: 'generation' })
  for (const generation of [-1, 'x', 1.5])
    expect(
      (await service.call('POST', '/cortex/search', { index: 'old', generation })).status,
    ).toBe(400)
})

it('goes on with a cursor while a new vector space is learned', async () => {
  const index = 'learning'
  await fill(index, 400)
  const body = { index, query: 'river fish', searchType: 'hybrid', size: 50 }
  const first = await find(body)
  await waitUntilSpaceIsLearned(service, index)
  const seen = first.hits.map(({ id }) => id)
  let cursor = first.nextCursor
  while (cursor !== undefined) {
    const page: Found = await find({ ...body, cursor })
    expect(page.total).toBe(first.total)
    seen.push(...page.hits.map(({ id }) => id))
    cursor = page.nextCursor
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen).toHaveLength(first.total)
  // A word that every document has points nowhere; a number of a title does.
  const vectors = await find({ ...body, query: 'fish 5', searchType: 'vector', size: 5 })
  expect(vectors.total).toBe(100)
  const read = await service.must<{ vectorized: boolean }>(
    'GET',
    `/cortex/documents/d7?index=${index}`,
  )
  expect(read.vectorized).toBe(true)
})

it('speaks of the cursor when that is what was sent', async () => {
  await fill('restarted', 5)
  const { nextCursor: cursor } = await find({ index: 'restarted', size: 2 })
  await fill('restarted', 6)
  await service.restart()
  const body = { index: 'restarted', size: 2, cursor }
  const { status, code, error, details } = await service.call('POST', '/cortex/search', body)
  expect({ status, code }).toEqual({ status: 409, code: 'GENERATION_GONE' })
  expect(details[0]).toMatchObject({ path: 'cursor' })
  expect(error).toMatch(/^cursor .* from the first page\.$/)
})
