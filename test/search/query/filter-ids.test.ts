import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

interface Found {
  hits: { id: string; index: string; highlight?: object }[]
  total: number
  nextCursor?: string
  facets: Record<string, { values: { value: unknown; count: number }[] }>
  searchContext: { queryId: string; queryHash: string; warnings?: string[] }
}

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
  const documents = ['a', 'b', 'c', 'd'].map((id) => ({
    id,
    document: { title: 'tea', tags: [id] },
  }))
  const other = { id: 'a', document: { title: 'tea', tags: ['other'] } }
  await service.must('POST', '/cortex/documents/bulk', { index: 'one', documents })
  await service.must('POST', '/cortex/documents/bulk', { index: 'two', documents: [other] })
})
afterAll(() => service.close())

const find = (body: object) =>
  service.must<Found>('POST', '/cortex/search', { index: 'one', sort: 'tags', ...body })
const idsOf = ({ hits }: Found) => hits.map(({ id }) => id)

it.each<[unknown, string]>([
  ['a', 'a'],
  [['a', 'c', 'a'], 'ac'],
  [[], ''],
  ['nobody', ''],
  [['nobody', 'd'], 'd'],
  [{ eq: 'b' }, 'b'],
  [{ IN: ['b', 'c'], not: 'c' }, 'b'],
  [{ not: ['a', 'b'] }, 'cd'],
  [{ not: { not: { any: ['a'] } } }, 'a'],
])('documents are filtered by their ids: %j', async (_id, ids) => {
  for (const searchType of ['text', 'vector', 'hybrid']) {
    const found = await find({ searchType, query: 'tea', filters: { _id }, facets: ['tags'] })
    expect(idsOf(found).join('')).toBe(ids)
    expect(found.total).toBe(ids.length)
    expect(found.facets.tags?.values).toEqual([...ids].map((value) => ({ value, count: 1 })))
    expect(found.searchContext.warnings).toBeUndefined()
  }
})

it('beside other conditions, and within them', async () => {
  const filters = { or: [{ _id: 'a' }, { and: [{ _id: ['b', 'c'] }, { tags: 'c' }] }] }
  expect(idsOf(await find({ filters }))).toEqual(['a', 'c'])
  expect(idsOf(await find({ filters: { not: filters } }))).toEqual(['b', 'd'])
  const marked = await find({ query: 'tea', filters: { _id: 'b' }, highlight: true, explain: true })
  expect(marked.hits).toMatchObject([{ id: 'b', highlight: { title: ['<em>tea</em>'] } }])
})

it('an id is one of each index that is searched', async () => {
  const found = await find({ index: ['one', 'two'], filters: { _id: ['a', 'b'] } })
  expect(found.hits.map(({ id, index }) => `${index}/${id}`)).toEqual(['one/a', 'one/b', 'two/a'])
  const [one, other] = [
    ['a', 'b'],
    ['b', 'a'],
  ].map((_id) => find({ filters: { _id } }))
  expect((await one)?.searchContext.queryHash).toBe((await other)?.searchContext.queryHash)
})

it('finds what was written again, and in the view of a first page what stood there', async () => {
  const filters = { _id: ['a', 'b', 'c'] }
  const first = await find({ filters, size: 1 })
  await service.must('PUT', '/cortex/documents/b?index=one', { tags: ['z'] })
  await service.must('DELETE', '/cortex/documents/c?index=one')
  expect(idsOf(await find({ filters }))).toEqual(['a', 'b'])
  const rest = await find({ filters, size: 5, cursor: first.nextCursor })
  expect([...idsOf(first), ...idsOf(rest)]).toEqual(['a', 'b', 'c'])
  expect(rest.total).toBe(3)
})

it('a search that was shown is run again by the same ids', async () => {
  const { sessionId } = await service.must<{ sessionId: string }>('POST', '/cortex/sessions', {})
  const { searchContext, hits } = await find({ filters: { _id: ['d', 'a'] }, sessionId })
  const path = `/nous/learn/searches/${searchContext.queryId}/replay`
  const replayed = await service.must<Found>('POST', path, {})
  expect(idsOf(replayed)).toEqual(hits.map((hit) => hit.id))
  expect(hits).toHaveLength(2)
})

it.each([
  [5, 'filters._id'],
  [null, 'filters._id'],
  [{}, 'filters._id'],
  [{ gte: 'a' }, 'filters._id.gte'],
  [{ exists: true }, 'filters._id.exists'],
  [['a', 5], 'filters._id[1]'],
  ['', 'filters._id'],
  ['x'.repeat(513), 'filters._id'],
  [Array.from({ length: 1001 }, (_, at) => `${at}`), 'filters'],
])('refuses %j', async (_id, path) => {
  const body = { index: 'one', filters: { _id } }
  const { status, details } = await service.call('POST', '/cortex/search', body)
  expect([status, details[0]?.path]).toEqual([400, path])
})

it('who filters by a field "id" that is none is told what was meant', async () => {
  expect((await find({ filters: { id: 'a' } })).searchContext.warnings).toEqual([
    '"id" of filters: no document of "one" has a value in it that can be filtered by; "_id" is the id of a document.',
  ])
})
