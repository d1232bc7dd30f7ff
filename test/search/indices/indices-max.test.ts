import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp({ INDICES_MAX: '3' })
  await service.must('POST', '/cortex/indices', { name: 'kept' })
})
afterAll(() => service.close())

const document = { title: 'one' }

async function names(): Promise<string[]> {
  const { indices } = await service.must<{ indices: { name: string }[] }>('GET', '/cortex/indices')
  return indices.map(({ name }) => name).sort()
}

/** Makes `made` the only indices beside `kept`. */
async function fill(...made: string[]): Promise<void> {
  for (const name of await names())
    if (name !== 'kept') await service.must('DELETE', `/cortex/indices/${name}`)
  for (const name of made) await service.must('POST', '/cortex/indices', { name })
}

it.each([
  ['POST', '/cortex/indices', { name: 'c' }],
  ['PUT', '/cortex/indices/c', {}],
  ['POST', '/cortex/documents', { index: 'c', document }],
  ['POST', '/cortex/indices/c/documents', { document }],
  ['PUT', '/cortex/documents/1?index=c', document],
  ['PATCH', '/cortex/documents/1?index=c', document],
])('%s %s is refused when there are as many indices as may be', async (method, path, body) => {
  await fill('a', 'b')
  const { status, code, error } = await service.call(method, path, body)
  expect({ status, code }).toEqual({ status: 409, code: 'LIMIT_REACHED' })
  expect(error).toMatch(/3.*INDICES_MAX.*delete/)
  expect(await names()).toEqual(['a', 'b', 'kept'])
})

it('those that are there go on taking documents and fields, and what is wrong otherwise is told first', async () => {
  await fill('a', 'b')
  await service.must('POST', '/cortex/documents', { index: 'a', id: '1', document })
  const mappings = { properties: { year: { type: 'integer' } } }
  await service.must('PUT', '/cortex/indices/b', { mappings })
  const { code } = await service.call('POST', '/cortex/indices', { name: 'a' })
  expect(code).toBe('INDEX_EXISTS')
  expect((await service.call('POST', '/cortex/indices', { name: '_c' })).status).toBe(400)
})

it('an item of a bulk that would make one too many fails alone', async () => {
  await fill('a')
  const documents = ['a', 'b', 'c', 'b', 'd'].map((index) => ({ index, id: '1', document }))
  const { items, succeeded } = await service.must<{
    items: { status: number; index: string; code?: string; error?: string }[]
    succeeded: number
  }>('POST', '/cortex/documents/bulk', { documents })
  expect(items.map(({ status, code }) => code ?? status)).toEqual([
    ...[200, 200],
    'LIMIT_REACHED',
    200,
    'LIMIT_REACHED',
  ])
  expect(items[2]).toMatchObject({ status: 409, index: 'c' })
  expect(items[2]?.error).toContain('INDICES_MAX')
  expect(succeeded).toBe(3)
  expect(await names()).toEqual(['a', 'b', 'kept'])
})

it('indices that are made at the same time are counted', async () => {
  await fill()
  const made = await Promise.all(
    ['a', 'b', 'c', 'd', 'e'].map((name) => service.call('POST', '/cortex/indices', { name })),
  )
  expect(made.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409])
})

it('one that is deleted makes room, and with a lower limit than there are indices all stay', async () => {
  await fill('a', 'b')
  await service.must('DELETE', '/cortex/indices/a')
  await service.must('POST', '/cortex/documents', { index: 'c', document })
  await service.restart({ INDICES_MAX: '1' })
  expect(await names()).toEqual(['b', 'c', 'kept'])
  await service.must('POST', '/cortex/documents', { index: 'c', document })
  expect((await service.call('POST', '/cortex/indices', { name: 'd' })).code).toBe('LIMIT_REACHED')
})
