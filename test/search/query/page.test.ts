import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
  // What the mapping doesn't name is only kept, so that large documents cost nothing but their records.
  await service.call('POST', '/cortex/indices', { name: 'large', mappings: { dynamic: false } })
  const blob = 'x'.repeat(10_000_000)
  for (let at = 0; at < 7; at += 1)
    await service.call('POST', '/cortex/documents', {
      ...{ index: 'large', id: `d${at}`, document: { title: `large ${at}`, blob } },
    })
})
afterAll(() => service.close())

const find = (body: object) =>
  service.call<{ hits: { id: string }[] }>('POST', '/cortex/search', { index: 'large', ...body })

it('a page of more than 64 MiB is refused with what to do, and smaller ones are answered', async () => {
  const refused = await find({ query: 'large' })
  expect(refused).toMatchObject({
    status: 400,
    code: 'VALIDATION_FAILED',
    error:
      'size asks for a page of more than 64 MiB; ask for fewer hits, or name some fields in fields.',
  })
  expect((await find({ query: 'large', size: 6 })).data.hits).toHaveLength(6)
  expect((await find({ query: 'large', fields: ['title'] })).data.hits).toHaveLength(7)
})

it('fields find what filters find under the same name', async () => {
  const grid = [[{ w: 1, h: 2 }], [], [{ w: 3 }, 'loose']]
  const document = { title: 'dots', 'a.b': { c: 1, d: 2 }, a: { 'b.c': 3, e: 4 }, grid }
  await service.call('POST', '/cortex/documents', { index: 'dots', id: 'd', document })
  const picked = async (field: string, value: number) => {
    const found = await service.call<{ hits: { source: object }[] }>('POST', '/cortex/search', {
      ...{ index: 'dots', filters: { [field]: value }, fields: [field] },
    })
    return found.data.hits[0]?.source
  }
  expect(await picked('a.b.c', 1)).toEqual({ 'a.b': { c: 1 }, a: { 'b.c': 3 } })
  expect(await picked('grid.w', 3)).toEqual({ grid: [[{ w: 1 }], [], [{ w: 3 }]] })
})

it('fields name what is inside of objects, and of each object of a list', async () => {
  const lines = [{ sku: 'a', n: 1, box: { w: 1, h: 2 } }, { sku: 'b' }, 'loose']
  const document = { title: 'order', lines, to: { name: 'ann', town: 'Bonn' } }
  await service.call('POST', '/cortex/documents', { index: 'orders', id: 'o', document })
  const picked = async (...fields: string[]) => {
    const found = await service.call<{ hits: { source: object }[] }>('POST', '/cortex/search', {
      ...{ index: 'orders', query: 'order', fields },
    })
    return found.data.hits[0]?.source
  }
  expect(await picked('to.town')).toEqual({ to: { town: 'Bonn' } })
  expect(await picked('lines.sku')).toEqual({ lines: [{ sku: 'a' }, { sku: 'b' }] })
  expect(await picked('lines.n', 'lines.box.h', 'title')).toEqual({
    lines: [{ n: 1, box: { h: 2 } }, {}],
    title: 'order',
  })
  expect(await picked('lines.none', 'to.none.deep')).toEqual({})
  expect(await picked('lines', 'lines.sku')).toEqual({ lines })
  expect(await picked('to.town', 'to')).toEqual({ to: document.to })
})

it('a name of thousands of parts is no work of seconds', async () => {
  const key = 'a.'.repeat(100)
  const documents = Array.from({ length: 300 }, (_, n) => ({
    ...{ index: 'parts', id: `p${n}`, document: { title: 'parts', a: { a: n }, [`${key}b`]: n } },
  }))
  await service.call('POST', '/cortex/documents/bulk', { documents })
  const picked = (...fields: string[]) =>
    service.call<{ hits: { source: object }[] }>('POST', '/cortex/search', {
      ...{ index: 'parts', query: 'parts', size: 300, fields },
    })
  const beganMs = performance.now()
  const { data } = await picked('a.'.repeat(9000), `${'a.'.repeat(9000)}b`, 'a.a')
  expect(performance.now() - beganMs).toBeLessThan(3000)
  expect(data.hits).toHaveLength(300)
  expect(data.hits.every(({ source }) => 'a' in source)).toBe(true)
  const { data: long } = await picked(`${key}b`)
  expect(Object.keys(long.hits[0]?.source ?? {})).toEqual([`${key}b`])
})
