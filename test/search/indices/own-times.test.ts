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
