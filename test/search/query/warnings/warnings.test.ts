import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectRaw, WIRE_MS } from '../../../http/stub.ts'
import { type RunningApp, startApp } from '../../../running-app.ts'
import { waitUntil } from '../../../wait-until.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
  const settings = { embedder: { kind: 'given', dimensions: 2 } }
  const document = { title: 'tea', year: 2020 }
  await service.must('POST', '/cortex/indices', { name: 'papers', settings })
  await service.must('POST', '/cortex/documents', { index: 'papers', document, vector: [0, 1] })
})
afterAll(() => service.close())

interface Told {
  searchContext: { warnings?: string[] }
}

const contextOf = async (body: object) => {
  const sent = { index: 'papers', query: 'tea', ...body }
  return (await service.must<Told>('POST', '/cortex/search', sent)).searchContext
}

it('a search that says nothing in vain has no warnings', async () => {
  const said = {
    ...{ vector: [0, 1], filters: { year: 2020 }, facets: ['year'], sort: ['_score', 'year'] },
    ...{ searchFields: ['title'], boost: { title: 2, text: 1 }, fields: ['title', 'year', '*'] },
    highlight: { fields: ['title'] },
  }
  expect(await contextOf(said)).not.toHaveProperty('warnings')
  expect(await contextOf({ vector: [0, 1] })).not.toHaveProperty('warnings')
})

it('what a search by words alone says of neighbours is told', async () => {
  const said = { vector: [0, 1], neighbors: 5, similarity: 0.5, fusion: 'rrf' }
  for (const searchType of ['text', 'Text'])
    expect((await contextOf({ ...said, searchType })).warnings).toEqual(
      Object.keys(said).map(
        (name) => `"${name}" has no effect: a search of the type "text" is by words alone.`,
      ),
    )
  for (const searchType of ['hybrid', 'vector'])
    expect(await contextOf({ ...said, searchType })).not.toHaveProperty('warnings')
  expect(await contextOf({ searchType: 'text' })).not.toHaveProperty('warnings')
})

it('each kind of name in vain is told in its own words, in one order', async () => {
  const { warnings } = await contextOf({
    ...{ fields: ['titel'], boost: { contnet: 1 }, searchFields: ['abstrakt'] },
    ...{ highlight: { pretag: '' }, limit: 1, filters: { yaer: 2020 } },
  })
  expect(warnings?.map((warning) => /"([^"]+)"/.exec(warning)?.[1])).toEqual([
    ...['limit', 'papers', 'yaer', 'abstrakt', 'contnet', 'pretag', 'titel'],
  ])
  expect(new Set(warnings?.map((warning) => warning.replaceAll(/"[^"]+"/g, ''))).size).toBe(7)
})

it('names in fields by which no document has a value are told, with the one that was meant', async () => {
  const vector = [0, 1]
  const fields = ['yaer', 'year', 'wheels', 'a.b']
  const warnings = [
    '"yaer" of fields: no document of "papers" has a value in it; "year" is a field.',
    '"wheels" of fields: no document of "papers" has a value in it.',
    '"a.b" of fields: no document of "papers" has a value in it.',
  ]
  for (const _ of ['first', 'again'])
    expect((await contextOf({ vector, fields })).warnings).toEqual(warnings)
  const long = { title: 'tea', wheels: 'x'.repeat(10_000), a: [{ b: 1 }] }
  await service.must('POST', '/cortex/documents', { index: 'papers', document: long, vector })
  expect((await contextOf({ vector, fields })).warnings).toEqual(warnings.slice(0, 1))
})

it('names in fields of which an index that only keeps them knows nothing are told where they look like a slip', async () => {
  const mappings = { dynamic: false, properties: { colour: { type: 'keyword' } } }
  await service.must('POST', '/cortex/indices', { name: 'kept', mappings })
  await service.must('POST', '/cortex/documents', {
    index: 'kept',
    document: { title: 'tea', size: 3 },
  })
  expect(
    (await contextOf({ index: 'kept', fields: ['size', 'wheels', 'color'] })).warnings,
  ).toEqual(['"color" of fields is mapped in none of the indices; "colour" is.'])
})

it('a sub-field in fields brings nothing, which is told with the field that does', async () => {
  const made = { type: 'text', fields: { raw: { type: 'keyword' } } }
  const document = { title: 'tea', made: 'tea' }
  await service.must('POST', '/cortex/indices', {
    name: 'read',
    mappings: { properties: { made } },
  })
  await service.must('POST', '/cortex/documents', { index: 'read', document })
  const ask = (more: object = {}) => contextOf({ index: 'read', fields: ['made.raw'], ...more })
  const warning = '"made.raw" of fields is a sub-field, which is not returned; "made" is.'
  expect((await ask()).warnings).toEqual([warning])
  expect((await ask({ sort: 'made.raw', filters: { 'made.raw': 'tea' } })).warnings).toEqual([
    warning,
  ])
  const both = { index: ['read', 'plain'] }
  await service.must('POST', '/cortex/documents', { index: 'plain', document: { title: 'tea' } })
  expect((await ask(both)).warnings).toEqual([warning])
  // Where another index has such a place in its documents, it is returned from there.
  const place = { title: 'tea', made: { raw: 'tea' } }
  await service.must('POST', '/cortex/documents', { index: 'plain', document: place })
  for (const _ of ['first', 'again']) expect(await ask(both)).not.toHaveProperty('warnings')
  const mappings = { properties: { made: { properties: { raw: { type: 'keyword' } } } } }
  await service.must('POST', '/cortex/indices', { name: 'deep', mappings })
  expect(await ask({ index: ['read', 'deep'] })).not.toHaveProperty('warnings')
})

it('what the address of a posted search says is told, since its body alone is read', async () => {
  await service.must('POST', '/cortex/indices', { name: 'other' })
  const posted = async (address: string, body?: object) => {
    const path = `/cortex/search?${address}`
    return (await service.must<Told>('POST', path, body)).searchContext.warnings
  }
  expect(await posted('index=papers', { query: 'tea', index: 'other' })).toEqual([
    '"index" in the address of a POST is not read and was ignored; "index" in the body is.',
  ])
  // So where there is no body, and where it says the same.
  expect(await posted('q=tea&index=papers&pretty&index=other')).toEqual([
    '"q" in the address of a POST is not read and was ignored; "query" in the body is.',
    '"index" in the address of a POST is not read and was ignored; "index" in the body is.',
    '"pretty" in the address of a POST is not read and was ignored.',
  ])
  expect(await posted('index=papers', { index: 'papers', vector: [0, 1] })).toHaveLength(1)
  expect(await posted('', { index: 'papers', vector: [0, 1] })).toBeUndefined()
})

it.each([
  ['of a length that is told', ['Content-Length: 15', '', '{"query":"tea"}']],
  ['in chunks', ['Transfer-Encoding: chunked', '', 'f', '{"query":"tea"}', '0', '', '']],
])('a search sent as the body of a GET, %s, finds everything, and is told so', async (_, lines) => {
  const { socket, received, closed } = await connectRaw(Number(new URL(service.url).port))
  const head = [
    'GET /api/cortex/search?index=papers&vector=0,1 HTTP/1.1',
    'Host: a',
    'Connection: close',
  ]
  socket.write([...head, ...lines].join('\r\n'))
  await waitUntil(closed, WIRE_MS)
  expect(received()).toContain(
    '"warnings":["The body of a GET is not read and was ignored; that of a POST is."]',
  )
  const { searchContext } = await service.must<Told>(
    'GET',
    '/cortex/search?index=papers&vector=0,1',
  )
  expect(searchContext).not.toHaveProperty('warnings')
})

it('of all together there are eight: what most likely made the answer wrong first, and how many others', async () => {
  const names = Array.from({ length: 7 }, (_, at) => `y${at}`)
  const sent = { index: 'papers', query: 'tea', facets: names, searchFields: names, limit: 1 }
  const told = await service.must<Told>('POST', '/cortex/search?from=1', sent)
  const { warnings = [] } = told.searchContext
  expect(warnings.slice(0, 7).map((warning) => /"([^"]+)"/.exec(warning)?.[1])).toEqual([
    ...['from', 'limit', 'papers', ...names.slice(0, 4)],
  ])
  // Of the address, of the body and of the vector one each, and fourteen names.
  expect(warnings.slice(7)).toEqual(['10 further warnings are left out.'])
  const eight = { vector: [0, 1], facets: names, limit: 1 }
  expect((await contextOf(eight)).warnings).toHaveLength(8)
  expect((await contextOf(eight)).warnings?.at(-1)).toContain('"y6" of facets')
})

it('a sort in vain is told before a facet in vain, and what was not looked at is not counted', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `y${at}`)
  const { warnings = [] } = await contextOf({ vector: [0, 1], facets: names, sort: 'yaer' })
  expect(warnings[0]).toContain('"yaer" of sort')
  expect(warnings).toHaveLength(8)
  expect(warnings.at(-1)).toBe('25 or more further warnings are left out.')
  const fields = (await contextOf({ vector: [0, 1], fields: names })).warnings
  expect(fields?.at(-1)).toBe('1 or more further warnings are left out.')
})
