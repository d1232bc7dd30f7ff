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

const told = (field: string) =>
  `${field} holds a date outside of 1677-09-22 to 2262-04-11: it is kept, and no filter, facet or sort finds it.`

async function create(document: object): Promise<string[] | undefined> {
  const body = { index: 'offers', document: { title: 'tea', ...document } }
  return (await service.must<Written>('POST', '/cortex/documents', body)).warnings
}

it('a date that no filter can find is kept, and told', async () => {
  expect(await create({ until: '9999-12-31' })).toEqual([told('document.until')])
  expect(await create({ until: ['2020-01-01', '0001-01-01T00:00:00Z'] })).toEqual([
    told('document.until'),
  ])
  expect(await create({ until: 253_402_300_799_999, valid: [{ to: '1600-01-01' }] })).toEqual([
    told('document.until'),
    told('document.valid.to'),
  ])
  expect((await service.must('POST', '/cortex/search', { index: 'offers' })).total).toBe(3)
  const filters = { until: { gte: '2000-01-01' } }
  expect((await service.must('POST', '/cortex/search', { index: 'offers', filters })).total).toBe(1)
})

it('nothing is told of other dates, nor where no mapping says that it is one', async () => {
  for (const until of ['1677-09-22', '2262-04-11', '2020-01-01T00:00:00+02:00', 0, -9e12, 9e12])
    expect(await create({ until })).toBeUndefined()
  expect(await create({ free: '9999-12-31' })).toBeUndefined()
})

it('tells it of a change and of an item of a bulk, too', async () => {
  const path = '/cortex/documents/1?index=offers'
  const put = (body: object) => service.must<Written>('PUT', path, body)
  expect((await put({ title: 'tea', until: '3000-01-01' })).warnings).toEqual([told('until')])
  expect((await put({ tags: ['a'] })).warnings).toBeUndefined()
  const documents = [
    { id: '2', title: 'tea', until: '3000-01-01' },
    { id: '3', document: { title: 'tea', until: '2020-01-01' } },
  ]
  const { items } = await service.must<{ items: Written[] }>('POST', '/cortex/documents/bulk', {
    ...{ index: 'offers', documents },
  })
  expect(items.map(({ warnings }) => warnings)).toEqual([[told('document.until')], undefined])
})
