import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

it.each(['integer', 'keyword', 'text', 'date'])(
  'the time of a write fills `created` only where it is a date: %s',
  async (type) => {
    const properties = { created: { type } }
    await service.must('POST', '/cortex/indices', { name: type, mappings: { properties } })
    const sent = { title: 'a vase' }
    await service.must('POST', '/cortex/documents', { index: type, document: sent })
    const has = async (field: string) => {
      const filters = { [field]: { exists: true } }
      const body = { index: type, query: '', filters }
      return (await service.must<{ total: number }>('POST', '/cortex/search', body)).total
    }
    expect(await has('created')).toBe(type === 'date' ? 1 : 0)
    expect(await has('updated')).toBe(1)
  },
)

it('the time of a write stands where a document has an empty list of its own times', async () => {
  const store = (id: string, document: object) =>
    service.must<{ created: string }>('POST', '/cortex/documents', { index: 'lists', id, document })
  const { created } = await store('none', { title: 'a', created: [], about: { created: [] } })
  await store('null', { title: 'b', created: [null], updated: [] })
  await store('own', { title: 'c', created: ['2001-01-01'], updated: '2002-02-02' })
  const found = async (filters: object) => {
    const body = { index: 'lists', query: '', filters, sort: 'created' }
    const { hits } = await service.must<{ hits: { id: string; source: object }[] }>(
      ...(['POST', '/cortex/search', body] as const),
    )
    return hits.map(({ id }) => id)
  }
  expect(await found({ created: { exists: true } })).toEqual(['own', 'none', 'null'])
  expect(await found({ _id: 'none', created })).toEqual(['none'])
  expect(await found({ updated: { gte: created } })).toEqual(['none', 'null'])
  const { source } = await service.must('GET', '/cortex/documents/none?index=lists')
  expect(source).toEqual({ title: 'a', created: [], about: { created: [] } })
})
