import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
  const mappings = { properties: { at: { type: 'date' } } }
  await service.must('POST', '/cortex/indices', { name: 'mapped', mappings })
})
afterAll(() => service.close())

const NEW_YEAR = '2026-01-01T00:00:00Z'

describe('a moment is one wherever it stands: where a mapping says date, where none does, and in a filter', () => {
  it.each([
    '2026-01-01t00:00:00z',
    '2026-01-01t00:00z',
    '2026-01-01 00:00:00Z',
    // As databases write it.
    '2026-01-01 02:00:00+02',
    '2026-01-01 02:00:00.000000+02',
    '2026-01-01T00:00:00,000Z',
    '2026-01-01T00:00:00.00000000000Z',
    '2025-12-31T23:59:60Z',
  ])('%s', async (at) => {
    for (const index of ['mapped', 'unmapped']) {
      await service.must('PUT', `/cortex/documents/one?index=${index}`, { title: 'tea', at })
      const totals = []
      for (const filters of [{ at: NEW_YEAR }, { at }, { at: { gte: at, lte: NEW_YEAR } }]) {
        const found = await service.must<{ total: number }>('POST', '/cortex/search', {
          ...{ index, filters },
        })
        totals.push(found.total)
      }
      expect([index, totals]).toEqual([index, [1, 1, 1]])
    }
  })
})

describe('and what is none is none in any of them', () => {
  it.each([
    '2026-01-01T00:00:00zz',
    '2026-01-01T00:00:61Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00+2',
    '2026-01-01x00:00:00Z',
    `2026-01-01T00:00:00.${'0'.repeat(20)}Z`,
  ])('%s', async (at) => {
    const document = { title: 'tea', at }
    const written = await service.call('POST', '/cortex/documents', { index: 'mapped', document })
    expect([written.status, written.code]).toEqual([400, 'VALIDATION_FAILED'])
    const search = { index: 'mapped', filters: { at } }
    expect((await service.call('POST', '/cortex/search', search)).status).toBe(400)
    await service.must('PUT', '/cortex/documents/two?index=unmapped', document)
    const filters = { at: { lt: '3000-01-01', gte: '2000-01-01' } }
    const { total } = await service.must<{ total: number }>('POST', '/cortex/search', {
      ...{ index: 'unmapped', filters: { and: [filters, { _id: 'two' }] } },
    })
    expect(total).toBe(0)
  })
})
