import { describe, expect, test } from 'vitest'
import { sourceProblem } from '../../../src/search/documents/source.ts'
import { compileDefinition } from '../../../src/search/indices/definition.ts'
import { processorMs } from '../../processor-time.ts'

const config = { embedder: 'learned', embedderDimensions: 384 } as const
const mappings = {
  properties: {
    year: { type: 'integer' },
    price: { type: 'double' },
    open: { type: 'boolean' },
    seen: { type: 'date' },
    place: { properties: { city: { type: 'keyword' } } },
    extra: { type: 'object' },
  },
}
const definition = compileDefinition({}, mappings, config)

describe('a document’s values are checked against the mapping', () => {
  test.each([
    { title: 'a', authors: ['b'] },
    { year: 2000, price: 1.5, open: true, seen: '2020-01-31T10:00:00Z' },
    { seen: 1_600_000_000_000 },
    { seen: ['0000-01-01', '1492-10-12'] },
    { year: [1, 2], place: { city: 'Bern' } },
    { year: null, anything: { else: 1 } },
    { place: null },
    { place: [{ city: 'Bern' }, {}] },
    { place: {}, 'place.city': 'Bern' },
    { place: 5, 'place.city': 'Bern' },
    { place: [{ city: ['Bern', null] }, {}, { city: 'Basel' }] },
    { extra: { any: 1 } },
    { extra: [{}, null] },
    { 'extra.any': 1 },
  ])('%j fits', (source) => {
    expect(sourceProblem(source, definition)).toBeUndefined()
  })

  test.each([
    [{ year: '2000' }, 'document.year'],
    [{ year: 1.5 }, 'document.year'],
    [{ price: 'x' }, 'document.price'],
    [{ open: 'true' }, 'document.open'],
    [{ seen: 'yesterday' }, 'document.seen'],
    [{ seen: '2020-13-01' }, 'document.seen'],
    [{ seen: 8.64e15 }, 'document.seen'],
    [{ place: { city: 3 } }, 'document.place.city'],
    [{ place: 5 }, 'document.place'],
    [{ place: 'Bern' }, 'document.place'],
    [{ place: ['Bern'] }, 'document.place'],
    [{ place: [{ city: 'Bern' }, { city: 3 }] }, 'document.place.city'],
    [{ place: { city: 'Bern' }, 'place.city': 3 }, 'document.place.city'],
    [{ extra: 5 }, 'document.extra'],
    [{ extra: [{}, 'x'] }, 'document.extra'],
    [{ title: 3 }, 'document.title'],
  ])('%j is refused', (source, path) => {
    expect(sourceProblem(source, definition)?.details?.[0]?.path).toBe(path)
    const bare = path.replace('document.', '')
    expect(sourceProblem(source, definition, '')?.details?.[0]?.path).toBe(bare)
  })

  test.each([2 ** 53, -(2 ** 53), 1e300, [1, 2 ** 53]])('%j: the limit is told', (year) => {
    const message = sourceProblem({ year }, definition)?.message
    expect(message).toContain('a whole number from -(2^53-1) to 2^53-1')
  })
})

test('a document is looked through for what it holds, not for all that a wide mapping names', () => {
  const inner = { properties: { a: { type: 'long' }, b: { type: 'long' }, c: { type: 'long' } } }
  const names = (count: number) => Array.from({ length: count }, (_, n) => `object${n}`)
  const all = (property: Record<string, unknown>) =>
    Object.fromEntries(names(1000).map((name) => [name, property]))
  const full = compileDefinition({}, { properties: all(inner) }, config)
  const open = compileDefinition(
    {},
    { dynamic: 'strict', properties: all({ type: 'object' }) },
    config,
  )
  const known = Object.fromEntries(names(5000).map((name, n) => [`object${n % 1000}.${name}`, n]))
  const tookMs = processorMs(() => {
    for (let n = 0; n < 20; n++) expect(sourceProblem({ title: 'a' }, full)).toBeUndefined()
    for (let n = 0; n < 5; n++) expect(sourceProblem(known, open)).toBeUndefined()
  })
  expect(tookMs).toBeLessThan(500)
  expect(sourceProblem({ object7: { b: 'x' } }, full)?.details?.[0]?.path).toBe(
    'document.object7.b',
  )
  expect(sourceProblem({ object7: 5 }, full)?.details?.[0]?.path).toBe('document.object7')
  expect(sourceProblem({ object7: 5 }, open)?.details?.[0]?.path).toBe('document.object7')
})

describe('objects times the fields inside of them are bounded', () => {
  const fields = (count: number, property: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, property]))
  const objects = (count: number) => Array.from({ length: count }, () => ({}))
  const word = { type: 'keyword' }
  const wide = compileDefinition(
    {},
    { properties: { a: { properties: fields(4000, word) } } },
    config,
  )
  const bare = compileDefinition(
    {},
    { properties: { a: { properties: fields(4000, { type: 'object' }) } } },
    config,
  )

  test.each([
    ['fields', wide],
    ['objects', bare],
  ])('of %s', (_, mapped) => {
    let problem: ReturnType<typeof sourceProblem>
    const tookMs = processorMs(() => {
      problem = sourceProblem({ title: 'a', a: objects(100_000) }, mapped)
    })
    expect(problem).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'document.a', message: expect.stringContaining('too many objects') }],
    })
    expect(tookMs).toBeLessThan(1000)
    expect(sourceProblem({ title: 'a', a: objects(900) }, mapped)).toBeUndefined()
    expect(sourceProblem({ title: 'a', b: objects(100_000) }, mapped)).toBeUndefined()
  })

  test('under keys with dots, and in lists of lists', () => {
    const properties = { a: { properties: { b: { properties: fields(4000, word) } } } }
    const deep = compileDefinition({}, { properties }, config)
    const refused = [
      { 'a.b': objects(100_000) },
      { a: { b: objects(100_000) } },
      { a: [[{ b: [objects(100_000)] }]] },
    ]
    for (const source of refused)
      expect(sourceProblem(source, deep)?.message).toContain('too many objects')
    expect(sourceProblem({ a: { c: objects(100_000) } }, deep)).toBeUndefined()
  })

  test('a long list with a few fields has room', () => {
    const few = compileDefinition(
      {},
      { properties: { a: { properties: fields(4, word) } } },
      config,
    )
    expect(sourceProblem({ title: 'a', a: objects(900_000) }, few)).toBeUndefined()
  })
})

describe('objects are objects at every depth', () => {
  const region = { properties: { name: { type: 'keyword' } } }
  const properties = { place: { properties: { city: { type: 'keyword' }, region } } }
  const layered = compileDefinition({}, { properties }, config)

  test.each([
    { place: [{ city: 'Bern' }, null] },
    { place: { region: [{ name: 'Mittelland' }, null] } },
    { place: [{ region: null }, { region: [null] }, { 'region.name': 'Jura' }] },
    { place: [{ region: 5, 'region.name': 'Jura' }] },
    { 'place.region': [{ name: 'Jura' }, null] },
  ])('%j fits', (source) => {
    expect(sourceProblem(source, layered)).toBeUndefined()
  })

  test.each([
    [{ place: [null, 'Bern'] }, 'document.place'],
    [{ place: [[{ city: 'Bern' }]] }, 'document.place'],
    [{ place: { region: 'Jura' } }, 'document.place.region'],
    [{ place: [{ region: 'Jura' }] }, 'document.place.region'],
    [{ place: [{ city: 'Bern' }, { region: [{ name: 'Jura' }, 5] }] }, 'document.place.region'],
    [{ 'place.region': 'Jura' }, 'document.place.region'],
  ])('%j is refused', (source, path) => {
    expect(sourceProblem(source, layered)?.details?.[0]?.path).toBe(path)
  })
})

describe('a strict mapping looks into objects', () => {
  const properties = {
    place: { properties: { city: { type: 'keyword' }, more: { type: 'object' } } },
    extra: { type: 'object' },
    none: { type: 'object', properties: {} },
  }
  const strict = compileDefinition({}, { dynamic: 'strict', properties }, config)

  test.each([
    { place: { city: 'Bern', more: { any: [{ thing: 1 }] } } },
    { place: [{ city: 'Bern' }, {}], extra: { any: 1 } },
    { 'place.city': 'Bern', 'extra.any': 1, 'place.more.any': 1 },
    { place: { other: null }, none: {} },
  ])('%j is named', (source) => {
    expect(sourceProblem(source, strict)).toBeUndefined()
  })

  test.each([
    [{ place: { other: 1 } }, 'document.place.other'],
    [{ place: [{ city: 'Bern' }, { other: 1 }] }, 'document.place.other'],
    [{ 'place.other': 1 }, 'document.place.other'],
    [{ 'title.other': 1 }, 'document.title.other'],
    [{ none: { other: 1 } }, 'document.none.other'],
    [{ extras: 1 }, 'document.extras'],
  ])('%j is not', (source, path) => {
    expect(sourceProblem(source, strict)).toMatchObject({
      code: 'UNKNOWN_FIELD',
      details: [{ path }],
    })
  })
})

test('a strict mapping refuses what it does not name', () => {
  const strict = compileDefinition({}, { ...mappings, dynamic: 'strict' }, config)
  expect(sourceProblem({ title: 'a', place: { city: 'b' } }, strict)).toBeUndefined()
  const problem = sourceProblem({ title: 'a', other: 'secret' }, strict)
  expect(problem).toMatchObject({ code: 'UNKNOWN_FIELD', details: [{ path: 'document.other' }] })
  expect(problem?.message).not.toContain('secret')
  expect(sourceProblem({ title: 'a', other: null }, strict)).toBeUndefined()
})

describe('a dense_vector field', () => {
  const vectors = compileDefinition(
    {},
    { properties: { embedding: { type: 'dense_vector', dims: 3 } } },
    config,
  )

  test.each([[[1, 2, 3]], [null], [undefined]])('takes %j', (embedding) => {
    expect(sourceProblem({ title: 'a', embedding }, vectors)).toBeUndefined()
  })

  test.each([[[1, 2]], [[0, 0, 0]], ['abc'], [['1', '2', '3']]])('refuses %j', (embedding) => {
    expect(sourceProblem({ title: 'a', embedding }, vectors)?.details?.[0]?.path).toBe(
      'document.embedding',
    )
  })
})

describe('a sub-field reads the values of its field in another way', () => {
  const sub = (type: string, other: string) => ({ type, fields: { as: { type: other } } })
  const properties = {
    year: sub('integer', 'keyword'),
    open: sub('boolean', 'text'),
    seen: sub('date', 'keyword'),
    code: sub('keyword', 'integer'),
    size: sub('keyword', 'double'),
    said: sub('text', 'date'),
    flag: sub('keyword', 'boolean'),
    since: sub('integer', 'date'),
    price: sub('double', 'integer'),
  }
  const layered = compileDefinition({}, { properties }, config)

  test.each([
    { year: 2000, open: [true, false], seen: 1_600_000_000_000 },
    { seen: ['2020-01-31', 0] },
    { code: ['7', ' -12 ', '1e3'], size: '1.5', said: '2020-01-31', flag: 'true' },
    { since: 1_600_000_000_000, price: 3, year: null },
  ])('%j fits', (source) => {
    expect(sourceProblem(source, layered)).toBeUndefined()
  })

  test.each([
    [{ year: '2000' }, 'year', 'must be a whole number'],
    [{ open: 'true' }, 'open', 'must be a boolean'],
    [{ seen: 'yesterday' }, 'seen', 'must be a date'],
    [{ code: 7 }, 'code', 'must be a string'],
    [{ code: '1.5' }, 'code', 'sub-field code.as'],
    [{ code: ['7', '0x10'] }, 'code', 'each item a whole number'],
    [{ size: '' }, 'size', 'sub-field size.as'],
    [{ size: '1e999' }, 'size', 'sub-field size.as'],
    [{ said: 'long ago' }, 'said', 'sub-field said.as'],
    [{ flag: 'yes' }, 'flag', 'sub-field flag.as'],
    [{ price: 1.5 }, 'price', 'sub-field price.as'],
  ])('%j is refused', (source, path, message) => {
    const problem = sourceProblem(source, layered)
    expect(problem?.details?.[0]?.path).toBe(`document.${path}`)
    expect(problem?.details?.[0]?.message).toContain(message)
  })
})
