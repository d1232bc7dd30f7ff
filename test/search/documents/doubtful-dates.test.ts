import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
  const inner = { type: 'object', properties: { to: { type: 'date' } } }
  await service.must('POST', '/cortex/indices', {
    name: 'offers',
    mappings: { properties: { until: { type: 'date' }, valid: inner } },
  })
})
afterAll(() => service.close())

interface Written {
  warnings?: string[]
}

const WHY =
  'a number is epoch milliseconds, and this one is a moment of 1970; send the date as text, or seconds times 1000.'

async function create(document: object): Promise<string[] | undefined> {
  const body = { index: 'offers', document: { title: 'tea', ...document } }
  return (await service.must<Written>('POST', '/cortex/documents', body)).warnings
}

it('nothing is told of dates far away, nor where no mapping says that it is one', async () => {
  for (const until of ['9999-12-31', '0001-01-01T00:00:00Z', 253_402_300_799_999, 0, -9e12, 9e12])
    expect(await create({ until })).toBeUndefined()
  expect(await create({ free: '9999-12-31' })).toBeUndefined()
})

it('a number that is most likely a year, or seconds, is told where a mapping says that it is a date', async () => {
  expect(await create({ until: 1_772_280_000 })).toEqual([`document.until: ${WHY}`])
  expect(await create({ until: [2026], valid: { to: 20_260_228 } })).toEqual([
    `document.until: ${WHY}`,
    `document.valid.to: ${WHY}`,
  ])
  expect(await create({ until: 1_772_280_000_000, free: 1_772_280_000 })).toBeUndefined()

  const warned = async (more: object) => {
    const sent = { index: 'offers', ...more }
    const found = await service.must<{ searchContext: Written }>('POST', '/cortex/search', sent)
    return found.searchContext.warnings
  }
  const filters = [
    { until: { gte: 2024, lt: 2025 } },
    { until: [1_772_280_000] },
    { or: [{ until: '1772280000' }, { not: { until: { lte: 20_240_101 } } }] },
  ]
  for (const each of filters)
    expect(await warned({ filters: each })).toEqual([`filters.until: ${WHY}`])
  const facets = { until: { ranges: [{ to: 2024 }] } }
  expect(await warned({ facets })).toEqual([`facets.until.ranges: ${WHY}`])
  const fine = { until: { gte: '2024-01-01', lt: NOW } }
  expect(await warned({ filters: fine, facets: { until: { ranges: [{ from: NOW }] } } })).toBe(
    undefined,
  )
  expect(await warned({ filters: { until: { exists: true } } })).toBeUndefined()
})

const NOW = Date.UTC(2026, 1)

it('tells it of a change and of an item of a bulk, too', async () => {
  const path = '/cortex/documents/1?index=offers'
  const put = (body: object) => service.must<Written>('PUT', path, body)
  expect((await put({ title: 'tea', until: 2026 })).warnings).toEqual([`until: ${WHY}`])
  expect((await put({ tags: ['a'] })).warnings).toBeUndefined()
  const documents = [
    { id: '2', title: 'tea', until: 2026 },
    { id: '3', document: { title: 'tea', until: '2020-01-01' } },
  ]
  const { items } = await service.must<{ items: Written[] }>('POST', '/cortex/documents/bulk', {
    ...{ index: 'offers', documents },
  })
  expect(items.map(({ warnings }) => warnings)).toEqual([[`document.until: ${WHY}`], undefined])
})
