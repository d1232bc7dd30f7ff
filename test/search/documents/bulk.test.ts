import { request } from 'node:http'
import { createGzip, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

interface Item {
  status: number
  id?: string
  index?: string
  version?: number
  vectorized?: boolean
  result?: string
  code?: string
  error?: string
}
interface Bulk {
  items: Item[]
  succeeded: number
  failed: number
}

let service: RunningApp

beforeAll(async () => {
  service = await startApp({ DOCUMENT_BYTES_MAX: '65536' })
})
afterAll(() => service.close())

const NDJSON = { 'content-type': 'application/x-ndjson' }
const bulk = (body: unknown, query = '', headers: Record<string, string> = {}) =>
  service.call<Bulk>('POST', `/cortex/documents/bulk${query}`, body, headers)
const lines = (items: unknown[], query = '') =>
  bulk(`${items.map((item) => JSON.stringify(item)).join('\n')}\n`, query, NDJSON)

async function total(index: string, query = ''): Promise<number> {
  const { data } = await service.call<{ total: number }>('POST', '/cortex/search', {
    index,
    query,
    searchType: 'text',
  })
  return data.total
}

it('says of a list that comes as lines what to do', async () => {
  const { data } = await bulk('[{"title":"a"},{"title":"b"}]', '?index=typed', NDJSON)
  expect(data.items).toEqual([
    expect.objectContaining({
      status: 400,
      error:
        'Line 1 of the body is a list: send an object in each line, or the list as application/json.',
    }),
  ])
})

it.each(['application/x-ndjson', 'Application/NDJSON', 'application/jsonl; charset=utf-8'])(
  'reads lines that come as %s',
  async (type) => {
    const body = ['a', 'b'].map((id) => `{"id":"${id}","title":"${id}"}\n`).join('')
    const { data } = await bulk(body, '?index=typed', { 'content-type': type })
    expect(data).toMatchObject({ succeeded: 2, failed: 0 })
  },
)

describe('a bulk as JSON', () => {
  it('reads an object with an index for all, and items with their own', async () => {
    const { status, data } = await bulk({
      index: 'one',
      documents: [
        { id: 'a', document: { title: 'first' } },
        { index: 'two', id: 'b', document: { title: 'second' } },
        { document: { title: 'third' } },
      ],
    })
    expect(status).toBe(200)
    expect(data).toMatchObject({ succeeded: 3, failed: 0 })
    expect(data.items).toMatchObject([
      { status: 200, id: 'a', index: 'one', version: 1, vectorized: true, result: 'created' },
      { status: 200, id: 'b', index: 'two', version: 1, vectorized: true },
      { status: 200, index: 'one', version: 1 },
    ])
    expect(await total('one')).toBe(2)
    expect(await total('two')).toBe(1)
  })

  it('reads a list, and takes the index from the address or the default', async () => {
    await bulk([{ id: 'l', document: { title: 'listed' } }], '?index=three')
    expect(await total('three', 'listed')).toBe(1)
    const { data } = await bulk([{ id: 'l', document: { title: 'listed' } }])
    expect(data.items[0]?.index).toBe('documents')
  })

  it('tells of what is refused the index that it was for, also when that is the default', async () => {
    const refused = [
      { id: 'r', document: {} },
      { op: 'delete', id: 'nowhere' },
    ]
    const { data } = await bulk(refused)
    expect(data.items).toMatchObject([
      { status: 400, id: 'r', index: 'documents' },
      { status: 404, id: 'nowhere', index: 'documents' },
    ])
    expect((await lines(refused)).data.items).toMatchObject(data.items)
    const { items } = (await bulk({ index: 'one', documents: refused })).data
    expect(items.map(({ index }) => index)).toEqual(['one', 'one'])
  })

  it('refuses the form of two lines for a document, both of them', async () => {
    const sent = [
      { index: { _id: '7' } },
      { title: 'behind index' },
      { id: 'own', title: 'ours' },
      { create: { _index: 'elsewhere', _id: '8' } },
      { id: 'x', document: { title: 'behind create' } },
      { delete: { _id: '9' } },
      { title: 'behind delete' },
      { update: { _id: '7', retry_on_conflict: 3 } },
      { doc: { title: 'behind update' } },
      { index: {} },
      { index: {} },
      { title: 'behind both' },
    ]
    const wanted = [400, 400, 200, 400, 400, 400, 200, 400, 400, 400, 400, 400]
    for (const [index, send] of [
      ['actions-list', bulk],
      ['actions-lines', lines],
    ] as const) {
      const { data } = await send(sent, `?index=${index}`)
      expect(data.items.map(({ status }) => status)).toEqual(wanted)
      expect(data.items[0]).toMatchObject({ id: '7', code: 'VALIDATION_FAILED' })
      expect(data.items[0]?.error).toMatch(/^The item asks for "index".*"op": "index".*"document"/)
      expect(data.items[1]?.error).toMatch(/^The item is the document of the line before it.*"op"/)
      expect(data.items[3]).toMatchObject({ id: '8', index: 'elsewhere' })
      expect(await total(index)).toBe(2)
    }
  })

  it('keeps what is behind an action apart when groups and unreadable lines come between', async () => {
    const many = Array.from({ length: 999 }, (_, at) => ({ id: `${at}`, title: 'many' }))
    const body = [...many, { index: { _id: 'a' } }, { title: 'behind' }, { index: { _id: 'b' } }]
      .map((item) => JSON.stringify(item))
      .concat('{"title": broken', '{"id": "last", "title": "last"}')
    const { data } = await bulk(body.join('\n'), '?index=action-groups', NDJSON)
    const statuses = data.items.slice(999).map(({ status }) => status)
    expect(statuses).toEqual([400, 400, 400, 400, 200])
    expect(await total('action-groups')).toBe(1000)
  })

  it('changes the sent fields with update and upsert, and the whole document with index', async () => {
    const read = async (id: string) =>
      (await service.call<{ source: object }>('GET', `/cortex/documents/${id}?index=ops`)).data
        ?.source
    const first = { title: 'first', content: 'text', year: 1 }
    const ops = (op: string, send: (items: unknown[], query: string) => ReturnType<typeof bulk>) =>
      send(
        [
          { id: `${op}-old`, document: first },
          { op, id: `${op}-old`, document: { year: 2, content: null } },
          { op: op.toUpperCase(), id: `${op}-new`, document: { title: 'new', year: null } },
          { op, id: `${op}-none`, document: { year: 3 } },
        ],
        '?index=ops',
      )
    for (const op of ['update', 'upsert']) {
      const { data } = await ops(op, bulk)
      expect(data.items.map(({ status, result }) => result ?? status)).toEqual([
        ...['created', 'updated', 'created', 400],
      ])
      expect(await read(`${op}-old`)).toEqual({ title: 'first', year: 2 })
      expect(await read(`${op}-new`)).toEqual({ title: 'new' })
      expect(data.items[3]?.error).toMatch(/title/)
    }
    const { data } = await ops('update', lines)
    expect(data.items.map(({ status }) => status)).toEqual([200, 200, 200, 400])
    for (const op of ['index', 'put']) {
      const { data } = await lines(
        [{ op, id: 'update-old', document: { title: op } }],
        '?index=ops',
      )
      expect(data.items[0]?.result).toBe('updated')
      expect(await read('update-old')).toEqual({ title: op })
    }
    const { data: refused } = await bulk(
      [
        { op: 'create', id: 'update-old', document: { title: 'x' } },
        {
          op: 'index',
          id: 'n',
          document: { title: null, content: 'null is no text of a document' },
        },
        { op: 'update', document: { title: 'whose?' } },
        { op: 'upsert', document: { title: 'of a new one' } },
        { op: 'merge', id: 'x', document: { title: 'x' } },
        { op: 'update', id: 'update-old', doc: { year: 4 } },
      ],
      '?index=ops',
    )
    expect(refused.items.map(({ status }) => status)).toEqual([409, 400, 400, 200, 400, 400])
    expect(refused.items[5]?.error).toBe(
      'document is required; the fields of a document stand inside of it, {"document": {"title": "…"}}.',
    )
    expect(refused.items[2]?.error).toBe('id is required to update.')
    expect(refused.items[4]?.error).toBe(
      'op must be one of index, put, create, update, upsert, delete.',
    )
  })

  it('takes documents that only look like an action', async () => {
    await service.must('POST', '/cortex/indices', {
      name: 'alike',
      mappings: { properties: { update: { properties: { text: { type: 'text' } } } } },
    })
    const { data } = await bulk(
      [
        { update: { text: 'news' } },
        { update: { _id: '5' }, title: 'two names' },
        { index: 'alike', document: { title: 'ours' } },
        { id: 'n', update: { text: 'with an id' } },
      ],
      '?index=alike',
    )
    expect(data.items.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('takes a plain document with an optional id', async () => {
    const { data } = await bulk(
      [{ id: 'p', title: 'plain', year: 1 }, { title: 'plain' }],
      '?index=plain',
    )
    expect(data.items).toMatchObject([{ status: 200, id: 'p' }, { status: 200 }])
    const read = await service.call<{ source: object }>('GET', '/cortex/documents/p?index=plain')
    expect(read.data.source).toEqual({ title: 'plain', year: 1 })
  })

  it('answers failures beside successes, in order, and writes nothing of a failed one', async () => {
    const { status, data } = await bulk({
      index: 'mixed',
      documents: [
        { id: '1', document: { title: 'good' } },
        { id: '2', document: { title: 5 } },
        { id: '3', document: { tags: ['no text'] } },
        'no object',
        null,
        7,
        { id: '4' },
        { id: '', document: { title: 'x' } },
        { id: 'ü'.repeat(300), document: { title: 'x' } },
        { index: 'Bad Name', id: '5', document: { title: 'x' } },
        { op: 'delete', id: 'nothing' },
        { op: 'delete' },
        { op: 'delete', index: 'nowhere', id: 'x' },
        { op: 'explode', id: '6', document: { title: 'x' } },
        { id: '7', document: { title: 'good', created: 'never' } },
        { id: '8', document: { title: 'good' } },
      ],
    })
    expect(status).toBe(200)
    const statuses = data.items.map((item) => item.status)
    expect(statuses).toEqual([
      ...[200, 400, 400, 400, 400, 400, 400, 400, 400, 400],
      ...[404, 400, 404, 400, 400, 200],
    ])
    expect(data).toMatchObject({ succeeded: 2, failed: 14 })
    for (const item of data.items.filter((one) => one.status !== 200)) {
      expect(item.code).toMatch(/^[A-Z_]+$/)
      expect(item.error).toMatch(/\.$/)
    }
    expect(data.items[1]).toMatchObject({ id: '2', index: 'mixed' })
    expect(await total('mixed')).toBe(2)
  })

  it.each([
    [{}, 400],
    ['{', 400],
    [{ documents: {} }, 400],
    [7, 400],
    [[], 200],
    [{ documents: [] }, 200],
  ])('answers %j with %i', async (body, status) => {
    expect((await bulk(body)).status).toBe(status)
  })

  it('deletes, and does everything to one id in the order of the request', async () => {
    const { data } = await bulk({
      index: 'order',
      documents: [
        { id: 'x', document: { title: 'apple' } },
        { op: 'delete', id: 'x' },
        { id: 'x', document: { title: 'banana' } },
        { id: 'x', document: { title: 'cherry' } },
        { id: 'y', document: { title: 'date' } },
        { op: 'DELETE', id: 'y' },
        { op: 'delete', id: 'y' },
        { id: 'z', document: { title: 'elder' } },
        { id: 'z', document: { title: 'elder' } },
        { op: 'create', id: 'z', document: { title: 'fig' } },
        { op: 'create', id: 'new', document: { title: 'grape' } },
      ],
    })
    expect(data.items.map(({ status, version, result }) => [status, version, result])).toEqual([
      [200, 1, 'created'],
      [200, 1, 'deleted'],
      [200, 1, 'created'],
      [200, 2, 'updated'],
      [200, 1, 'created'],
      [200, 1, 'deleted'],
      [404, undefined, undefined],
      [200, 1, 'created'],
      [200, 1, 'unchanged'],
      [409, undefined, undefined],
      [200, 1, 'created'],
    ])
    expect(data.items.at(-2)).toMatchObject({ code: 'DOCUMENT_EXISTS', id: 'z', index: 'order' })
    for (const [word, count] of [
      ['apple', 0],
      ['banana', 0],
      ['cherry', 1],
      ['date', 0],
      ['elder', 1],
    ] as const)
      expect([word, await total('order', word)]).toEqual([word, count])
    expect(data.items[3]?.vectorized).toBe(true)
    expect(data.items[8]?.vectorized).toBe(true)
  })

  it('answers once durable with refresh=false', async () => {
    const documents = Array.from({ length: 50 }, (_, n) => ({ document: { title: `later ${n}` } }))
    const { status, data } = await bulk({ index: 'later', documents }, '?refresh=false')
    expect(status).toBe(200)
    expect(data.succeeded).toBe(50)
    await waitUntil(async () => (await total('later')) === 50)
  })
})

describe('a bulk as NDJSON', () => {
  it('writes one line after the other; a wrong line fails alone', async () => {
    const body = [
      '{"index":"nd","id":"1","document":{"title":"one"}}',
      '',
      '{"id":"2","title":"two"}\r',
      '   ',
      '{"id":"3","document":{"title":',
      'not json',
      '[1]',
      '{"id":"4","document":{"title":"four"}}',
      '{"op":"delete","id":"1","index":"nd"}',
      `{"id":"5","title":"${'deep'}","x":${'['.repeat(40)}${']'.repeat(40)}}`,
      '{"id":"6","title":"no newline at the end"}',
    ].join('\n')
    const { status, data } = await bulk(body, '?index=nd', NDJSON)
    expect(status).toBe(200)
    expect(data.items.map((item) => item.status)).toEqual([
      200, 200, 400, 400, 400, 200, 200, 400, 200,
    ])
    expect(data.items.map((item) => item.code)).toMatchObject({
      2: 'MALFORMED_JSON',
      3: 'MALFORMED_JSON',
      7: 'JSON_TOO_DEEP',
    })
    expect(data.items.map((item) => item.error)).toMatchObject({
      2: 'Line 5 of the body is not valid JSON at byte 30.',
      3: 'Line 6 of the body is not valid JSON at byte 0.',
      7: 'Line 10 of the body is nested deeper than 32 levels, the setting JSON_DEPTH_MAX.',
    })
    expect(data).toMatchObject({ succeeded: 5, failed: 4 })
    expect(await total('nd')).toBe(3)
  })

  it('takes byte order marks before documents, and on lines of their own', async () => {
    const body = '\uFEFF\r\n\uFEFF{"title":"one"}\n{"title":"two"}\n\uFEFF'
    const { data } = await bulk(body, '?index=marked', NDJSON)
    expect(data).toMatchObject({ succeeded: 2, failed: 0 })
  })

  it('says of a text that is none so, instead of as many times as it has lines', async () => {
    const row = '7,seven\n'
    const refused = await bulk(row.repeat(1000), '?index=table', NDJSON)
    expect([refused.status, refused.code]).toEqual([400, 'MALFORMED_JSON'])
    expect(refused.error).toContain('first 1000 lines')
    const { data } = await bulk(`{"title":"one"}\n${row.repeat(1000)}`, '?index=table', NDJSON)
    expect([data.succeeded, data.failed]).toEqual([1, 1000])
  })

  it('loads more than one group, answers each line in order', async () => {
    const items = Array.from({ length: 3500 }, (_, n) => ({
      id: `m${n}`,
      document: n % 500 === 499 ? { title: n } : { title: `many ${n}` },
    }))
    const { data } = await lines(items, '?index=many')
    expect(data.items).toHaveLength(3500)
    expect(data.failed).toBe(7)
    data.items.forEach((item, n) => {
      expect([n, item.id, item.status]).toEqual([n, `m${n}`, n % 500 === 499 ? 400 : 200])
    })
    expect(await total('many')).toBe(3493)
  })

  it('keeps the order of one id across groups', async () => {
    const items = Array.from({ length: 2500 }, (_, n) => ({ id: `s${n % 3}`, title: `turn${n}` }))
    const { data } = await lines(items, '?index=same')
    expect(data.succeeded).toBe(2500)
    expect(await total('same')).toBe(3)
    for (const n of [2499, 2498, 2497]) expect([n, await total('same', `turn${n}`)]).toEqual([n, 1])
    expect(await total('same', 'turn0')).toBe(0)
  })

  it('is worked off while it arrives', async () => {
    const sending = request(`${service.url}/cortex/documents/bulk?index=stream`, {
      method: 'POST',
      headers: { ...NDJSON, 'transfer-encoding': 'chunked' },
    })
    const answered = new Promise<Bulk>((resolve, reject) => {
      sending.on('error', reject)
      sending.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => resolve((JSON.parse(text) as { data: Bulk }).data))
      })
    })
    for (let n = 0; n < 1500; n++) sending.write(`{"id":"c${n}","title":"chunk ${n}"}\n`)
    await waitUntil(async () => {
      const { status } = await service.call('GET', '/cortex/documents/c0?index=stream')
      return status === 200
    })
    sending.end('{"id":"last","title":"chunk')
    const data = await answered
    expect(data.items).toHaveLength(1501)
    expect(data.items[1500]).toMatchObject({ status: 400, code: 'MALFORMED_JSON' })
    expect(await total('stream')).toBe(1500)
  })

  it.each([
    ['of which a few lines came before a pause is found meanwhile', '{"title":"early"}\n'],
    ['that is no NDJSON is still refused as a whole when it pauses', 'name;price\n'],
  ])('%s', async (_, line) => {
    const sending = request(`${service.url}/cortex/documents/bulk?index=pausing`, {
      method: 'POST',
      headers: { ...NDJSON, 'transfer-encoding': 'chunked' },
    })
    const answered = new Promise<number>((resolve) => {
      sending.on('response', (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
    })
    const isJson = line.startsWith('{')
    sending.write(line.repeat(3))
    if (isJson) await waitUntil(async () => (await total('pausing').catch(() => 0)) === 3)
    else await new Promise((resolve) => setTimeout(resolve, 600))
    sending.end(line.repeat(997))
    expect(await answered).toBe(isJson ? 200 : 400)
    expect(await total('pausing')).toBe(1000)
  })

  it('reads the lines on both sides of a pause in their order', async () => {
    const { url } = service
    const sending = request(`${url}/cortex/documents/bulk?index=halves`, {
      method: 'POST',
      headers: { ...NDJSON, 'transfer-encoding': 'chunked' },
    })
    const answered = new Promise<Bulk>((resolve) => {
      sending.on('response', async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve((JSON.parse(text) as { data: Bulk }).data)
      })
    })
    sending.write('{"id":"a","title":"x"}\n{"index":{"_id":"7"}}\n')
    await waitUntil(async () => (await total('halves').catch(() => 0)) === 1)
    sending.end('{"title":"of the action"}\n{"id":"b","title":"x"}\n')
    const { items } = await answered
    expect(items.map(({ status }) => status)).toEqual([200, 400, 400, 200])
    expect(await total('halves')).toBe(2)
  })

  it('keeps whole documents of a body that is cut off, and goes on', async () => {
    const sending = request(`${service.url}/cortex/documents/bulk?index=torn`, {
      method: 'POST',
      headers: { ...NDJSON, 'transfer-encoding': 'chunked' },
    })
    sending.on('error', () => undefined)
    for (let n = 0; n < 1200; n++) sending.write(`{"id":"t${n}","title":"torn ${n}"}\n`)
    await waitUntil(async () => {
      const { status } = await service.call('GET', '/cortex/documents/t0?index=torn')
      return status === 200
    })
    sending.write('{"id":"half","title":"ha')
    sending.destroy()
    await waitUntil(async () => (await total('torn')) >= 1000)
    expect((await service.call('GET', '/cortex/documents/half?index=torn')).status).toBe(404)
    const { data } = await service.call<{ hits: { source: { title: string } }[] }>(
      'POST',
      '/cortex/search',
      { index: 'torn', query: '', size: 5 },
    )
    for (const hit of data.hits) expect(hit.source.title).toMatch(/^torn \d+$/)
  })

  it('refuses a line over the limit alone', async () => {
    const long = `{"title":"${'x'.repeat(70_000)}"}`
    const body = `{"id":"b1","title":"ok"}\n${long}\n{"id":"b2","title":"ok"}\n${long.repeat(9)}`
    const { status, data } = await bulk(body, '?index=big', NDJSON)
    expect(status).toBe(200)
    expect(data.items.map((item) => item.status)).toEqual([200, 413, 200, 413])
    expect(data.items[1]?.code).toBe('BODY_TOO_LARGE')
    expect(data.items[3]?.error).toMatch(/^Line 4 of the body is over \d+ bytes\.$/)
    expect(await total('big')).toBe(2)
    expect((await bulk({ documents: [{ title: 'x'.repeat(70_000) }] })).status).toBe(413)
  })

  it('is not limited by the size of the whole', async () => {
    const items = Array.from({ length: 40 }, (_, n) => ({ id: `w${n}`, title: 'w '.repeat(5000) }))
    const { data } = await lines(items, '?index=whole')
    expect(data.succeeded).toBe(40)
  })
})

it('answers a repeated Idempotency-Key with the first answer', async () => {
  const headers = { 'idempotency-key': 'bulk-1' }
  const body = { index: 'idem', documents: [{ document: { title: 'once' } }] }
  const first = await bulk(body, '', headers)
  const second = await bulk(body, '', headers)
  expect(second.data).toEqual(first.data)
  expect(await total('idem')).toBe(1)
  const other = await bulk({ ...body, index: 'other' }, '', headers)
  expect(other).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' })
})

describe('NDJSON with an Idempotency-Key', () => {
  const text = (titles: string[]) => titles.map((title) => `{"title":"${title}"}\n`).join('')
  const send = (key: string, body: string, index = 'keyed') =>
    bulk(body, `?index=${index}`, { ...NDJSON, 'idempotency-key': key })
  /** A request whose first lines are worked off, and whose end is yet to come. */
  const begin = async (key: string, body: string, index: string) => {
    const sending = request(`${service.url}/cortex/documents/bulk?index=${index}`, {
      method: 'POST',
      headers: { ...NDJSON, 'transfer-encoding': 'chunked', 'idempotency-key': key },
    })
    sending.on('error', () => undefined)
    const answered = new Promise<number>((resolve) => {
      sending.on('response', (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
    })
    sending.write(body)
    await waitUntil(async () => (await total(index).catch(() => 0)) > 0)
    return { sending, answered }
  }
  /** Whether so many requests wait for their answers. */
  const isUnderWay = async (requests: number) =>
    (await service.app.metrics.page()).includes(
      `svc_api_active_requests{method="POST"} ${requests}`,
    )

  it('is worked off once, and answered the same, also after a restart', async () => {
    const body = text(Array.from({ length: 2500 }, (_, n) => `line ${n}`))
    const first = await send('lines-1', body)
    expect(first.data.succeeded).toBe(2500)
    expect((await send('lines-1', body)).data).toEqual(first.data)
    await service.restart()
    expect((await send('lines-1', body)).data).toEqual(first.data)
    expect(await total('keyed')).toBe(2500)
  })

  it('of another request is a conflict, and nothing of it is written', async () => {
    expect((await send('lines-2', text(['a']), 'first')).status).toBe(200)
    const others = [
      await send('lines-2', text(['b']), 'first'),
      await send('lines-2', text(['a']), 'second'),
      await bulk({ documents: [{ title: 'a' }] }, '?index=first', { 'idempotency-key': 'lines-2' }),
    ]
    for (const other of others)
      expect(other).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' })
    expect(await total('first')).toBe(1)
  })

  it('that is still under way is waited for, by the same request and by another, as with JSON', async () => {
    const whole = text(Array.from({ length: 1100 }, (_, n) => `line ${n}`))
    const { sending, answered } = await begin('lines-3', whole, 'begun')
    const documents = { documents: [{ title: 'a' }] }
    const meanwhile = Promise.all([
      send('lines-3', whole, 'begun'),
      send('lines-3', text(['other']), 'begun'),
      bulk(documents, '?index=begun', { 'idempotency-key': 'lines-3' }),
    ])
    await waitUntil(() => isUnderWay(4))
    sending.end()
    expect(await answered).toBe(200)
    const [same, ...others] = await meanwhile
    expect(same.data.succeeded).toBe(1100)
    for (const other of others)
      expect(other).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' })
    expect(await total('begun')).toBe(1100)
  })

  it('of a body that was cut off is free to whoever waited, once', async () => {
    const lines = text(Array.from({ length: 1100 }, (_, n) => `line ${n}`))
    const { sending } = await begin('lines-4', lines, 'torn-off')
    const waiting = Promise.all([
      send('lines-4', text(['whole']), 'cut'),
      send('lines-4', text(['whole']), 'cut'),
    ])
    await waitUntil(() => isUnderWay(3))
    sending.destroy()
    for (const { data } of await waiting) expect(data.succeeded).toBe(1)
    expect(await total('cut')).toBe(1)
  })
})

describe('a compressed bulk', () => {
  const GZIP = { 'content-encoding': 'gzip' }
  const send = async (
    body: Uint8Array<ArrayBuffer>,
    index: string,
    headers: Record<string, string>,
  ) => {
    const url = `${service.url}/cortex/documents/bulk?index=${index}`
    const response = await fetch(url, { method: 'POST', body, headers })
    const told = (await response.json()) as { data: Bulk; code?: string; error?: string }
    return { status: response.status, replayed: response.headers.get('idempotent-replay'), ...told }
  }
  const ndjson = (count: number): Buffer =>
    Buffer.from(
      Array.from({ length: count }, (_, n) => `{"id":"z${n}","title":"zip ${n}"}\n`).join(''),
    )

  it('is stored as an uncompressed one, as JSON and as NDJSON of any length', async () => {
    const json = gzipSync(JSON.stringify([{ document: { title: 'one' } }]))
    expect((await send(json, 'zipped-json', GZIP)).data.succeeded).toBe(1)
    const deflated = await send(deflateSync(ndjson(10)), 'deflated', {
      ...NDJSON,
      'content-encoding': 'deflate',
    })
    expect(deflated.data.succeeded).toBe(10)
    const { data } = await send(gzipSync(ndjson(5000)), 'zipped', { ...NDJSON, ...GZIP })
    expect(data).toMatchObject({ succeeded: 5000, failed: 0 })
    expect(data.items[4999]).toMatchObject({ status: 200, id: 'z4999' })
    expect(await total('zipped')).toBe(5000)
  })

  it('is worked off while it arrives', async () => {
    const sending = request(`${service.url}/cortex/documents/bulk?index=zip-stream`, {
      method: 'POST',
      headers: { ...NDJSON, ...GZIP, 'transfer-encoding': 'chunked' },
    })
    const answered = new Promise<number>((resolve, reject) => {
      sending.on('error', reject)
      sending.on('response', (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
    })
    const gzip = createGzip()
    gzip.pipe(sending)
    gzip.write(ndjson(1500))
    gzip.flush()
    await waitUntil(async () => {
      const { status } = await service.call('GET', '/cortex/documents/z0?index=zip-stream')
      return status === 200
    })
    gzip.end('{"id":"last","title":"zip"}')
    expect(await answered).toBe(200)
    expect(await total('zip-stream')).toBe(1501)
  })

  it('that is cut off is refused, and holds no half of a document', async () => {
    const whole = gzipSync(ndjson(20_000))
    const cut = whole.subarray(0, whole.length - 1000)
    const answer = await send(cut, 'zip-cut', { ...NDJSON, ...GZIP })
    expect(answer).toMatchObject({ status: 400, code: 'BODY_INCOMPLETE' })
    expect(answer.error).toContain('may have been stored')
    await waitUntil(async () => (await total('zip-cut')) >= 10_000)
    const { data } = await send(whole, 'zip-cut', { ...NDJSON, ...GZIP })
    expect(data).toMatchObject({ succeeded: 20_000, failed: 0 })
    expect(await total('zip-cut')).toBe(20_000)
  })

  it('has the answer of the uncompressed one under the same Idempotency-Key', async () => {
    const body = ndjson(1200)
    const key = { ...NDJSON, 'idempotency-key': 'zip-1' }
    const first = await send(gzipSync(body), 'zip-key', { ...key, ...GZIP })
    const second = await send(new Uint8Array(body), 'zip-key', key)
    expect([first.replayed, second.replayed]).toEqual([null, 'true'])
    expect(second.data).toEqual(first.data)
    const other = await send(gzipSync(ndjson(1201)), 'zip-key', { ...key, ...GZIP })
    expect(other).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' })
  })
})

it.each([{ 'if-none-match': '*' }, { 'if-match': '"1"' }])(
  'conditions of one document are refused: %j',
  async (headers) => {
    await service.must('POST', '/cortex/documents', {
      index: 'held',
      id: 'a',
      document: { title: 'a' },
    })
    const body = { index: 'held', documents: [{ id: 'a', document: { title: 'other' } }] }
    expect(await bulk(body, '', headers)).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    expect(await total('held', 'other')).toBe(0)
  },
)
