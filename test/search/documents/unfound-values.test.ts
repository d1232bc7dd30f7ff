import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
  const raw = { type: 'text', fields: { raw: { type: 'keyword' } } }
  const properties = { notes: raw, code: { type: 'keyword' }, words: { type: 'text' } }
  const vector = { embedding: { type: 'dense_vector', dims: 4096 } }
  for (const [name, mappings] of [
    ['mapped', { properties }],
    ['kept', { dynamic: false, properties }],
    ['vectors', { properties: vector }],
  ])
    await service.must('POST', '/cortex/indices', { name, mappings })
})
afterAll(() => service.close())

interface Written {
  warnings?: string[]
}

async function create(document: object, index = 'mapped'): Promise<string[] | undefined> {
  const body = { index, id: 'd', document: { title: 'tea', ...document } }
  return (await service.must<Written>('POST', '/cortex/documents', body)).warnings
}

async function found(filters: object): Promise<number> {
  const search = { index: 'mapped', query: '', filters }
  return (await service.must<{ total: number }>('POST', '/cortex/search', search)).total
}

const KEPT = 'kept, and no filter, facet or sort finds'
const long = (field: string) =>
  `document.${field} holds a text of more than 8191 bytes: it is ${KEPT} it.`
const deep = `document.o holds values inside of more than 16 objects, where no mapping names them: they are ${KEPT} them.`
const many = `More than 4096 values have no mapping: those beyond are ${KEPT} them.`

function nested(levels: number): object {
  return levels === 0 ? { n: 1 } : { a: nested(levels - 1) }
}

it('a text that is too long to be found as a value is told, and just one that is', async () => {
  const short = 'é'.repeat(4095)
  expect(await create({ code: short, free: short })).toBeUndefined()
  expect(await found({ code: short, free: short })).toBe(1)
  const one = 'é'.repeat(4096)
  const texts = { code: one, notes: one, tags: ['a', one], free: [one, one], o: { deep: one } }
  const fields = ['tags', 'notes.raw', 'code', 'free', 'o.deep']
  expect((await create(texts))?.toSorted()).toEqual(fields.map(long).toSorted())
  expect(await found({ or: { code: one, free: one, 'o.deep': one } })).toBe(0)
})

it('names under which nothing can be found are told, and just these', async () => {
  const odd = `A field has no mapping and, with the objects around it, a name that is empty or has U+0000 in it: it is ${KEPT} it.`
  for (const document of [{ '': 1 }, { '': { a: 1 } }, { o: [{ 'a\0b': 1 }] }, { '\0': { a: 1 } }])
    expect(await create(document)).toEqual([odd])
  expect(await found({ or: { '': 1, '.a': 1, 'o.a\0b': 1, '\0.a': 1 } })).toBe(0)
  expect(await create({ ' ': 1, o: { '': 1 }, '\u0001': 1 })).toBeUndefined()
  expect(await found({ ' ': 1, 'o.': 1, '\u0001': 1 })).toBe(1)
})

it('texts whose words are looked for may be of any length', async () => {
  expect(await create({ content: 'tea '.repeat(9999), words: 'tea '.repeat(9999) })).toBe(undefined)
})

it('values without a mapping are told where they are too many, and just there', async () => {
  const list = Array.from({ length: 4096 }, (_, at) => at)
  expect(await create({ list })).toBeUndefined()
  expect(await found({ list: 4095 })).toBe(1)
  expect(await create({ list: [...list, 4096] })).toEqual([many])
  expect(await found({ list: 4096 })).toBe(0)
  const fields = Object.fromEntries(list.map((at) => [`f${at}`, [at, null]]))
  expect(await create({ fields, one: true })).toEqual([many])
})

it('values without a mapping are told where they lie too deep, and just there', async () => {
  expect(await create({ o: nested(15) })).toBeUndefined()
  expect(await found({ [`o${'.a'.repeat(15)}.n`]: 1 })).toBe(1)
  expect(await create({ o: nested(16) })).toEqual([deep])
  expect(await found({ [`o${'.a'.repeat(16)}.n`]: 1 })).toBe(0)
})

it('a name that is too long is told', async () => {
  expect(await create({ o: { ['n'.repeat(510)]: 1 } })).toBeUndefined()
  const told = `A field has no mapping and, with the objects around it, a name of more than 512 bytes: it is ${KEPT} it.`
  expect(await create({ o: { ['n'.repeat(511)]: 1, ['m'.repeat(600)]: 1 } })).toEqual([told])
})

it('nothing is told of what is only kept on purpose, nor of a vector', async () => {
  const list = Array.from({ length: 5000 }, (_, at) => at)
  const free = 'a'.repeat(9000)
  expect(await create({ free, list, o: nested(20) }, 'kept')).toBeUndefined()
  expect(await create({ embedding: list.slice(1, 4097) }, 'vectors')).toBeUndefined()
})

it('it is told of changes and of items of a bulk, at most eight times of one document', async () => {
  const tags = ['t'.repeat(9000)]
  const put = await service.must<Written>('PUT', '/cortex/documents/d?index=mapped', { tags })
  expect(put.warnings).toEqual([long('tags').replace('document.', '')])
  const texts = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, tags]))
  const documents = [{ document: { title: 'tea', ...texts } }, { document: { title: 'tea' } }]
  const { items } = await service.must<{ items: Written[] }>('POST', '/cortex/documents/bulk', {
    ...{ index: 'mapped', documents },
  })
  expect(items.map(({ warnings }) => warnings?.length)).toEqual([8, undefined])
})
