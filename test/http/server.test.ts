import { Type } from 'typebox'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { serviceError } from '../../src/errors.ts'
import { refusalSentence } from '../../src/http/listening.ts'
import { answer, type Route, raw, route } from '../../src/http/route.ts'
import { waitUntil } from '../wait-until.ts'
import { connectRaw, type Stub, startStub, WIRE_MS } from './stub.ts'

const Thing = Type.Object({
  title: Type.String({ maxLength: 10 }),
  tags: Type.Optional(Type.Array(Type.String())),
  size: Type.Optional(Type.Union([Type.Integer(), Type.String({ maxLength: 3 })])),
})

const released: (() => void)[] = []
let signals: AbortSignal[] = []
let streamed: number[] = []

const routes: Route[] = [
  route({
    method: 'POST',
    path: '/things',
    aliases: ['PUT /things/all', '/stuff'],
    summary: 'Echo a thing',
    tag: 'operations',
    body: Thing,
    reply: Thing,
    handle: ({ body }) => body,
  }),
  route({
    method: 'GET',
    path: '/things/{id}',
    summary: 'Get a thing',
    tag: 'operations',
    params: Type.Object({ id: Type.String({ maxLength: 20 }) }),
    query: Type.Object({
      size: Type.Optional(Type.Integer({ minimum: 0 })),
      full: Type.Optional(Type.Boolean()),
      tags: Type.Optional(Type.Array(Type.String())),
    }),
    reply: Thing,
    handle: ({ params, query }) => answer({ ...params, ...query }, { top: { cached: true } }),
  }),
  route({
    method: 'POST',
    path: '/things/{id}/touch',
    summary: 'Touch a thing',
    tag: 'operations',
    params: Type.Object({ id: Type.String() }),
    reply: Thing,
    handle: ({ params }) => params,
  }),
  route({
    method: 'GET',
    path: '/bytes',
    summary: 'Bytes that are JSON already',
    tag: 'operations',
    query: Type.Object({ n: Type.Integer() }),
    reply: Thing,
    handle: ({ query }) => answer(Buffer.from(`{"é":"${'x'.repeat(query.n)}"}`)),
  }),
  route({
    method: 'GET',
    path: '/slow',
    summary: 'Answers when told',
    tag: 'operations',
    reply: Thing,
    handle: async ({ signal }) => {
      signals.push(signal())
      await new Promise<void>((resolve) => released.push(resolve))
      return { done: true }
    },
  }),
  route({
    method: 'GET',
    path: '/fail',
    aliases: ['POST /fail'],
    summary: 'Fails',
    tag: 'operations',
    query: Type.Object({ how: Type.String() }),
    reply: Thing,
    handle: async ({ query }) => {
      if (query.how === 'missing') throw serviceError('INDEX_NOT_FOUND', 'Not there.')
      if (query.how === 'full') throw serviceError('TOO_MANY_SERIES', 'No room for one more.')
      if (query.how === 'busy') throw serviceError('OVERLOADED', 'Busy.', { retryAfterS: 7 })
      if (query.how === 'sick') return answer({ up: false }, { status: 503, error: 'Not well.' })
      throw new Error('secret /etc/passwd')
    },
  }),
  route({
    method: 'POST',
    path: '/lines',
    summary: 'Counts the bytes of a stream',
    tag: 'operations',
    body: Type.Object({ n: Type.Integer() }),
    bodyKind: 'stream',
    consumes: ['application/x-ndjson'],
    reply: Thing,
    handle: async ({ body, stream }) => {
      if (body !== undefined) return { json: body.n }
      let bytes = 0
      for await (const chunk of stream) {
        bytes += chunk.length
        streamed.push(chunk.length)
        if (Buffer.from(chunk).includes('stop'))
          throw serviceError('VALIDATION_FAILED', 'Told to stop.')
      }
      return { bytes }
    },
  }),
  route({
    method: 'GET',
    path: '/livez',
    root: true,
    summary: 'Alive',
    tag: 'operations',
    reply: Type.Object({}),
    handle: () => raw('alive', 'text/plain'),
  }),
]

let stub: Stub
const start = async (env: Record<string, string> = {}): Promise<void> => {
  await stub?.close()
  stub = await startStub(routes, env)
}

beforeEach(async () => {
  stub = await startStub(routes)
  signals = []
  streamed = []
})
afterEach(async () => {
  for (const release of released.splice(0)) release()
  await stub.close()
})

const post = (
  body: RequestInit['body'],
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<Response> => fetch(`${stub.url}/things`, { method: 'POST', body: body ?? null, headers })

const failure = async (response: Response) =>
  (await response.json()) as {
    success: boolean
    error: string
    code: string
    details?: { path: string; message: string }[]
    meta: { took: number; requestId: string }
  }

async function stillServes(): Promise<void> {
  const response = await post('{"title":"a"}')
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ success: true, data: { title: 'a' } })
}

describe('a request that is right', () => {
  it('gets its data in the envelope with took and a request id', async () => {
    const response = await post('{"title":"a"}')
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const body = await failure(response)
    expect(body).toMatchObject({ success: true, data: { title: 'a' } })
    expect(Number.isInteger(body.meta.took)).toBe(true)
    expect(body.meta.requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(response.headers.get('x-request-id')).toBe(body.meta.requestId)
  })

  it('keeps the request id that the client sent, unless it is not fit for a log', async () => {
    const kept = await post(Buffer.from('{"title":"a"}'), { 'x-request-id': 'trace-1' })
    expect((await failure(kept)).meta.requestId).toBe('trace-1')
    const made = await post('{"title":"a"}', { 'x-request-id': '"}{' })
    expect((await failure(made)).meta.requestId).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('may use an alias, with another method too', async () => {
    for (const [method, path] of [
      ['PUT', '/things/all'],
      ['POST', '/stuff'],
    ]) {
      const response = await fetch(`${stub.url}${path}`, {
        method: method!,
        body: Buffer.from('{"title":"b"}'),
      })
      expect(response.status).toBe(200)
    }
  })

  it('has its path and query decoded and turned into the types of the schema', async () => {
    const response = await fetch(`${stub.url}/things/a%2Fb%20c?size=3&full=true&tags=x&unknown=1`)
    const body = await response.json()
    expect(body).toMatchObject({
      cached: true,
      data: { id: 'a/b c', size: 3, full: true, tags: ['x'] },
    })
  })

  it('gets ready-made bytes unchanged, large ones too', async () => {
    for (const n of [3, 3_000_000]) {
      const response = await fetch(`${stub.url}/bytes?n=${n}`)
      const body = (await response.json()) as { data: Record<string, string> }
      expect(body.data.é).toHaveLength(n)
    }
  })

  it('may ask with HEAD and gets the headers alone', async () => {
    const response = await fetch(`${stub.url}/bytes?n=5`, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(20)
    expect(await response.text()).toBe('')
  })

  it('finds root operations at the root and under the base', async () => {
    const root = stub.url.replace('/api', '')
    for (const url of [`${root}/livez`, `${stub.url}/livez`])
      expect(await (await fetch(url)).text()).toBe('alive')
  })

  it('gets gzip or brotli when it asks and the answer is large', async () => {
    const gzip = await fetch(`${stub.url}/bytes?n=5000`, { headers: { 'accept-encoding': 'gzip' } })
    expect(gzip.headers.get('content-encoding')).toBe('gzip')
    expect(Number(gzip.headers.get('content-length'))).toBeLessThan(500)
    expect(((await gzip.json()) as { success: boolean }).success).toBe(true)
    const brotli = await fetch(`${stub.url}/bytes?n=5000`, {
      headers: { 'accept-encoding': 'gzip, br' },
    })
    expect(brotli.headers.get('content-encoding')).toBe('br')
    const small = await fetch(`${stub.url}/bytes?n=5`, { headers: { 'accept-encoding': 'br' } })
    expect(small.headers.get('content-encoding')).toBeNull()
    const refused = await fetch(`${stub.url}/bytes?n=5000`, {
      headers: { 'accept-encoding': 'gzip;q=0' },
    })
    expect(refused.headers.get('content-encoding')).toBeNull()
    // Caches keep the one and the other apart, whichever comes first.
    for (const large of [gzip, brotli, refused])
      expect(large.headers.get('vary')).toBe('accept-encoding')
    expect(small.headers.get('vary')).toBeNull()
  })

  it('may come in many small pieces, chunked', async () => {
    const raw = await connectRaw(stub.server.port)
    raw.socket.write('POST /api/things HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n')
    for (const piece of ['{"ti', 'tle":', '"a"}']) {
      raw.socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`)
      await new Promise((resolve) => setImmediate(resolve))
    }
    raw.socket.write('0\r\n\r\n')
    await waitUntil(() => raw.received().includes('"title":"a"'), WIRE_MS)
    raw.socket.destroy()
  })

  it('may be pipelined: the answers come in order', async () => {
    const raw = await connectRaw(stub.server.port)
    const one = (title: string) =>
      `POST /api/things HTTP/1.1\r\nhost: a\r\ncontent-length: 13\r\n\r\n{"title":"${title}"}`
    raw.socket.write(one('1'))
    await waitUntil(() => raw.received().includes('"title":"1"'), WIRE_MS)
    raw.socket.write(`${one('2')}`)
    await waitUntil(() => raw.received().includes('"title":"2"'), WIRE_MS)
    raw.socket.destroy()
  })
})

describe('a request that is wrong', () => {
  it.each([
    ['malformed JSON', '{"title": nope}', 400, 'MALFORMED_JSON'],
    ['a body cut short', '{"title":', 400, 'MALFORMED_JSON'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, 'MALFORMED_JSON'],
    ['too deep a body', '['.repeat(40) + ']'.repeat(40), 400, 'JSON_TOO_DEEP'],
    ['a key of the prototype', '{"title":"a","__proto__":{"x":1}}', 400, 'VALIDATION_FAILED'],
    ['the same in escapes', '{"title":"a","\\u005f_proto__":1}', 400, 'VALIDATION_FAILED'],
    ['a missing field', '{}', 400, 'VALIDATION_FAILED'],
    ['a wrong type', '{"title":1}', 400, 'VALIDATION_FAILED'],
    ['no body', '', 400, 'VALIDATION_FAILED'],
    ['too large a body', `{"title":"${'x'.repeat(2 << 20)}"}`, 413, 'BODY_TOO_LARGE'],
  ])('with %s is told so, and the server still serves', async (_name, body, status, code) => {
    const response = await post(body)
    expect(response.status).toBe(status)
    const told = await failure(response)
    expect(told).toMatchObject({ success: false, code })
    expect(told.error).toMatch(/^[^\n]+\.$/)
    expect(told.meta.requestId).toBe(response.headers.get('x-request-id'))
    await stillServes()
  })

  it('is told where the mistake is, and never reads its own input back', async () => {
    const malformed = await failure(await post('{"title": hunter2}'))
    expect(malformed.error).toBe('The body is not valid JSON at byte 10.')
    expect(JSON.stringify(malformed)).not.toContain('hunter2')
    const wrong = await failure(await post('{"title":"a","tags":["b",7]}'))
    expect(wrong.details).toEqual([{ path: 'tags[1]', message: 'must be a text' }])
    expect(wrong.error).toContain('tags[1]')
    const union = await failure(await post('{"title":"a","size":true}'))
    expect(union.details).toEqual([{ path: 'size', message: 'must be a whole number or a text' }])
    for (const size of ['0x10', '1e1', '%205', '+5', '5.', '']) {
      const slip = await failure(await fetch(`${stub.url}/things/a?size=${size}`))
      expect(slip.code).toBe('VALIDATION_FAILED')
      expect(slip.details).toEqual([
        { path: 'size', message: 'must be a whole number in plain digits' },
      ])
    }
    const query = await failure(await fetch(`${stub.url}/things/a?size=-1`))
    expect(query.details).toEqual([{ path: 'size', message: 'must be at least 0' }])
    const path = await fetch(`${stub.url}/things/%ff`)
    expect(path.status).toBe(400)
  })

  it.each(['/things/caf\u00e9', '/things/a?tags=caf\u00e9', '/things/a?caf\u00e9=1'])(
    'with bytes in its address that are not UTF-8 is refused, as another would read the same: %j',
    async (path) => {
      const raw = await connectRaw(stub.server.port)
      raw.socket.write(Buffer.from(`GET /api${path} HTTP/1.1\r\nhost: a\r\n\r\n`, 'latin1'))
      await waitUntil(() => raw.received().includes('"requestId"'), WIRE_MS)
      raw.socket.destroy()
      expect(raw.received()).toContain('is not percent-encoded UTF-8')
      const replacement = await fetch(`${stub.url}/things/%EF%BF%BD`)
      expect(replacement.status).toBe(200)
    },
  )

  it('with another content type gets 415, and JSON by any of its names is read', async () => {
    for (const type of ['text/plain', 'application/json; charset=latin1', 'application/x-ndjson']) {
      const response = await post('{"title":"a"}', { 'content-type': type })
      expect(response.status).toBe(415)
      const { code, error } = await failure(response)
      expect(code).toBe('UNSUPPORTED_MEDIA_TYPE')
      expect(error).toBe('Send the body in UTF-8 with the header content-type: application/json.')
    }
    for (const type of [
      'application/json; charset=UTF-8',
      'application/ld+json',
      'APPLICATION/JSON',
    ])
      expect((await post('{"title":"a"}', { 'content-type': type })).status).toBe(200)
    const none = await post(Buffer.from('{"title":"a"}'), {})
    expect(none.status).toBe(200)
    expect((await post('{"title":"a"}', { 'content-type': '' })).status).toBe(200)
  })

  it('to an unknown path gets a JSON 404', async () => {
    for (const url of [`${stub.url}/nothing`, stub.url.replace('/api', '/')]) {
      const response = await fetch(url)
      expect(response.status).toBe(404)
      expect((await failure(response)).code).toBe('ROUTE_NOT_FOUND')
    }
  })

  it('to a path of the API without the base address is told where it begins', async () => {
    for (const path of ['/things/all', '/things/7/nothing']) {
      const response = await fetch(stub.url.replace('/api', path))
      expect(response.status).toBe(404)
      const { code, error } = await failure(response)
      expect(code).toBe('ROUTE_NOT_FOUND')
      expect(error).toContain('paths of the API begin with /api')
    }
  })

  it.each([
    ['POST', '/api/thigns', 'POST /api/things; see /docs'],
    ['GET', '/things/7', 'GET /api/things/{id}: paths of the API begin with /api'],
    ['GET', '/api/things/all/tuoch', 'POST /api/things/{id}/touch; see /docs'],
  ])('%s %s, which is nothing, is told of %s', async (method, path, near) => {
    const response = await fetch(stub.url.replace('/api', path), { method })
    expect(response.status).toBe(404)
    const { code, error } = await failure(response)
    expect([code, error]).toEqual([
      'ROUTE_NOT_FOUND',
      expect.stringContaining(`, but there is ${near}`),
    ])
  })

  it.each([
    ['/shop/_search', 'POST /api/cortex/search'],
    ['/_bulk', 'POST /api/cortex/documents/bulk'],
    ['/shop/_doc/7', 'PUT /api/cortex/documents/{id}'],
    ['/indexes/shop/search', 'POST /api/cortex/search'],
    ['/health', '/api/livez'],
  ])('to %s, which other search servers have, is told of %s', async (path, here) => {
    const response = await fetch(stub.url.replace('/api', path), { method: 'POST' })
    expect(response.status).toBe(404)
    const { code, error } = await failure(response)
    expect([code, error]).toEqual([
      'ROUTE_NOT_FOUND',
      expect.stringContaining(`here it is ${here}`),
    ])
  })

  it('to an id whose slashes part the path is told to encode them', async () => {
    const told = async (path: string) => (await failure(await fetch(`${stub.url}${path}`))).error
    expect(await told('/things/a/b')).toContain('an id with "/" in it is percent-encoded')
    expect(await told('/others/a/b')).not.toContain('percent-encoded')
  })

  it('with another method gets 405 and the methods that there are', async () => {
    const response = await fetch(`${stub.url}/things/all`, { method: 'DELETE' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, PUT')
    expect((await failure(response)).code).toBe('METHOD_NOT_ALLOWED')
    const head = await fetch(`${stub.url}/things`, { method: 'HEAD' })
    expect(head.status).toBe(405)
    const options = await fetch(`${stub.url}/things`, { method: 'OPTIONS' })
    expect(options.status).toBe(405)
  })

  it('that breaks the server shows nothing of the cause, which is logged whole', async () => {
    const response = await fetch(`${stub.url}/fail?how=bug`)
    expect(response.status).toBe(500)
    const text = await response.text()
    expect(text).toContain('"code":"INTERNAL"')
    expect(text).not.toContain('passwd')
    expect(stub.logged).toHaveLength(1)
    expect(String((stub.logged[0] as { err: Error }).err)).toContain('passwd')
  })

  it('that meets a record store that has failed says so, whatever it broke on', async () => {
    const { store } = stub.app
    stub.app.store = { ...stub.app.store, failure: () => new Error('MDB_PANIC') }
    const response = await fetch(`${stub.url}/fail?how=bug`)
    stub.app.store = store
    expect(response.status).toBe(503)
    expect((await failure(response)).code).toBe('STORE_UNAVAILABLE')
  })

  it('is heard of by the record store, whose pages it may have met', async () => {
    const { store } = stub.app
    const heard: unknown[] = []
    stub.app.store = { ...store, noteDamage: (cause) => heard.push(cause) }
    await fetch(`${stub.url}/fail?how=bug`)
    stub.app.store = store
    expect(heard.map(String)).toEqual([expect.stringContaining('passwd')])
  })

  it('under overload is told when to come back', async () => {
    const response = await fetch(`${stub.url}/fail?how=busy`)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('7')
  })

  it('may get a whole report with its failure', async () => {
    const response = await fetch(`${stub.url}/fail?how=sick`)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      success: false,
      error: 'Not well.',
      code: 'UNHEALTHY',
      data: { up: false },
    })
  })

  it('may have a head of 32 KiB, as a cursor in an address needs', async () => {
    const response = await fetch(`${stub.url}/things/a?cursor=${'c'.repeat(30_000)}`)
    expect(response.status).toBe(200)
  })

  it('with a header block that is too large is refused, and the server still serves', async () => {
    const raw = await connectRaw(stub.server.port)
    raw.socket.write(
      `GET /api/livez HTTP/1.1\r\nhost: a\r\n${'x-a: bbbbbbbb\r\n'.repeat(4000)}\r\n`,
    )
    await waitUntil(() => raw.closed(), WIRE_MS)
    expect(raw.received()).toMatch(/^HTTP\/1\.1 431/)
    await stillServes()
  })
})

describe('a body that is too large', () => {
  it('is refused before it is sent, and the connection goes on to serve', async () => {
    const raw = await connectRaw(stub.server.port)
    const bytes = 3 << 20
    raw.socket.write(`POST /api/things HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes}\r\n\r\n`)
    await waitUntil(() => raw.received().includes('BODY_TOO_LARGE'), WIRE_MS)
    raw.socket.write(Buffer.alloc(bytes, 97))
    raw.socket.write('GET /api/things/b HTTP/1.1\r\nhost: a\r\n\r\n')
    await waitUntil(() => raw.received().includes('"id":"b"'), WIRE_MS)
    raw.socket.destroy()
  })

  it.each([
    ['closes behind its answer', `connection: close\r\ncontent-length: ${(8 << 20) + 5}`],
    ['sends it in chunks', 'transfer-encoding: chunked'],
  ])(
    'is let pass before the answer to a client that %s, which would be lost',
    async (_, headers) => {
      const raw = await connectRaw(stub.server.port)
      raw.socket.write(`POST /api/things HTTP/1.1\r\nhost: a\r\n${headers}\r\n\r\n`)
      const isChunked = headers.includes('chunked')
      const piece = 'a'.repeat(1 << 20)
      for (let n = 0; n < 8; n += 1) {
        raw.socket.write(isChunked ? `100000\r\n${piece}\r\n` : piece)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      expect(raw.closed()).toBe(false)
      expect(raw.received()).toBe('')
      raw.socket.write('0\r\n\r\n')
      await waitUntil(() => raw.received().includes('BODY_TOO_LARGE'), WIRE_MS)
      raw.socket.destroy()
    },
  )

  it.each([
    ['GET', '/slow', '200'],
    ['POST', '/nothing', '404'],
    ['POST', '/things', '400'],
  ])(
    'that nobody reads makes no answer wait: %s %s',
    {
      retry: 3,
    },
    async (method, path, status) => {
      const raw = await connectRaw(stub.server.port)
      const startedMs = Date.now()
      raw.socket.write(
        `${method} /api${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 2\r\n\r\n[]`,
      )
      if (path === '/slow') await waitUntil(() => released.length === 1, WIRE_MS)
      for (const release of released.splice(0)) release()
      await waitUntil(() => raw.received().includes(`HTTP/1.1 ${status}`), WIRE_MS)
      expect(Date.now() - startedMs).toBeLessThan(900)
    },
  )

  it('is cut off when it is chunked, as its end is unknown', async () => {
    const raw = await connectRaw(stub.server.port)
    raw.socket.write('POST /api/things HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n')
    const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`
    for (let n = 0; n < 20; n += 1) raw.socket.write(chunk)
    await waitUntil(() => raw.closed(), WIRE_MS)
    expect(raw.received()).toContain('BODY_TOO_LARGE')
    await stillServes()
  })
})

describe('a client that leaves', () => {
  it('half-way through its body changes nothing and is counted', async () => {
    const raw = await connectRaw(stub.server.port)
    raw.socket.write('POST /api/things HTTP/1.1\r\nhost: a\r\ncontent-length: 13\r\n\r\n{"ti')
    await waitUntil(() => stub.server.active() === 1, WIRE_MS)
    raw.socket.destroy()
    await waitUntil(() => stub.server.active() === 0, WIRE_MS)
    const page = String(await stub.app.metrics.page())
    expect(page).toContain(
      'svc_api_requests_total{method="POST",endpoint="/things",status="499"} 1',
    )
    expect(page).toContain('error_type="CLIENT_CLOSED"} 1')
    expect(page).toContain('svc_api_active_requests{method="POST"} 0')
    await stillServes()
  })

  it('while it waits has its work aborted', async () => {
    const raw = await connectRaw(stub.server.port)
    raw.socket.write('GET /api/slow HTTP/1.1\r\nhost: a\r\n\r\n')
    await waitUntil(() => signals.length === 1, WIRE_MS)
    raw.socket.destroy()
    await waitUntil(() => signals[0]!.aborted, WIRE_MS)
    await stillServes()
  })
})

describe('a streamed body', () => {
  const ndjson = { 'content-type': 'application/x-ndjson' }

  it('is worked off while it arrives', async () => {
    const raw = await connectRaw(stub.server.port)
    raw.socket.write(
      'POST /api/lines HTTP/1.1\r\nhost: a\r\ncontent-length: 6\r\ncontent-type: application/x-ndjson\r\n\r\nabc',
    )
    await waitUntil(() => streamed.length === 1, WIRE_MS)
    raw.socket.write('def')
    await waitUntil(() => raw.received().includes('"bytes":6'), WIRE_MS)
    raw.socket.destroy()
  })

  it('may be larger than any limit on a whole body', async () => {
    const body = Buffer.alloc(8 << 20, 97)
    const response = await fetch(`${stub.url}/lines`, { method: 'POST', body, headers: ndjson })
    expect(await response.json()).toMatchObject({ data: { bytes: 8 << 20 } })
  })

  it('is handed over whole and checked when it is JSON', async () => {
    const response = await fetch(`${stub.url}/lines`, {
      method: 'POST',
      body: Buffer.from('{"n":4}'),
    })
    expect(await response.json()).toMatchObject({ data: { json: 4 } })
    const wrong = await fetch(`${stub.url}/lines`, {
      method: 'POST',
      body: Buffer.from('{"n":"4"}'),
    })
    expect(wrong.status).toBe(400)
  })

  it('may be given up by the handler: the answer comes and the server still serves', async () => {
    const body = `stop${'x'.repeat(4 << 20)}`
    const response = await fetch(`${stub.url}/lines`, { method: 'POST', body, headers: ndjson })
    expect(response.status).toBe(400)
    await stillServes()
  })

  it('that breaks off ends the iteration', async () => {
    const raw = await connectRaw(stub.server.port)
    raw.socket.write(
      'POST /api/lines HTTP/1.1\r\nhost: a\r\ncontent-length: 60\r\ncontent-type: application/x-ndjson\r\n\r\nabc',
    )
    await waitUntil(() => streamed.length === 1, WIRE_MS)
    raw.socket.destroy()
    await waitUntil(() => stub.server.active() === 0, WIRE_MS)
    await stillServes()
  })
})

describe('the settings', () => {
  it('limit the time of a request', async () => {
    await start({ REQUEST_TIMEOUT_MS: '100' })
    const response = await fetch(`${stub.url}/slow`)
    expect(response.status).toBe(503)
    const { code, error } = await failure(response)
    expect([code, error]).toEqual(['TIMED_OUT', expect.stringContaining('REQUEST_TIMEOUT_MS')])
    expect(signals[0]!.aborted).toBe(true)
    await stillServes()
  })

  it('turn API keys on, for all but the probes', async () => {
    await start({ API_KEYS: 'alpha, beta' })
    const get = (key?: string) =>
      fetch(`${stub.url}/things/a`, { headers: key ? { authorization: `Bearer ${key}` } : {} })
    const refused = await get()
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    expect((await get('gamma')).status).toBe(401)
    expect((await get('beta')).status).toBe(200)
    expect((await fetch(`${stub.url}/livez`)).status).toBe(200)
    // Which paths and methods there are is nobody's business without one.
    const probe = async (path: string, method: string, key?: string) => {
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
      const { status, headers: sent } = await fetch(stub.url + path, { method, headers })
      return [status, sent.get('allow')]
    }
    expect(await probe('/nothing', 'GET')).toEqual([401, null])
    expect(await probe('/things/a', 'PUT')).toEqual([401, null])
    expect(await probe('/nothing', 'GET', 'beta')).toEqual([404, null])
    expect(await probe('/things/a', 'PUT', 'beta')).toEqual([405, 'GET, HEAD'])
  })

  it('log every request at debug level, with its id and without its contents', async () => {
    await post('{"title":"quiet"}')
    expect(stub.logged).toEqual([])
    await start({ LOG_LEVEL: 'debug' })
    await post('{"title":"secret"}', { 'x-request-id': 'r-1', 'content-type': 'application/json' })
    expect(stub.logged).toMatchObject([
      { requestId: 'r-1', method: 'POST', endpoint: '/things', status: 200 },
    ])
    expect(JSON.stringify(stub.logged)).not.toContain('secret')
  })

  it('turn CORS on for one origin, preflight included', async () => {
    await start({ CORS: 'https://a.example' })
    const ask = (origin: string, method = 'GET') =>
      fetch(`${stub.url}/things/a`, { method, headers: { origin } })
    const allowed = await ask('https://a.example')
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://a.example')
    const other = await ask('https://b.example')
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
    const preflight = await ask('https://a.example', 'OPTIONS')
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
    expect(preflight.headers.get('access-control-allow-headers')).toBe(
      'content-type, content-encoding, authorization, idempotency-key, if-match, if-none-match, last-event-id, x-request-id',
    )
  })

  it('leave a connection open behind answers without a body', async () => {
    await start({ CORS: 'https://a.example' })
    const raw = await connectRaw(stub.server.port)
    const asked = [
      'HEAD /api/things/a',
      'OPTIONS /api/things/a',
      'HEAD /livez',
      'GET /api/things/a',
    ]
    for (const [before, line] of asked.entries()) {
      raw.socket.write(`${line} HTTP/1.1\r\nhost: a\r\norigin: https://a.example\r\n\r\n`)
      const answers = () => raw.received().split('HTTP/1.1 ').slice(1)
      await waitUntil(() => answers()[before]?.includes('\r\n\r\n') === true, WIRE_MS)
    }
    const [thing, preflight, alive, whole] = raw.received().split('HTTP/1.1 ').slice(1)
    expect(thing).toMatch(/^200 [\s\S]*\ncontent-length: [1-9]\d*\r\n[\s\S]*\r\n\r\n$/i)
    expect(preflight).toMatch(/^204 /)
    expect(preflight).not.toMatch(/content-length/i)
    expect(alive).toMatch(/^200 [\s\S]*\ncontent-length: 5\r\n/i)
    expect(whole).toMatch(/^200 [\s\S]*\{[\s\S]*\}$/)
    raw.socket.destroy()
  })

  it('leave CORS off by default', async () => {
    const response = await fetch(`${stub.url}/things/a`, {
      headers: { origin: 'https://a.example' },
    })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('a repeated key', () => {
  it('is looked up with the route and a hash of all that the request says', async () => {
    const asked: string[][] = []
    await stub.close()
    stub = await startStub(
      routes,
      {},
      {
        run: async (key, name, body, produce) => {
          asked.push([key, name, String(body)])
          return { ...(await produce(() => undefined)), replayed: asked.length > 1 }
        },
      },
    )
    const send = (path: string, body?: string) =>
      fetch(`${stub.url}${path}`, {
        method: 'POST',
        headers: { 'idempotency-key': 'k1' },
        body: body === undefined ? null : Buffer.from(body),
      })
    const first = await send('/things', '{"title":"a"}')
    expect(first.headers.get('idempotent-replay')).toBeNull()
    expect(await first.json()).toMatchObject({ data: { title: 'a' } })
    const again = await send('/things', '{"title":"a"}')
    expect(again.headers.get('idempotent-replay')).toBe('true')
    await send('/things?x=1', '{"title":"a"}')
    await send('/things/a/touch')
    await send('/things/b/touch')
    await send('/things/b/touch', '{}')
    await send('/things/b/touch', `{"long":"${'x'.repeat(300_000)}"}`)
    expect(asked[0]!.slice(0, 2)).toEqual(['k1', 'POST /things'])
    expect(asked[1]).toEqual(asked[0])
    const hashes = asked.slice(1).map(([, , hash]) => hash)
    expect(new Set(hashes).size).toBe(6)
  })

  it('whose body breaks off is not looked up, also where nobody reads the body', async () => {
    const asked: string[] = []
    await stub.close()
    stub = await startStub(
      routes,
      {},
      {
        run: async (key, _name, _body, produce) => {
          asked.push(key)
          return { ...(await produce(() => undefined)), replayed: false }
        },
      },
    )
    const head = 'POST /api/things/a/touch HTTP/1.1\r\nhost: a\r\nidempotency-key: cut\r\n'
    const raw = await connectRaw(stub.server.port)
    raw.socket.write(`${head}content-length: 9\r\n\r\n{"a"`)
    await waitUntil(() => raw.socket.bytesWritten > head.length, WIRE_MS)
    raw.socket.destroy()
    const whole = await connectRaw(stub.server.port)
    whole.socket.write(`${head.replace('cut', 'whole')}content-length: 2\r\n\r\n{}`)
    await waitUntil(() => asked.includes('whole'), WIRE_MS)
    whole.socket.destroy()
    expect(asked).toEqual(['whole'])
  })

  it('keeps the answer to a mistake of the client, and throws on to it what was our own', async () => {
    const kept: number[] = []
    await stub.close()
    stub = await startStub(
      routes,
      {},
      {
        run: async (_key, _name, _hash, produce) => {
          const answer = await produce(() => undefined)
          kept.push(answer.status)
          return { ...answer, replayed: false }
        },
      },
    )
    const send = (how: string) =>
      fetch(`${stub.url}/fail?how=${how}`, { method: 'POST', headers: { 'idempotency-key': 'k' } })
    expect((await send('missing')).status).toBe(404)
    expect((await send('full')).status).toBe(429)
    expect((await send('busy')).status).toBe(503)
    expect((await send('bug')).status).toBe(500)
    expect(kept).toEqual([404])
  })
})

describe('stopping', () => {
  it('lets requests under way finish and takes no new connection', async () => {
    const pending = fetch(`${stub.url}/slow`)
    await waitUntil(() => released.length === 1, WIRE_MS)
    const closing = stub.server.close()
    await expect(connectRaw(stub.server.port)).rejects.toThrow(/ECONNREFUSED/)
    for (const release of released.splice(0)) release()
    const response = await pending
    expect(response.status).toBe(200)
    expect(await closing).toBe(0)
    stub = await startStub(routes)
  })

  it('cuts off what does not finish in time', async () => {
    await start({ DRAIN_TIMEOUT_MS: '50' })
    const pending = fetch(`${stub.url}/slow`).catch(() => 'cut off')
    await waitUntil(() => released.length === 1, WIRE_MS)
    expect(await stub.server.close()).toBe(1)
    expect(await pending).toBe('cut off')
    stub = await startStub(routes)
  })

  it('does not wait for what it has told that it took too long', async () => {
    await start({ REQUEST_TIMEOUT_MS: '100', DRAIN_TIMEOUT_MS: '10000' })
    expect((await fetch(`${stub.url}/slow`)).status).toBe(503)
    expect(await closedWithin(8000)).toBe(0)

    await start({ REQUEST_TIMEOUT_MS: '300', DRAIN_TIMEOUT_MS: '10000' })
    const pending = fetch(`${stub.url}/slow`)
    await waitUntil(() => released.length === 2, WIRE_MS)
    expect(await closedWithin(8000)).toBe(0)
    expect((await pending).status).toBe(503)
    stub = await startStub(routes)
  })

  /** How many requests a stop cut off; fails when it takes longer. */
  async function closedWithin(limitMs: number): Promise<number> {
    const startedMs = performance.now()
    const cutOff = await stub.server.close()
    expect(performance.now() - startedMs).toBeLessThan(limitMs)
    return cutOff
  }

  it('refuses requests while the service starts, but the probes', async () => {
    stub.app.lifecycle.state = 'starting'
    const response = await fetch(`${stub.url}/things/a`)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect((await fetch(`${stub.url}/livez`)).status).toBe(200)
  })

  it('says so when the port is taken', async () => {
    await expect(startStub(routes, { PORT: String(stub.server.port) })).rejects.toThrow(/Port/)
  })

  it('lets nobody else listen on a port that was named, and anybody once it is free', async () => {
    const port = stub.server.port
    await start({ PORT: String(port) })
    expect(stub.server.port).toBe(port)
    await expect(startStub(routes, { PORT: String(port) })).rejects.toThrow(
      `Port ${port} of 127.0.0.1 is taken: `,
    )
    const raw = await connectRaw(port)
    await start({ PORT: String(port) })
    await waitUntil(raw.closed, WIRE_MS)
    expect((await fetch(`${stub.url}/things/a`)).status).toBe(200)
  })

  it.each([
    ['203.0.113.9', /^203\.0\.113\.9 is not an address of this machine: set HOST/],
    ['not a host', /^HOST not a host can't be looked up \(E\w+\): set it to an address/],
  ])('says why %s can not be listened on', async (HOST, sentence) => {
    await expect(startStub(routes, { HOST })).rejects.toThrow(sentence)
  })

  it('says so when the port is for others to listen on', () => {
    expect(refusalSentence('127.0.0.1', 80, 'EACCES')).toBe(
      'Port 80 of 127.0.0.1 is not for this user to listen on: set PORT to another, such as one above 1023.',
    )
  })
})
