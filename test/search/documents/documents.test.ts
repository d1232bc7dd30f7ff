import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

interface Written {
  id: string
  index: string
  vectorized: boolean
  version: number
  created: string
  updated: string
  result: string
}

const chapter = readFileSync(new URL('../../../docs/documents.md', import.meta.url), 'utf8')
let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

const create = (body: object, query = '') =>
  service.call<Written>('POST', `/cortex/documents${query}`, body)
const put = (id: string, body: object, query = '', headers: Record<string, string> = {}) =>
  service.call<Written>('PUT', `/cortex/documents/${encodeURIComponent(id)}${query}`, body, headers)
const get = (id: string, query = '') =>
  service.call<Written & { source: Record<string, unknown> }>(
    'GET',
    `/cortex/documents/${encodeURIComponent(id)}${query}`,
  )
const remove = (id: string, query = '', headers: Record<string, string> = {}) =>
  service.call<Written>(
    'DELETE',
    `/cortex/documents/${encodeURIComponent(id)}${query}`,
    undefined,
    headers,
  )

describe('a document that is changed inside of "document"', () => {
  it('is refused with a hint that the fields stand by themselves', async () => {
    for (const method of ['PUT', 'PATCH']) {
      const body = { document: { title: 'x' } }
      const { status, error, details } = await service.call(
        method,
        '/cortex/documents/w?index=wraps',
        body,
      )
      expect(status).toBe(400)
      expect(details[0]?.path).toBe('document')
      expect(error).toMatch(
        new RegExp(`^document must have at least one of title.*; ${method} takes the fields as`),
      )
    }
    await service.must('POST', '/cortex/indices', {
      name: 'wraps-strict',
      mappings: { dynamic: 'strict', properties: {} },
    })
    const strict = await put('w', { title: 'x', document: {} }, '?index=wraps-strict')
    expect(strict.code).toBe('UNKNOWN_FIELD')
    expect(strict.error).toMatch(/strict mapping.*; PUT takes the fields as they are/)
  })

  it('is kept, and told of, where the document has a text already', async () => {
    await put('kept', { title: 'x' }, '?index=wraps')
    for (const method of ['PUT', 'PATCH'])
      for (const name of ['document', 'doc']) {
        const body = { [name]: { title: 'y', method } }
        const path = '/cortex/documents/kept?index=wraps'
        const { warnings } = await service.must<{ warnings?: string[] }>(method, path, body)
        expect(warnings).toEqual([
          `${name} is kept as a field: ${method} takes the fields as they are, {"title": "…"}, with no "${name}" around them.`,
        ])
      }
    const beside = await put('kept', { year: 1, document: { title: 'y' } }, '?index=wraps')
    expect(beside.data).not.toHaveProperty('warnings')
    const properties = { title: { type: 'text' }, document: { type: 'object' } }
    await service.must('POST', '/cortex/indices', { name: 'wrapping', mappings: { properties } })
    await put('kept', { title: 'x' }, '?index=wrapping')
    const mapped = await put('kept', { document: { title: 'y' } }, '?index=wrapping')
    expect(mapped.data).not.toHaveProperty('warnings')
  })

  it('is not hinted at where something else is wrong', async () => {
    const { error } = await put('w', { year: 1 }, '?index=wraps')
    expect(error).toMatch(
      /^document must have at least one of .* is not empty; no document has this id, /,
    )
    expect(error).not.toContain('PUT')
    const kept = await put('w', { title: 'x', document: { mine: 1 } }, '?index=wraps')
    expect(kept.status).toBe(200)
  })

  it('is not told that a number would do, though a sub-field reads its words', async () => {
    const words = (type: string) => ({ type, fields: { words: { type: 'text' } } })
    await service.must('POST', '/cortex/indices', {
      name: 'counted',
      mappings: { properties: { year: words('integer'), brand: words('keyword') } },
    })
    const { error } = await create({ index: 'counted', document: { year: 2000 } })
    expect(error).toContain('at least one of title, content, abstract, brand that is not empty')
    expect((await create({ index: 'counted', document: { brand: 'x' } })).status).toBe(200)
  })
})

async function found(index: string, query: string, searchType = 'text'): Promise<string[]> {
  const { data } = await service.call<{ hits: { id: string }[] }>('POST', '/cortex/search', {
    index,
    query,
    searchType,
    size: 100,
  })
  return data.hits.map(({ id }) => id).sort()
}

describe('creating a document', () => {
  it('answers its id, index, version and times, and creates the index that it names', async () => {
    const { status, data } = await create({
      index: 'new',
      document: { title: 'Whales', content: 'They sing.' },
    })
    expect(status).toBe(200)
    expect(data).toMatchObject({ index: 'new', vectorized: true, version: 1, result: 'created' })
    expect(data.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/)
    expect(data.created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(await found('new', 'whales')).toEqual([data.id])
    expect(await found('new', 'whales', 'vector')).toEqual([data.id])
  })

  it('works under the path of an index too', async () => {
    const { status, data } = await service.call<Written>(
      'POST',
      '/cortex/indices/underpath/documents',
      { id: 'p', document: { title: 'path' } },
    )
    expect(status).toBe(200)
    expect(data).toMatchObject({ id: 'p', index: 'underpath' })
  })

  it.each([
    [{ document: { title: 'x' } }, 'index'],
    [{ index: 'new' }, 'document'],
    [{ index: 'new', document: {} }, 'document'],
    [{ index: 'new', document: { title: '', content: ' ', abstract: '' } }, 'document'],
    [{ index: 'new', document: { tags: ['only'] } }, 'document'],
    [{ index: 'new', document: { title: 7 } }, 'document.title'],
    [{ index: 'new', document: { title: 'x', tags: 'no list' } }, 'document.tags'],
    [{ index: 'new', document: { title: 'x', authors: [1] } }, 'document.authors'],
    [{ index: 'new', document: { title: 'x', created: 'yesterday' } }, 'document.created'],
    [{ index: 'new', document: 'text' }, 'document'],
    [{ index: 'new', id: '', document: { title: 'x' } }, 'id'],
    [{ index: 'new', id: 7, document: { title: 'x' } }, 'id'],
    [{ index: 'Upper', document: { title: 'x' } }, 'index'],
    [{ index: 'new', id: 'ü'.repeat(257), document: { title: 'x' } }, 'id'],
    [{ index: 'new', id: 'half \ud83d', document: { title: 'x' } }, 'id'],
  ])('refuses %j and names the field', async (body, path) => {
    const { status, code, error, details } = await create(body)
    expect({ status, code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' })
    expect(error).toMatch(/\.$/)
    expect(details[0]?.path).toContain(path)
  })

  it('takes ids of 512 bytes and odd characters, each its own document', async () => {
    const ids = [
      'ü'.repeat(256),
      'x'.repeat(512),
      'a/b?c#d&e=%20',
      ' ',
      '"\\\n',
      'a',
      'a\u0000',
      '1',
    ]
    for (const id of ids) {
      const { status, data } = await create({ index: 'ids', id, document: { title: `odd ${id}` } })
      expect(status).toBe(200)
      expect(data.id).toBe(id)
    }
    for (const id of ids.filter((id) => !id.includes('\u0000')))
      expect((await get(id)).data).toMatchObject({ id, source: { title: `odd ${id}` } })
    expect(await found('ids', 'odd')).toEqual([...ids].sort())
  })

  it('replaces a document whose id is taken, whole, and counts its version up', async () => {
    await create({ index: 'again', id: 'r', document: { title: 'first', tags: ['kept'] } })
    const { data } = await create({ index: 'again', id: 'r', document: { title: 'second' } })
    expect(data).toMatchObject({ version: 2, result: 'updated' })
    expect((await get('r')).data.source).toEqual({ title: 'second' })
    expect(await found('again', 'first')).toEqual([])
    expect(await found('again', 'second')).toEqual(['r'])
  })

  it('keeps fields that the mapping does not name, as they were sent', async () => {
    const document = {
      title: 'Free form',
      price: 12.5,
      nested: { deep: [{ a: 1 }, { a: null }], text: 'ünï 😀' },
      flags: [true, false],
      big: 9007199254740991,
      empty: {},
      list: [],
    }
    await create({ index: 'free', id: 'f', document })
    expect((await get('f')).data.source).toEqual(document)
  })

  it('stores half a surrogate pair as a mark, and the index goes on', async () => {
    const { status } = await create({
      index: 'cut',
      id: 'c',
      document: { title: 'cutoff \ud83d', 'key\ude00': 'back\\ud83d' },
    })
    expect(status).toBe(200)
    expect((await get('c')).data.source).toEqual({
      title: 'cutoff \ufffd',
      'key\ufffd': 'back\\ud83d',
    })
    expect(await found('cut', 'cutoff \ud83d')).toEqual(['c'])
  })

  it('answers once durable with refresh=false, and the document can be found soon', async () => {
    const { status, data } = await create(
      { index: 'later', id: 'l', document: { title: 'eventually' } },
      '?refresh=false',
    )
    expect(status).toBe(200)
    expect(data.version).toBe(1)
    expect((await get('l')).status).toBe(200)
    await waitUntil(async () => (await found('later', 'eventually')).length === 1)
    expect((await get('l')).data.vectorized).toBe(true)
  })

  it('is found once the same is sent again and waited for', async () => {
    const document = { title: 'unwaited' }
    await create({ index: 'twice', id: 'u', document }, '?refresh=false')
    const { data } = await put('u', document, '?index=twice')
    expect(data).toMatchObject({ result: 'unchanged', version: 1, vectorized: true })
    expect(await found('twice', 'unwaited')).toEqual(['u'])
  })

  it('is found by the next search, with many writers at a time', async () => {
    const writers = Array.from({ length: 24 }, async (_, n) => {
      const word = `word${n}`
      const { data } = await create({ index: 'busy', document: { title: word } })
      expect(data.vectorized).toBe(true)
      expect(await found('busy', word)).toEqual([data.id])
      expect(await found('busy', word, 'vector')).toContain(data.id)
    })
    await Promise.all(writers)
  })
})

describe('vectorized', () => {
  it('is false for a document without any text to vectorise', async () => {
    await service.call('POST', '/cortex/indices', {
      name: 'novector',
      mappings: { properties: { note: { type: 'text', vectorized: false } } },
    })
    const { data, status } = await create({
      index: 'novector',
      id: 'v',
      document: { note: 'words only' },
    })
    expect(status).toBe(200)
    expect(data.vectorized).toBe(false)
    expect((await get('v')).data.vectorized).toBe(false)
    expect(await found('novector', 'words')).toEqual(['v'])
    expect(await found('novector', 'words', 'vector')).toEqual([])
  })
})

describe('changing a document', () => {
  it('replaces sent fields, keeps unsent ones and removes those that are null', async () => {
    await create({
      index: 'merge',
      id: 'm',
      document: { title: 'Old title', content: 'Old content', tags: ['a', 'b'], extra: 1 },
    })
    const { status, data } = await put('m', { title: 'New title', tags: null, more: [2] })
    expect(status).toBe(200)
    expect(data).toMatchObject({ id: 'm', index: 'merge', version: 2, result: 'updated' })
    expect(data.vectorized).toBe(true)
    expect(Date.parse(data.updated)).toBeGreaterThanOrEqual(Date.parse(data.created))
    expect((await get('m')).data.source).toEqual({
      title: 'New title',
      content: 'Old content',
      extra: 1,
      more: [2],
    })
    expect(await found('merge', 'old title')).toEqual(['m'])
    expect(await found('merge', 'new')).toEqual(['m'])
  })

  it('answers unchanged, with the same version, when nothing is different', async () => {
    await create({ index: 'same', id: 's', document: { title: 'Same', tags: ['x'] } })
    const { data } = await put('s', { tags: ['x'] })
    expect(data).toMatchObject({ result: 'unchanged', version: 1, vectorized: true })
  })

  it('answers unchanged when only the order of fields is different', async () => {
    await create({ index: 'same', id: 'o', document: { title: 'Order', tags: ['x'], n: 1 } })
    const { data } = await put('o', { n: 1, tags: ['x'], gone: null })
    expect(data).toMatchObject({ result: 'unchanged', version: 1 })
  })

  it('keeps what only looks like a field without a value', async () => {
    const document = { title: 'A ":null" in it', gone: null, inner: { kept: null }, list: [null] }
    await create({ index: 'nulls', id: 'nu', document })
    const { gone: _, ...kept } = document
    expect((await get('nu')).data.source).toEqual(kept)
    expect((await put('nu', { inner: null })).data).toMatchObject({ version: 2 })
    expect((await get('nu')).data.source).toEqual({ title: kept.title, list: [null] })
  })

  it('answers PATCH the same way', async () => {
    await create({ index: 'patch', id: 'pa', document: { title: 'Patch' } })
    const { data } = await service.call<Written>('PATCH', '/cortex/documents/pa', { source: 'web' })
    expect(data).toMatchObject({ version: 2, result: 'updated' })
    expect((await get('pa')).data.source).toEqual({ title: 'Patch', source: 'web' })
  })

  it('creates an unknown id in the default index, or in the one that is named', async () => {
    const first = await put('unknown-1', { title: 'Created by PUT' })
    expect(first.data).toMatchObject({ index: 'documents', result: 'created', version: 1 })
    const second = await put('unknown-2', { title: 'Created by PUT' }, '?index=named')
    expect(second.data).toMatchObject({ index: 'named', result: 'created' })
  })

  it('says that an index in the body is a field, unless it is meant as one', async () => {
    const mappings = { properties: { index: { type: 'keyword' } } }
    await service.must('POST', '/cortex/indices', { name: 'with-index', mappings })
    const body = { title: 'Where', index: 'elsewhere' }
    const first = await put('kept-1', body)
    expect(first.data).toMatchObject({ index: 'documents', result: 'created' })
    const warnings = [expect.stringContaining('send it as ?index=')]
    expect(first.data).toMatchObject({ warnings })
    expect((await put('kept-1', { index: 7 })).data).not.toHaveProperty('warnings')
    expect((await put('kept-2', body, '?index=named')).data).not.toHaveProperty('warnings')
    await put('kept-3', { title: 'Where' }, '?index=with-index')
    expect((await put('kept-3', body)).data).toMatchObject({ index: 'with-index' })
    expect((await put('kept-3', body)).data).not.toHaveProperty('warnings')
  })

  it('refuses to leave a document without text', async () => {
    await create({ index: 'merge', id: 'only', document: { title: 'Only' } })
    const { status, code } = await put('only', { title: null })
    expect({ status, code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' })
    expect((await get('only')).data).toMatchObject({ version: 1, source: { title: 'Only' } })
    expect((await put('nothing-there', { tags: ['x'] })).status).toBe(400)
    expect((await get('nothing-there')).status).toBe(404)
  })

  it('names the text fields of the mapping that a document without text may have', async () => {
    const properties = { summary: { type: 'text' }, views: { type: 'integer' } }
    await service.call('POST', '/cortex/indices', { name: 'own-text', mappings: { properties } })
    const { status, details } = await create({ index: 'own-text', document: { views: 3 } })
    expect(status).toBe(400)
    expect(details[0]?.message).toContain('one of title, content, abstract, summary that is not')
  })

  it('takes a title, content or abstract for text, though the mapping keeps them as they are', async () => {
    const properties = {
      title: { type: 'keyword' },
      content: { type: 'keyword' },
      abstract: { type: 'date' },
    }
    await service.must('POST', '/cortex/indices', { name: 'as-they-are', mappings: { properties } })
    for (const [field, text] of Object.entries({
      title: 'Blue Sky',
      content: 'Sold',
      abstract: '2024-05-01',
    })) {
      const created = await create({ index: 'as-they-are', document: { [field]: text } })
      expect(created).toMatchObject({ status: 200, data: { vectorized: false, version: 1 } })
      const filters = { [field]: text }
      const found = await service.must<{ hits: { id: string }[]; total: number }>(
        'POST',
        '/cortex/search',
        { index: 'as-they-are', query: '', filters },
      )
      expect(found).toMatchObject({ total: 1, hits: [{ id: created.data.id }] })
    }
    const { status, details } = await create({ index: 'as-they-are', document: { title: ' ' } })
    expect(status).toBe(400)
    expect(details[0]?.message).toContain('one of title, content, abstract that is not empty')
  })

  it('does not guess between two indices that hold the id', async () => {
    await create({ index: 'amb-a', id: 'two', document: { title: 'A' } })
    await create({ index: 'amb-b', id: 'two', document: { title: 'B' } })
    for (const answer of [await put('two', { title: 'C' }), await get('two'), await remove('two')])
      expect(answer).toMatchObject({
        ...{ status: 409, code: 'AMBIGUOUS_ID', details: [{ path: 'index' }] },
      })
    expect((await put('two', { title: 'C' }, '?index=amb-b')).data.index).toBe('amb-b')
    expect((await get('two', '?index=amb-a')).data.source).toEqual({ title: 'A' })
    expect((await remove('two', '?index=amb-a')).data.result).toBe('deleted')
    expect((await get('two')).data.source).toEqual({ title: 'C' })
  })

  it('changes the document only when its version is the one of If-Match', async () => {
    await create({ index: 'match', id: 'if', document: { title: 'One' } })
    const no = await put('if', { title: 'Two' }, '', { 'if-match': '"7"' })
    expect(no).toMatchObject({ status: 412, code: 'VERSION_MISMATCH' })
    const read = await fetch(`${service.url}/cortex/documents/if`)
    const ifMatch = read.headers.get('etag') ?? ''
    expect(ifMatch).toBe('"1"')
    const yes = await put('if', { title: 'Two' }, '', { 'if-match': ifMatch })
    expect(yes.data.version).toBe(2)
    expect((await remove('if', '', { 'if-match': '"1"' })).status).toBe(412)
    expect((await put('if', { title: 'x' }, '', { 'if-match': 'abc' })).status).toBe(400)
    expect((await remove('if', '', { 'if-match': '"2"' })).status).toBe(200)
  })

  it('names the version that it wrote in the ETag that the next If-Match wants', async () => {
    const send = (method: string, path: string, body: object, ifMatch = '*') =>
      fetch(`${service.url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...(ifMatch && { 'if-match': ifMatch }) },
        body: JSON.stringify(body),
      })
    const first = await send(
      'POST',
      '/cortex/documents',
      { index: 'match', id: 'tag', document: { title: 'One' } },
      '',
    )
    const second = await send(
      'PUT',
      '/cortex/documents/tag',
      { title: 'Two' },
      first.headers.get('etag') ?? '"none"',
    )
    const third = await send(
      'PATCH',
      '/cortex/documents/tag',
      { title: 'Three' },
      second.headers.get('etag') ?? '"none"',
    )
    expect([second.status, third.status, third.headers.get('etag')]).toEqual([200, 200, '"3"'])
  })

  it('names it to whoever repeats an Idempotency-Key, too', async () => {
    const send = () =>
      fetch(`${service.url}/cortex/documents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'tagged' },
        body: JSON.stringify({ index: 'match', id: 'tagged', document: { title: 'One' } }),
      })
    const told = [await send(), await send()].map(({ status, headers }) => [
      status,
      headers.get('etag'),
      headers.get('idempotent-replay'),
    ])
    expect(told).toEqual([
      [200, '"1"', null],
      [200, '"1"', 'true'],
    ])
  })

  it.each(['/cortex/documents', '/cortex/indices/match/documents'])(
    'replaces a document by POST %s only when its version is the one of If-Match',
    async (path) => {
      const id = `posted ${path}`
      const post = (title: string, version: string, index = 'match') =>
        service.call<Written>(
          'POST',
          path,
          { index, id, document: { title } },
          { 'if-match': version },
        )
      expect(await post('One', '"1"')).toMatchObject({ status: 412, code: 'VERSION_MISMATCH' })
      expect((await post('One', '"0"')).data.version).toBe(1)
      expect(await post('Two', '"7"')).toMatchObject({ status: 412, code: 'VERSION_MISMATCH' })
      expect((await post('Two', '"1"')).data.version).toBe(2)
      expect((await post('Three', 'abc')).status).toBe(400)
    },
  )

  it('changes only a document that is there when If-Match is *', async () => {
    const any = { 'if-match': '*' }
    for (const query of ['', '?index=match', '?index=nevermade']) {
      const no = await put('absent', { title: 'x' }, query, any)
      expect(no).toMatchObject({ status: 412, code: 'VERSION_MISMATCH' })
    }
    expect(await get('absent')).toMatchObject({ status: 404 })
    // RFC 9110 13.2.1: conditions do not count where the answer is a failure without them.
    expect(await remove('absent', '', any)).toMatchObject({ status: 404 })
    await create({ index: 'match', id: 'there', document: { title: 'One' } })
    expect((await put('there', { title: 'Two' }, '', any)).data.version).toBe(2)
    expect((await remove('there', '', any)).data.result).toBe('deleted')
  })

  it('says that there is no document when If-Match names a version of one', async () => {
    for (const query of ['', '?index=match']) {
      const { status, error } = await put('absent', { title: 'x' }, query, { 'if-match': '"5"' })
      expect({ status, error }).toEqual({
        status: 412,
        error: expect.stringMatching(/^There is no document with this id/),
      })
    }
  })

  it.each([
    ['PUT', '/cortex/documents/once?index=unless', { title: 'Two' }],
    ['PATCH', '/cortex/documents/once?index=unless', { title: 'Two' }],
    ['POST', '/cortex/documents', { index: 'unless', id: 'once', document: { title: 'Two' } }],
    ['POST', '/cortex/indices/unless/documents', { id: 'once', document: { title: 'Two' } }],
  ])('creates by %s %s only where there is none when If-None-Match is *', async (...sent) => {
    const [method, path, body] = sent
    const send = () => service.call<Written>(method, path, body, { 'if-none-match': '*' })
    expect((await send()).data).toMatchObject({ version: 1, result: 'created' })
    await put('once', { title: 'Three' }, '?index=unless')
    const refused = await send()
    expect(refused).toMatchObject({ status: 412, code: 'VERSION_MISMATCH' })
    expect(refused.error).toContain('already, of version 2')
    expect((await get('once')).data).toMatchObject({ version: 2, source: { title: 'Three' } })
    // Whichever index holds it, when none is named.
    expect((await put('once', { title: 'Four' }, '', { 'if-none-match': '*' })).status).toBe(412)
    await remove('once')
  })

  it('lets exactly one of many create what all want to create', async () => {
    const tries = Array.from({ length: 10 }, (_, n) =>
      put('first', { title: `Winner ${n}` }, '?index=unless', { 'if-none-match': '*' }),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(9).fill(412)])
  })

  it('changes nothing of a version that If-None-Match names, and wants both headers to hold', async () => {
    await create({ index: 'unless', id: 'both', document: { title: 'One' } })
    const change = (headers: Record<string, string>) =>
      put('both', { title: `${Math.random()}` }, '', headers)
    expect(await change({ 'if-none-match': '"1"' })).toMatchObject({
      status: 412,
      code: 'VERSION_MISMATCH',
    })
    expect((await change({ 'if-none-match': 'W/"7", "1"' })).status).toBe(412)
    expect((await change({ 'if-match': '"1"', 'if-none-match': '*' })).status).toBe(412)
    expect((await change({ 'if-match': '"2"', 'if-none-match': '"2"' })).status).toBe(412)
    expect((await get('both')).data).toMatchObject({ version: 1, source: { title: 'One' } })
    expect((await change({ 'if-match': '"1"', 'if-none-match': '"2"' })).data.version).toBe(2)
    expect((await remove('both', '', { 'if-none-match': '"2"' })).status).toBe(412)
    expect((await remove('both', '', { 'if-none-match': '"1"' })).status).toBe(200)
  })

  const ODD = ['abc', '', '"1",', '"1", *', '"1" "2"', '"1', '1"', '"a"b"']
  it.each(
    ODD.flatMap((header) => [['If-Match', header] as const, ['If-None-Match', header] as const]),
  )('refuses %s: %s by its name', async (name, header) => {
    const sent = { [name]: header }
    const { status, details } = await put('odd', { title: 'x' }, '?index=unless', sent)
    expect({ status, path: details[0]?.path }).toEqual({ status: 400, path: name })
  })

  it.each(['"abc"', '""', '"-1"', '"1.0"', '"01"', 'W/"x"', '"9999999999999999"', '"a", "b"'])(
    'takes the tag %s for one that no document has',
    async (tag) => {
      await create({ index: 'unless', id: 'tagged', document: { title: 'One' } })
      const put = (headers: Record<string, string>) =>
        service.call<Written>(
          'PUT',
          '/cortex/documents/tagged?index=unless',
          { title: tag },
          headers,
        )
      expect(await put({ 'if-match': tag })).toMatchObject({
        status: 412,
        code: 'VERSION_MISMATCH',
      })
      expect((await remove('tagged', '?index=unless', { 'if-match': tag })).status).toBe(412)
      expect((await put({ 'if-match': `${tag}, "1"` })).data.version).toBe(2)
      expect((await put({ 'if-none-match': tag })).data.version).toBe(2)
      const read = await service.call('GET', '/cortex/documents/tagged?index=unless', undefined, {
        'if-none-match': tag,
      })
      expect(read.status).toBe(200)
      await remove('tagged', '?index=unless')
    },
  )

  it('reads the versions of a header that is sent twice as one list', async () => {
    await create({ index: 'unless', id: 'twice', document: { title: 'One' } })
    const read = (name: string, tags: string[]) =>
      new Promise((resolve, reject) => {
        const path = `${service.url}/cortex/documents/twice?index=unless`
        request(path, { headers: { [name]: tags } }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .on('error', reject)
          .end()
      })
    expect(await read('if-match', ['"7"', '"1"'])).toBe(200)
    expect(await read('if-match', ['"7"', '"8"'])).toBe(412)
    expect(await read('if-none-match', ['"7"', '"1"'])).toBe(304)
    expect(await read('if-none-match', ['"7"', '"8"'])).toBe(200)
    await remove('twice', '?index=unless')
  })

  it('changes a document that has any of the versions that If-Match lists', async () => {
    await create({ index: 'unless', id: 'listed', document: { title: 'One' } })
    const change = (header: string) =>
      put('listed', { title: header }, '?index=unless', { 'if-match': header })
    expect((await change('"2", "3"')).status).toBe(412)
    expect((await change('"7","1"')).data.version).toBe(2)
    expect((await change('"1", W/"2"')).data.version).toBe(3)
    expect((await change(Array(101).fill('"3"').join())).status).toBe(400)
    expect((await remove('listed', '?index=unless', { 'if-match': '"4","5"' })).status).toBe(412)
    expect((await remove('listed', '?index=unless', { 'if-match': '"4","3"' })).status).toBe(200)
  })

  it.each(['"2"', 'W/"2"', '*', '"1", W/"2"', '"2","3"'])(
    'answers a read whose If-None-Match is %s without a body',
    async (header) => {
      await create({ index: 'unless', id: 'read', document: { title: 'One' } })
      await put('read', { title: header }, '?index=unless', { 'if-match': '"1"' })
      const ask = (sent: string, more = {}) =>
        fetch(`${service.url}/cortex/documents/read?index=unless`, {
          headers: { 'if-none-match': sent, ...more },
        })
      const known = await ask(header)
      expect([known.status, known.headers.get('etag'), await known.text()]).toEqual([
        304,
        '"2"',
        '',
      ])
      // As the answer with a body says it: a cache keeps what came in one coding from who takes another.
      expect(known.headers.get('vary')).toBe('accept-encoding')
      const unknown = await ask('"1", "3"')
      expect([unknown.status, unknown.headers.get('etag')]).toEqual([200, '"2"'])
      expect(await unknown.json()).toMatchObject({ data: { version: 2 } })
      expect((await ask(header, { 'if-match': '"1"' })).status).toBe(412)
      expect((await ask('nonsense')).status).toBe(400)
      const method = 'DELETE'
      await fetch(`${service.url}/cortex/documents/read?index=unless`, { method })
    },
  )

  it('lets exactly one of many win that all name the same version', async () => {
    await create({ index: 'match', id: 'race', document: { title: 'Race' } })
    const tries = Array.from({ length: 10 }, (_, n) =>
      put('race', { title: `Winner ${n}` }, '', { 'if-match': '"1"' }),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(9).fill(412)])
    expect((await get('race')).data.version).toBe(2)
  })

  it('does not create an index for a change that an unknown version refuses', async () => {
    const { status } = await put('x', { title: 'x' }, '?index=nevermade', { 'if-match': '"1"' })
    expect(status).toBe(412)
    const body = { index: 'nevermade', id: 'x', document: { title: 'x' } }
    const posted = await service.call('POST', '/cortex/documents', body, { 'if-match': '*' })
    expect(posted.status).toBe(412)
    expect((await service.call('GET', '/cortex/indices/nevermade')).status).toBe(404)
  })

  it('names where an index has a name that it can’t have', async () => {
    const document = { title: 'x' }
    const answers = [
      await create({ index: 'BAD', document }),
      await put('x', document, '?index=BAD'),
      await service.call('POST', '/cortex/indices', { name: 'BAD' }),
    ]
    expect(answers.map(({ status, details }) => [status, details[0]?.path])).toEqual([
      [400, 'index'],
      [400, 'index'],
      [400, 'name'],
    ])
  })

  it('creates no index for a document that it refuses', async () => {
    expect((await create({ index: 'refused', document: { tags: ['x'] } })).status).toBe(400)
    expect(
      (await create({ index: 'refused', document: { title: 'x', created: '?' } })).status,
    ).toBe(400)
    expect((await put('x', { tags: ['x'] }, '?index=refused')).status).toBe(400)
    expect((await service.call('GET', '/cortex/indices/refused')).status).toBe(404)
  })

  it('creates none for an id or a vector that it refuses, either', async () => {
    const document = { title: 'x' }
    const long = 'é'.repeat(257)
    const items = [
      { id: long, document },
      { document, vector: [1, 2] },
    ]
    for (const item of items) expect((await create({ index: 'unmade', ...item })).status).toBe(400)
    expect((await put(long, document, '?index=unmade')).status).toBe(400)
    const bulk = await service.call<{ failed: number }>('POST', '/cortex/documents/bulk', {
      index: 'unmade',
      documents: items,
    })
    expect(bulk.data.failed).toBe(2)
    expect((await service.call('GET', '/cortex/indices/unmade')).status).toBe(404)
  })

  it('loses no change of many that merge at the same time', async () => {
    await create({ index: 'match', id: 'many', document: { title: 'Many' } })
    await Promise.all(Array.from({ length: 20 }, (_, n) => put('many', { [`field${n}`]: n })))
    const { data } = await get('many')
    expect(data.version).toBe(21)
    expect(Object.keys(data.source)).toHaveLength(21)
  })
})

describe('reading and deleting', () => {
  it('reads id, index, version, vectorized, times and source', async () => {
    await create({ index: 'read', id: 'rd', document: { title: 'Read me' } })
    const { data } = await get('rd')
    expect(Object.keys(data).sort()).toEqual(
      ['id', 'index', 'version', 'vectorized', 'created', 'updated', 'source'].sort(),
    )
  })

  it('forgets a deleted document by id, by text and by vector', async () => {
    await create({ index: 'del', id: 'd1', document: { title: 'Gone tomorrow' } })
    await create({ index: 'del', id: 'd2', document: { title: 'Still here tomorrow' } })
    const { status, data } = await remove('d1')
    expect(status).toBe(200)
    expect(data).toMatchObject({ id: 'd1', result: 'deleted', vectorized: false })
    expect(await get('d1')).toMatchObject({ status: 404, code: 'DOCUMENT_NOT_FOUND' })
    expect(await found('del', 'tomorrow')).toEqual(['d2'])
    expect(await found('del', 'gone tomorrow', 'vector')).not.toContain('d1')
    expect((await remove('d1')).status).toBe(404)
    expect((await remove('d1', '?index=unknown')).code).toBe('INDEX_NOT_FOUND')
  })

  it('a change that names another id than its path does is told which one counts', async () => {
    await create({ index: 'paths', id: 'own', document: { title: 'Own' } })
    const path = '/cortex/documents/own?index=paths'
    const told = async (body: object) =>
      (await service.must<{ warnings?: string[] }>('PUT', path, body)).warnings
    const kept = (name: string) =>
      `${name} is kept as a field: the path says which document is meant.`
    expect(await told({ id: 'other', _id: 'other' })).toEqual([kept('id'), kept('_id')])
    expect(await told({ id: 'own' })).toBeUndefined()
    expect(await told({ id: 5 })).toBeUndefined()
  })

  it('a change without text says that there is nothing to change', async () => {
    await create({ index: 'paths', id: 'there', document: { title: 'There' } })
    const change = (id: string, body: object) =>
      service.call('PATCH', `/cortex/documents/${id}?index=paths`, body)
    const wanted = 'must have at least one of title, content, abstract that is not empty'
    expect((await change('not-there', { tags: ['a'] })).details).toEqual([
      {
        path: 'document',
        message: `${wanted}; no document has this id, so that this would be a new one`,
      },
    ])
    expect((await change('there', { title: null })).details).toEqual([
      { path: 'document', message: wanted },
    ])
  })

  it('that finds nothing names the place, and the index that has the id', async () => {
    await create({ index: 'del', id: 'here', document: { title: 'Here' } })
    await create({ index: 'other', id: 'other', document: { title: 'Other' } })
    const message = 'is not the id of a document of this index, but of one of "del"'
    for (const refused of [await get('here', '?index=other'), await remove('here', '?index=other')])
      expect(refused).toMatchObject({
        ...{ status: 404, code: 'DOCUMENT_NOT_FOUND', error: `id ${message}.` },
        details: [{ path: 'id', message }],
      })
    const nowhere = 'is not the id of a document in any index'
    expect((await get('nowhere')).details).toEqual([{ path: 'id', message: nowhere }])
    const items = [{ op: 'delete', id: 'nowhere' }]
    const path = '/cortex/documents/bulk?index=del'
    const { data } = await service.call<{ items: object[] }>('POST', path, items)
    expect(data.items[0]).toMatchObject({
      ...{ status: 404, error: 'id is not the id of a document of this index.' },
    })
  })

  it('starts again at version 1 for an id that was deleted', async () => {
    await create({ index: 'del', id: 'd3', document: { title: 'First life' } })
    await remove('d3')
    const { data } = await create({ index: 'del', id: 'd3', document: { title: 'Second life' } })
    expect(data).toMatchObject({ version: 1, result: 'created' })
    expect(await found('del', 'life')).toEqual(['d3'])
  })
})

it('keeps everything through a restart', async () => {
  await create({ index: 'stay', id: 'st', document: { title: 'Staying power', year: 1999 } })
  await put('st', { year: 2000 })
  await service.restart()
  expect((await get('st')).data).toMatchObject({
    version: 2,
    vectorized: true,
    source: { title: 'Staying power', year: 2000 },
  })
  expect(await found('stay', 'staying')).toEqual(['st'])
  expect(await found('cut', 'cutoff')).toEqual(['c'])
})

it('answers 404 for an unknown index when indices are not created by themselves', async () => {
  await service.restart({ AUTO_CREATE_INDEX: 'false' })
  const body = { index: 'none', document: { title: 'x' } }
  const { status, code } = await service.call('POST', '/cortex/documents', body)
  expect({ status, code }).toEqual({ status: 404, code: 'INDEX_NOT_FOUND' })
  expect((await service.call('PUT', '/cortex/documents/1?index=none', { title: 'x' })).status).toBe(
    404,
  )
  const bulk = await service.call<{ items: object[] }>('POST', '/cortex/documents/bulk', [body])
  expect(bulk.data.items).toMatchObject([{ status: 404, code: 'INDEX_NOT_FOUND' }])
  await service.call('POST', '/cortex/indices', { name: 'none' })
  expect((await service.call('POST', '/cortex/documents', body)).status).toBe(200)
})

describe('a date', () => {
  beforeAll(async () => {
    const mappings = { properties: { at: { type: 'date' } } }
    await service.call('PUT', '/cortex/indices/dated', { mappings })
  })

  it.each([
    '2020-02-29',
    '2000-02-29',
    '1700-01-01',
    '2021-12-31 23:59',
    '2021-04-30T00:00Z',
    '2021-04-30T10:00:59.123456789+23:59',
    '2021-04-30 10:00:00-0530',
    1_600_000_000_000,
    -1,
  ])('%j is taken and found by itself', async (at) => {
    const { status, data } = await create({ index: 'dated', document: { title: 'x', at } })
    expect(status).toBe(200)
    const filters = { at: { gte: at, lte: at } }
    const found = await service.call<{ hits: { id: string }[] }>('POST', '/cortex/search', {
      index: 'dated',
      filters,
    })
    expect(found.data.hits.map(({ id }) => id)).toEqual([data.id])
  })

  it.each([
    '2020-02-30',
    '2021-02-29',
    '1900-02-29',
    '2021-04-31',
    '2021-13-01',
    '2021-00-10',
    '2021-01-00',
    '2021-01-01T25:00',
    '2021-01-01T24:00:00Z',
    '2021-01-01 24:00',
    '2021-01-01T10:60',
    '2021-01-01 10:00+9999',
    '2021-01-01 10:00+0260',
    'nope',
    7e15,
    { list: ['2021-01-01', '2021-02-30'] },
  ])('%j is refused by name', async (sent) => {
    const at = typeof sent === 'object' ? sent.list : sent
    const { status, details } = await create({ index: 'dated', document: { title: 'x', at } })
    expect(status).toBe(400)
    expect(details[0]?.path).toBe('document.at')
  })
})

it('keeps a string that is too long to be filtered by, and says so in its chapter', async () => {
  const [most, more] = ['k'.repeat(8191), 'k'.repeat(8192)]
  const mappings = { properties: { key: { type: 'keyword' } } }
  await service.call('PUT', '/cortex/indices/exact', { mappings })
  const document = { title: 'x', key: most, free: most }
  await create({ index: 'exact', id: 'long', document })
  await create({ index: 'exact', id: 'longer', document: { ...document, key: more, free: more } })
  for (const field of ['key', 'free'])
    for (const [value, ids] of [
      [most, ['long']],
      [more, []],
    ] as const) {
      const body = { index: 'exact', filters: { [field]: value } }
      const answer = await service.call<{ hits: { id: string }[] }>('POST', '/cortex/search', body)
      expect(answer.data.hits.map(({ id }) => id)).toEqual(ids)
    }
  expect((await get('longer')).data.source).toMatchObject({ key: more, free: more })
  expect(chapter).toContain('8191 bytes')
})

it('finds by a field of nearly any name, and by the others once they are mapped, and says so in its chapter', async () => {
  const names = ['', 'a\u0000b']
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'keyword' }]))
  await service.must('PUT', '/cortex/indices/odd-names')
  await service.must('PUT', '/cortex/indices/mapped-names', { mappings: { properties } })
  for (const index of ['odd-names', 'mapped-names'])
    for (const name of [...names, '.', 'a..b', 'constructor', 'a[0]', 'a\\b', 'a\\.b', '\\']) {
      const id = `of ${name}`
      await create({ index, id, document: { title: 'x', [name]: 'v' } })
      const found = await service.must<{ hits: { id: string }[] }>('POST', '/cortex/search', {
        ...{ index, filters: { [name]: 'v' } },
      })
      const isFound = index === 'mapped-names' || !names.includes(name)
      expect([name, found.hits.length]).toEqual([name, isFound ? 1 : 0])
    }
  expect(chapter).toContain('that is empty, or has U+0000')
})
