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

describe('a moment far away is one, too', () => {
  // In their order, as answers show them.
  const DAYS = [
    '-000043-03-15',
    '0001-01-01',
    '1492-10-12',
    '2026-07-01',
    '9999-12-31',
    '+012026-01-01',
  ]
  const CLOSED = '9999-12-31T23:59:59.999999Z'
  const shown = DAYS.map((day) => `${day}T00:00:00.000Z`)

  interface Found {
    hits: { source: { from: unknown } }[]
    nextCursor?: string
    total: number
    facets: { from: { values: { value: string }[]; ranges: { count: number }[] } }
  }
  const find = (index: string, more: object) =>
    service.must<Found>('POST', '/cortex/search', { index, ...more })

  it.each([
    ['where a mapping says date', { type: 'date' }],
    ['where none does', undefined],
  ])('%s', async (_where, type) => {
    const index = type === undefined ? 'history' : 'dated-history'
    const mappings = { properties: { title: { type: 'text' }, ...(type && { from: type }) } }
    await service.must('POST', '/cortex/indices', { name: index, mappings })
    const documents = DAYS.map((from, at) => ({ id: `${at}`, document: { title: 'tea', from } }))
    await service.must('POST', '/cortex/documents/bulk', { index, documents: documents.reverse() })

    const ranges = [{ to: DAYS[2] }, { from: DAYS[2], to: CLOSED }, { from: CLOSED }]
    const facets = { from: { size: 10, ranges } }
    const sorted = await find(index, { sort: [{ from: 'asc' }], facets })
    expect(sorted.hits.map(({ source }) => source.from)).toEqual(DAYS)
    const counted = sorted.facets.from
    expect(counted.values.map(({ value }) => value.split('T')[0]).sort()).toEqual([...DAYS].sort())
    expect(counted.ranges.map(({ count }) => count)).toEqual([2, 3, 1])
    for (const value of shown)
      expect((await find(index, { filters: { from: value } })).total).toBe(1)
    const totals = []
    for (const from of [{ gte: DAYS[2] }, { lt: DAYS[2] }, { gte: '2026-01-01', lt: CLOSED }])
      totals.push((await find(index, { filters: { from } })).total)
    expect(totals).toEqual([4, 2, 2])

    const pages = []
    for (let more: object = {}; pages.length < 2; ) {
      const page = await find(index, { sort: [{ from: 'desc' }], size: 4, ...more })
      pages.push(page.hits.map(({ source }) => source.from))
      more = { cursor: page.nextCursor }
    }
    expect(pages.flat()).toEqual([...DAYS].reverse())
  })

  it('and epoch milliseconds say the same', async () => {
    const at = -63_549_360_000_000
    await service.must('PUT', '/cortex/documents/ides?index=mapped', { title: 'tea', at })
    const { total } = await find('mapped', { filters: { at: new Date(at).toISOString() } })
    expect(total).toBe(1)
    const beyond = { title: 'tea', at: 6.3e15 }
    const written = await service.call('PUT', '/cortex/documents/far?index=mapped', beyond)
    expect([written.status, written.code]).toEqual([400, 'VALIDATION_FAILED'])
  })
})
