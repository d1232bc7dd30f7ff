import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
  const mappings = {
    properties: {
      ...{ year: { type: 'integer' }, place: { properties: { street: { type: 'keyword' } } } },
      picture: { type: 'dense_vector', dims: 2 },
    },
  }
  const closed = { dynamic: false, properties: { price: { type: 'float' } } }
  await service.must('PUT', '/cortex/indices/papers', { mappings })
  await service.must('PUT', '/cortex/indices/closed', { mappings: closed })
  const documents = [
    ['papers', { title: 'tea', year: 2020, colour: 'red', maker: { name: 'x' }, picture: [0, 1] }],
    ['closed', { title: 'tea', price: 1, colour: 'red' }],
    ['free', { title: 'tea', size: 3, stars: [1, 2] }],
  ] as const
  for (const [index, document] of documents)
    await service.must('POST', '/cortex/documents', { index, id: index, document })
})
afterAll(() => service.close())

const warned = async (body: object, index: string | string[] = 'papers') => {
  const found = await service.must<{ searchContext: { warnings?: string[] }; total: number }>(
    'POST',
    '/cortex/search',
    { index, ...body },
  )
  return found.searchContext.warnings
}

describe('a name without a value in any searched index is told, with the nearest that has one', () => {
  it.each([
    [{ filters: { yaer: 2020 } }, '"yaer" of filters', 'filtered by; "year" is a field'],
    [{ filters: { not: { yaer: 2020 } } }, '"yaer" of filters', 'filtered by; "year" is a field'],
    [{ filters: { color: 'red' } }, '"color" of filters', 'filtered by; "colour" is a field'],
    [{ filters: { or: [{ a1: 1 }, { year: 1 }] } }, '"a1" of filters', 'filtered by'],
    [{ filters: { titel: 'tea' } }, '"titel" of filters', 'filtered by; "title" is a field'],
    [{ filters: { street: 'x' } }, '"street" of filters', 'filtered by; "place.street" is a field'],
    [{ filters: { colur: { exists: true } } }, '"colur" of filters', '"colour" is a field'],
    [{ filters: { a1: { not: null } } }, '"a1" of filters', 'filtered by'],
    [{ filters: { not: { a1: { exists: false } } } }, '"a1" of filters', 'filtered by'],
    [{ filters: { a1: null }, sort: 'a1' }, '"a1" of sort', 'sorted by'],
    [{ filters: { or: [{ a1: null }, { a1: { lt: 5 } }] } }, '"a1" of filters', 'filtered by'],
    [{ facets: ['colours'] }, '"colours" of facets', 'counted; "colour" is a field'],
    [{ facets: { titel: { size: 1 } } }, '"titel" of facets', 'counted'],
    [{ facets: ['picture'] }, '"picture" of facets', 'counted'],
    [{ facets: ['place'] }, '"place" of facets', 'counted; "place.street" is a field'],
    [{ sort: { place: 'desc' } }, '"place" of sort', 'sorted by; "place.street" is a field'],
    [{ sort: 'Year:desc' }, '"Year" of sort', 'sorted by; "year" is a field'],
    [
      { sort: ['_score', { 'maker.nam': 'asc' }] },
      '"maker.nam" of sort',
      '"maker.name" is a field',
    ],
    [{ sort: 'constructor' }, '"constructor" of sort', 'sorted by'],
    [{ sort: '-year' }, '"-year" of sort', 'sorted by; "year:desc" sorts by it'],
    [{ sort: ['year desc'] }, '"year desc" of sort', 'sorted by; "year:desc" sorts by it'],
    [{ sort: 'year, Ascending' }, '"year, Ascending" of sort', '"year:asc" sorts by it'],
    [{ sort: 'yaer desc' }, '"yaer desc" of sort', 'sorted by'],
    [{ filters: { place: 'x' } }, '"place" of filters', 'by; "place.street" is a field'],
    [{ facets: ['maker'] }, '"maker" of facets', 'counted; "maker.name" is a field'],
    [{ sort: 'maker:desc' }, '"maker" of sort', 'sorted by; "maker.name" is a field'],
    [{ filters: { maker: 'x' } }, '"maker" of filters', 'by; "maker.name" is a field'],
    [{ filters: { maker: { gte: 1 } } }, '"maker" of filters', 'by; "maker.name" is a field'],
    [{ filters: { Maker: 'x' } }, '"Maker" of filters', 'by; "maker.name" is a field'],
    [{ filters: { Maker: { exists: true } } }, '"Maker" of filters', 'by; "maker" is a field'],
    [{ facets: ['Maker'] }, '"Maker" of facets', 'counted; "maker.name" is a field'],
  ])('%j', async (body, what, ending) => {
    const [warning = '', ...more] = (await warned(body)) ?? []
    expect(more).toEqual([])
    const start = `${what}: no document of "papers" has a value in it that can be `
    expect([warning.slice(0, start.length), warning.endsWith(`${ending}.`)]).toEqual([start, true])
  })
})

it.each([
  [{ facets: ['pl*'] }, '"pl*" of facets', '; "place.street" is a field.'],
  [{ facets: ['*r*'] }, '"*r*" of facets', /; "\w+" and \d+ others are fields\.$/],
  [{ facets: ['m*e'] }, '"m*e" of facets', '; "maker.name" is a field.'],
  [{ sort: 'x*' }, '"x*" of sort', '.'],
])('a name with a star is told that fields are named one by one: %j', async (body, what, rest) => {
  const told = `${what}: each field is named by itself`
  const ending = typeof rest === 'string' ? told + rest : expect.stringMatching(rest)
  expect(await warned(body)).toEqual([ending])
})

it.each([
  { yaer: null },
  { yaer: { exists: false } },
  { yaer: { eq: null } },
  { not: { yaer: { exists: true } } },
  { not: [{ year: 1 }, { yaer: { not: null } }] },
  { and: [{ or: [{ yaer: null }, { year: 2020 }] }] },
])('whoever asks for documents without a field gets them, and no warning: %j', async (filters) => {
  expect(await warned({ filters })).toBeUndefined()
  const found = { index: 'papers', filters }
  expect(await service.must('POST', '/cortex/search', found)).toMatchObject({ total: 1 })
})

it('a field that holds nothing yet is said to have no value, not to be none', async () => {
  const document = { title: 'tea', unset: null, empty: {}, none: [], nested: { unset: null } }
  await service.must('POST', '/cortex/documents', { index: 'blank', id: 'b', document })
  for (const name of ['unset', 'empty', 'none', 'nested.unset'])
    for (const [wanted, can] of [
      [
        { filters: { [name]: 1 } },
        'filters: no document of "blank" has a value in it that can be filtered by.',
      ],
      [{ sort: name }, 'sort: no document of "blank" has a value in it that can be sorted by.'],
      [{ facets: [name] }, 'facets: no document of "blank" has a value in it that can be counted.'],
    ] as const)
      expect(await warned(wanted, 'blank')).toEqual([`"${name}" of ${can}`])
  await service.must('PUT', '/cortex/documents/b?index=blank', { unset: 1, none: [false] })
  expect(
    await warned({ filters: { unset: 1, none: false }, sort: 'unset' }, 'blank'),
  ).toBeUndefined()
})

it('a name below a mapped field is told to be no sub-field of it, with one that is', async () => {
  const read = {
    name: { type: 'text', fields: { raw: { type: 'keyword' }, exact: { type: 'text' } } },
    brand: { type: 'keyword', fields: { words: { type: 'text' } } },
    place: { properties: { town: { type: 'text' } } },
  }
  await service.must('PUT', '/cortex/indices/goods', { mappings: { properties: read } })
  const document = { title: 'tea', name: 'tea', brand: 'x', place: { town: 'y' } }
  await service.must('POST', '/cortex/documents', { index: 'goods', id: 'g', document })
  for (const [body, what, sub, meant] of [
    [{ sort: 'name.rwa' }, '"name.rwa" of sort: "name"', 'rwa', 'name.raw'],
    [{ sort: 'name.keyword' }, '"name.keyword" of sort: "name"', 'keyword', 'name.raw'],
    [{ sort: 'brand.keyword' }, '"brand.keyword" of sort: "brand"', 'keyword', 'brand'],
    [{ facets: ['title.raw'] }, '"title.raw" of facets: "title"', 'raw', undefined],
    [{ filters: { 'title.raw': 'tea' } }, '"title.raw" of filters: "title"', 'raw', 'title'],
    [{ filters: { 'name.exct': 'tea' } }, '"name.exct" of filters: "name"', 'exct', 'name.exact'],
    [{ filters: { 'brand.a.b': 'x' } }, '"brand.a.b" of filters: "brand"', 'a.b', 'brand'],
    [{ sort: 'place.town.raw' }, '"place.town.raw" of sort: "place.town"', 'raw', undefined],
    [{ fields: ['title.raw'] }, '"title.raw" of fields: "title"', 'raw', 'title'],
  ] as const) {
    const advice = meant === undefined ? '' : `; "${meant}" is a field`
    expect(await warned(body, 'goods')).toEqual([
      `${what} has no sub-field "${sub}" in the mapping of "goods"${advice}.`,
    ])
  }
  for (const object of [{ brand: { raw: 'x' } }, { title: { raw: 'x' } }]) {
    const sent = { index: 'goods', document: { ...document, ...object } }
    expect((await service.call('POST', '/cortex/documents', sent)).status).toBe(400)
  }
  // Inside of an object documents may have anything.
  expect((await warned({ sort: 'place.raw' }, 'goods'))?.[0]).toContain('no document of "goods"')
  // Only the mappings that have the field are named, and documents of another index may have it inside of an object.
  expect((await warned({ sort: 'brand.raw' }, ['papers', 'goods']))?.[0]).toContain('of "goods";')
  await service.must('POST', '/cortex/documents', {
    index: 'open',
    document: { title: 'tea', brand: { raw: 'x' } },
  })
  expect(
    await warned({ sort: 'brand.raw', fields: ['brand.raw'] }, ['open', 'goods']),
  ).toBeUndefined()
})

it('a number that bounds dates, or other words, is told to have only numbers, where no mapping knows', async () => {
  const documents = [{ opened: '2024-05-01', sizes: ['s', 'm'] }, { opened: '2025-06-01' }]
  for (const [id, document] of documents.entries())
    await service.must('POST', '/cortex/documents', {
      index: 'dated',
      id: String(id),
      document: { title: 'tea', ...document },
    })
  const said = (name: string, of = '"dated"') =>
    `"${name}" of filters: no document of ${of} has a number in it, and only numbers are compared with one; send a date as text, such as "2025-01-31".`
  for (const range of [{ lt: 2025 }, { gte: '2024-01-01', lte: 1_735_689_600_000 }])
    expect(await warned({ filters: { opened: range } }, 'dated')).toEqual([said('opened')])
  expect(await warned({ filters: { not: { sizes: { gt: 5 } } } }, 'dated')).toEqual([said('sizes')])
  expect(await warned({ filters: { opened: { lt: '2025' } } }, 'dated')).toBeUndefined()
  expect(await warned({ filters: { opened: 2025 }, sort: 'opened' }, 'dated')).toBeUndefined()
  const both = { and: [{ opened: { gt: '2024' } }, { opened: { gt: 5 } }] }
  expect(await warned({ filters: both }, ['dated', 'free'])).toEqual([
    said('opened', '"free", "dated"'),
  ])
  const document = { title: 'tea', opened: 1999 }
  await service.must('POST', '/cortex/documents', { index: 'free', id: 'n', document })
  expect(await warned({ filters: both }, ['dated', 'free'])).toBeUndefined()
  await service.must('POST', '/cortex/documents', { index: 'dated', id: 'n', document })
  expect(await warned({ filters: both }, 'dated')).toBeUndefined()
})

it('a field that documents have, or a mapping, is told of in no way', async () => {
  for (const name of ['year', 'colour', 'maker.name', 'tags', 'created', 'place.street'])
    expect(
      await warned({ filters: { [name]: null }, facets: [name], sort: ['_score', name] }),
    ).toBeUndefined()
  for (const name of ['title', 'maker', 'place'])
    expect(await warned({ filters: { [name]: { exists: true } } })).toBeUndefined()
  expect(await warned({ filters: {}, facets: [], sort: [] })).toBeUndefined()
})

it('an object of some documents that is a value of others, in any of the indices, is told of in no way', async () => {
  const asked = { filters: { maker: 'x' }, facets: ['maker'], sort: 'maker' }
  const both = { filters: { and: [{ maker: { exists: true } }, { maker: 'x' }] } }
  // Asked before, for the object and for the value.
  expect(await warned({ filters: { maker: { exists: true } }, fields: ['maker'] })).toBeUndefined()
  expect(await warned(both)).toHaveLength(1)
  expect(await warned(asked)).toHaveLength(3)
  for (const index of ['plain', 'papers']) {
    const document = { title: 'tea', maker: 'y' }
    await service.must('POST', '/cortex/documents', { index, id: 'plain', document })
    expect(await warned(asked, ['papers', index])).toBeUndefined()
    expect(await warned(both, ['papers', index])).toBeUndefined()
  }
  await service.must('DELETE', '/cortex/documents/plain?index=papers')
})

it('one index of several that knows it is enough; where none does, they are named', async () => {
  const all = ['papers', 'closed', 'free']
  for (const name of ['year', 'price', 'stars'])
    expect(await warned({ filters: { [name]: 1 }, sort: name }, all)).toBeUndefined()
  expect(await warned({ sort: 'star' }, all)).toEqual([
    '"star" of sort: no document of "papers", "closed", "free" has a value in it that can be sorted by; "stars" is a field.',
  ])
  await service.must('PUT', '/cortex/indices/other', {})
  const [one] = (await warned({ facets: ['nowhere'] }, [...all, 'other'])) ?? []
  expect(one).toContain('"papers", "closed", "free" and 1 more index has')
  await service.must('PUT', '/cortex/indices/another', {})
  const [told] = (await warned({ facets: ['nowhere'] }, [...all, 'other', 'another'])) ?? []
  expect(told).toContain('"papers", "closed", "free" and 2 more indices')
})

it('what an index keeps without a mapping, and can not be searched for, has no value either', async () => {
  expect(await warned({ filters: { colour: 'red' } }, 'closed')).toEqual([
    '"colour" of filters: no document of "closed" has a value in it that can be filtered by.',
  ])
  // It would find documents that have the field, too.
  expect(await warned({ filters: { colour: null } }, 'closed')).toHaveLength(1)
  const strict = { dynamic: 'strict', properties: {} }
  await service.must('PUT', '/cortex/indices/strict', { mappings: strict })
  expect(await warned({ filters: { colour: null } }, 'strict')).toBeUndefined()
})

it('is known from the document on that has it, and as soon as it is mapped', async () => {
  const ask = () => warned({ filters: { weight: 5 } }, 'free')
  expect(await ask()).toHaveLength(1)
  const document = { title: 'tea', weight: 5 }
  await service.must('POST', '/cortex/documents', { index: 'free', id: 'w', document })
  expect(await ask()).toBeUndefined()
  const mappings = { properties: { height: { type: 'integer' } } }
  expect(await warned({ filters: { height: 5 } }, 'free')).toHaveLength(1)
  await service.must('PUT', '/cortex/indices/free', { mappings })
  expect(await warned({ filters: { height: 5 } }, 'free')).toBeUndefined()
})

it('in an address as in a body, after a restart as before, and only of a few', async () => {
  await service.restart()
  const path = '/cortex/search?index=papers&sort=yaer'
  const { data } = await service.call<{ searchContext: object }>('GET', path)
  expect(data.searchContext).toMatchObject({
    warnings: [
      '"yaer" of sort: no document of "papers" has a value in it that can be sorted by; "year" is a field.',
    ],
  })
  const filters = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x${at}`, at]))
  const many = (await warned({ filters })) ?? []
  expect(many).toHaveLength(8)
  expect((await warned({ facets: ['y'.repeat(5000)] }))?.[0]?.length).toBeLessThan(200)
  // What is cut is no half of a letter.
  expect((await warned({ facets: [`${'y'.repeat(63)}😀`] }))?.[0]).toContain(`"${'y'.repeat(63)}"`)
})
