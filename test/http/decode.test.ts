import { createHash, randomBytes } from 'node:crypto'
import { constants, createGzip, deflateRawSync, deflateSync, type Gzip, gzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { ServiceError, serviceError } from '../../src/errors.ts'
import { decodedStream } from '../../src/http/decode.ts'
import { describeApi } from '../../src/http/openapi.ts'
import { type Route, route } from '../../src/http/route.ts'
import type { AnswerOnce } from '../../src/schema/answer.ts'
import { waitUntil } from '../wait-until.ts'
import { connectRaw, type Stub, startStub, WIRE_MS } from './stub.ts'

const Told = Type.Object({})
const MIB = 1 << 20

let streamed: number[] = []
/** Lets handlers that wait go on. */
const open: (() => void)[] = []

const routes: Route[] = [
  route({
    method: 'POST',
    path: '/whole',
    summary: 'Tells the length of a text',
    tag: 'operations',
    body: Type.Object({ text: Type.String(), wait: Type.Optional(Type.Boolean()) }),
    reply: Told,
    handle: async ({ body }) => {
      if (body.wait === true) await new Promise<void>((resolve) => open.push(resolve))
      return { length: body.text.length }
    },
  }),
  route({
    method: 'POST',
    path: '/optional',
    summary: 'Takes a body or none',
    tag: 'operations',
    body: Type.Object({ text: Type.Optional(Type.String()) }),
    bodyOptional: true,
    reply: Told,
    handle: ({ body }) => body,
  }),
  route({
    method: 'POST',
    path: '/lines',
    summary: 'Tells of the bytes of a stream',
    tag: 'operations',
    body: Type.Object({ n: Type.Integer() }),
    bodyKind: 'stream',
    consumes: ['application/x-ndjson'],
    reply: Told,
    handle: async ({ body, stream }) => {
      if (body !== undefined) return { n: body.n }
      let bytes = 0
      const hash = createHash('sha256')
      for await (const chunk of stream) {
        bytes += chunk.length
        hash.update(chunk)
        streamed.push(chunk.length)
        if (Buffer.from(chunk).includes('stop'))
          throw serviceError('VALIDATION_FAILED', 'Told to stop.')
      }
      return { bytes, hash: hash.digest('hex') }
    },
  }),
]

let stub: Stub
const start = async (env: Record<string, string>): Promise<void> => {
  await stub.close()
  stub = await startStub(routes, env)
}

beforeEach(async () => {
  streamed = []
  stub = await startStub(routes)
})
afterEach(async () => {
  for (const go of open.splice(0)) go()
  await stub.close()
})

interface Answer {
  status: number
  code?: string
  error?: string
  data?: { length?: number; bytes?: number; hash?: string; n?: number }
}

async function send(
  path: string,
  body: Uint8Array,
  headers: Record<string, string> = { 'content-encoding': 'gzip' },
): Promise<Answer> {
  const init = { method: 'POST', body: new Uint8Array(body), headers }
  const response = await fetch(stub.url + path, init)
  return { status: response.status, ...((await response.json()) as object) }
}

const GZIPPED_LINES = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }
const json = (text: string): Buffer => Buffer.from(JSON.stringify({ text }))
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function stillServes(): Promise<void> {
  expect(await send('/whole', json('abc'), {})).toMatchObject({ status: 200, data: { length: 3 } })
  expect(stub.server.active()).toBe(0)
}

/** The head of a request whose body is sent by hand. */
const head = (path: string, ...more: string[]): string =>
  [`POST /api${path} HTTP/1.1`, 'host: a', 'content-encoding: gzip', ...more, '', ''].join('\r\n')

describe('a compressed body', () => {
  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['identity, gzip', gzipSync],
    ['deflate', deflateSync],
    ['identity', (bytes: Buffer) => bytes],
    ['', (bytes: Buffer) => bytes],
  ])('is read with content-encoding: %s', async (coding, pack) => {
    const headers = { 'content-encoding': coding }
    for (const text of ['short', 'long '.repeat(100_000)]) {
      const { status, data } = await send('/whole', pack(json(text)), headers)
      expect({ status, data }).toEqual({ status: 200, data: { length: text.length } })
    }
  })

  it('may be made of several parts, and arrive byte by byte', async () => {
    const text = json('in two parts')
    const packed = Buffer.concat([gzipSync(text.subarray(0, 9)), gzipSync(text.subarray(9))])
    const raw = await connectRaw(stub.server.port)
    raw.socket.setNoDelay(true)
    raw.socket.write(head('/whole', 'transfer-encoding: chunked'))
    for (const byte of packed) {
      raw.socket.write(Buffer.from([0x31, 0x0d, 0x0a, byte, 0x0d, 0x0a]))
      await new Promise((resolve) => setImmediate(resolve))
    }
    raw.socket.write('0\r\n\r\n')
    await waitUntil(() => raw.received().includes('"length":12'), WIRE_MS)
    raw.socket.destroy()
  })

  it('may be none at all where a body need not be sent', async () => {
    expect(await send('/optional', Buffer.alloc(0))).toMatchObject({ status: 200, data: {} })
    expect(await send('/optional', gzipSync(''))).toMatchObject({ status: 200, data: {} })
    for (const empty of [Buffer.alloc(0), gzipSync('')])
      expect(await send('/whole', empty)).toMatchObject({
        status: 400,
        error: 'A JSON body is required.',
      })
  })

  it.each([
    ['br', gzipSync(json('a'))],
    ['zstd', gzipSync(json('a'))],
    ['constructor', json('a')],
    ['gzip, gzip', gzipSync(gzipSync(json('a')))],
  ])('with content-encoding: %s is refused by what is read', async (coding, body) => {
    expect(await send('/whole', body, { 'content-encoding': coding })).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
      error:
        'Send the body with the header content-encoding: gzip or deflate, or uncompressed without it.',
    })
    await stillServes()
  })

  it('is answered with the codings that are read, and one of another type is not', async () => {
    const post = (headers: Record<string, string>, path = '/whole') =>
      fetch(stub.url + path, { method: 'POST', body: json('a').toString(), headers })
    for (const path of ['/whole', '/lines']) {
      const { status, headers } = await post({ 'content-encoding': 'zstd' }, path)
      expect([status, headers.get('accept-encoding')]).toEqual([415, 'gzip, deflate'])
    }
    const other = await post({ 'content-type': 'text/csv' })
    expect([other.status, other.headers.get('accept-encoding')]).toEqual([415, null])
    expect((await post({})).headers.get('accept-encoding')).toBeNull()
    const { paths } = describeApi(routes, stub.app.config) as {
      paths: Record<string, { post: { responses: Record<string, { headers?: object }> } }>
    }
    const { responses = {} } = paths['/whole']?.post ?? {}
    expect(Object.keys(responses[415]?.headers ?? {})).toEqual(['Accept-Encoding'])
    expect(responses[400]).not.toHaveProperty('headers')
  })

  const packed = gzipSync(json('x'.repeat(1000)))
  const flipped = Buffer.from(packed)
  flipped.writeUInt8(flipped.readUInt8(flipped.length - 6) ^ 1, flipped.length - 6)
  it.each([
    ['is none', 'gzip', json('a'), 'MALFORMED_ENCODING', 'is not valid gzip, which'],
    ['fails its checksum', 'gzip', flipped, 'MALFORMED_ENCODING', 'is not valid gzip, which'],
    ['is of another coding', 'gzip', deflateSync('{}'), 'MALFORMED_ENCODING', 'not valid gzip'],
    ['is raw deflate', 'deflate', deflateRawSync('{}'), 'MALFORMED_ENCODING', '(the zlib format)'],
    ['is cut off', 'gzip', packed.subarray(0, -9), 'BODY_INCOMPLETE', 'in the middle of its gzip'],
    ['is a head', 'gzip', packed.subarray(0, 5), 'BODY_INCOMPLETE', 'in the middle of its gzip'],
    ['lacks its end', 'gzip', packed.subarray(0, -1), 'BODY_INCOMPLETE', 'in the middle'],
    ['goes on', 'gzip', Buffer.concat([packed, json('b')]), 'MALFORMED_ENCODING', 'not valid gzip'],
    [
      'goes on behind zeros',
      'gzip',
      Buffer.concat([packed, Buffer.alloc(9), json('b')]),
      'MALFORMED_ENCODING',
      'goes on behind the end',
    ],
    [
      'goes on as it was',
      'deflate',
      Buffer.concat([deflateSync(json('a')), json('b')]),
      'MALFORMED_ENCODING',
      'goes on behind the end of its deflate',
    ],
  ])('that %s (%s) is told so', async (_name, coding, body, code, sentence) => {
    const answer = await send('/whole', body, { 'content-encoding': coding })
    expect(answer).toMatchObject({ status: 400, code, error: expect.stringContaining(sentence) })
    expect(answer.error).toMatch(/^[^\n]+\.$/)
    expect(stub.logged).toEqual([])
    await stillServes()
  })
})

it('is described for every route that takes a body', () => {
  const { paths } = describeApi(routes, readConfig({})) as {
    paths: Record<string, { post: { requestBody: { description: string }; responses: object } }>
  }
  for (const { post } of Object.values(paths)) {
    expect(post.requestBody.description).toContain('content-encoding: gzip or deflate')
    expect(post.responses).toHaveProperty('400.description', expect.stringMatching(/_ENCODING/))
  }
})

describe('the limit of a compressed body', () => {
  /** Text that is the whole limit long as JSON. */
  const atLimit = (more = 0) => 'x'.repeat(MIB - json('').length + more)

  it('is that of the bytes it unpacks to', async () => {
    for (const level of [0, 9]) {
      const fits = await send('/whole', gzipSync(json(atLimit()), { level }))
      expect(fits).toMatchObject({ status: 200, data: { length: atLimit().length } })
      expect(await send('/whole', gzipSync(json(atLimit(1)), { level }))).toMatchObject({
        status: 413,
        code: 'BODY_TOO_LARGE',
        error: `The body unpacks to more than ${MIB} bytes, the setting BODY_BYTES_MAX.`,
      })
    }
    await stillServes()
  })

  it('stops a bomb before it takes memory, and the connection goes on to serve', async () => {
    const bomb = gzipSync(Buffer.alloc(512 * MIB))
    const raw = await connectRaw(stub.server.port)
    const { rss } = process.memoryUsage()
    raw.socket.write(head('/whole', `content-length: ${bomb.length}`))
    raw.socket.write(bomb)
    await waitUntil(() => raw.received().includes('BODY_TOO_LARGE'), WIRE_MS)
    expect(process.memoryUsage().rss - rss).toBeLessThan(64 * MIB)
    const again = gzipSync(json('again'))
    raw.socket.write(head('/whole', `content-length: ${again.length}`))
    raw.socket.write(again)
    await waitUntil(() => raw.received().includes('"length":5'), WIRE_MS)
    raw.socket.destroy()
    await stillServes()
  })

  it('refuses what is announced longer before it is sent', async () => {
    const raw = await connectRaw(stub.server.port)
    raw.socket.write(head('/whole', `content-length: ${2 * MIB}`))
    await waitUntil(() => raw.received().includes('BODY_TOO_LARGE'), WIRE_MS)
    raw.socket.write(Buffer.alloc(2 * MIB))
    raw.socket.write('GET /api/nothing HTTP/1.1\r\nhost: a\r\n\r\n')
    await waitUntil(() => raw.received().includes('ROUTE_NOT_FOUND'), WIRE_MS)
    raw.socket.destroy()
  })

  it('cuts off a chunked one, as its end is unknown', async () => {
    const raw = await connectRaw(stub.server.port)
    raw.socket.write(head('/whole', 'transfer-encoding: chunked'))
    const bomb = gzipSync(Buffer.alloc(64 * MIB))
    raw.socket.write(`${bomb.length.toString(16)}\r\n`)
    raw.socket.write(bomb)
    raw.socket.write('\r\n')
    await waitUntil(() => raw.closed(), WIRE_MS)
    expect(raw.received()).toContain('BODY_TOO_LARGE')
    await stillServes()
  })

  it('counts unpacked bytes among those of all requests under way', async () => {
    await start({ BODIES_BYTES_MAX: `${MIB}` })
    const text = 'x'.repeat(700_000)
    const waiting = send('/whole', gzipSync(JSON.stringify({ text, wait: true })))
    await waitUntil(() => open.length === 1, WIRE_MS)
    expect(await send('/whole', gzipSync(json(text)))).toMatchObject({
      status: 503,
      code: 'OVERLOADED',
    })
    open.shift()?.()
    expect((await waiting).status).toBe(200)
    expect((await send('/whole', gzipSync(json(text)))).status).toBe(200)
  })
})

describe('a client with a compressed body', () => {
  const packed = gzipSync(json(randomBytes(100_000).toString('hex')))

  it.each(['/whole', '/lines'])(
    'that leaves in the middle of it changes nothing: %s',
    async (to) => {
      const raw = await connectRaw(stub.server.port)
      const lines = to === '/lines' ? ['content-type: application/x-ndjson'] : []
      raw.socket.write(head(to, `content-length: ${packed.length}`, ...lines))
      raw.socket.write(packed.subarray(0, 70_000))
      await waitUntil(() => stub.server.active() === 1, WIRE_MS)
      await waitUntil(() => to === '/whole' || streamed.length > 0, WIRE_MS)
      raw.socket.destroy()
      await waitUntil(() => stub.server.active() === 0, WIRE_MS)
      expect(String(await stub.app.metrics.page())).toContain(
        `svc_api_requests_total{method="POST",endpoint="${to}",status="499"} 1`,
      )
      expect(stub.logged).toEqual([])
      await stillServes()
    },
  )

  it('that stops sending is told when its time is over', async () => {
    await start({ REQUEST_TIMEOUT_MS: '100' })
    const raw = await connectRaw(stub.server.port)
    raw.socket.write(head('/whole', `content-length: ${packed.length}`))
    raw.socket.write(packed.subarray(0, 70_000))
    await waitUntil(() => raw.received().includes('TIMED_OUT'), WIRE_MS)
    await waitUntil(() => stub.server.active() === 0, WIRE_MS)
    raw.socket.destroy()
  })
})

describe('a compressed stream', () => {
  /** Text that compresses to about a half, as hexadecimal digits do. */
  const dense = (bytes: number): Buffer => Buffer.from(randomBytes(bytes >> 1).toString('hex'))
  const flushed = (gzip: Gzip): Promise<void> =>
    new Promise((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, () => resolve()))

  it('is worked off while it arrives', async () => {
    const raw = await connectRaw(stub.server.port)
    const type = 'content-type: application/x-ndjson'
    raw.socket.write(head('/lines', type, 'transfer-encoding: chunked'))
    const gzip = createGzip()
    gzip.on('data', (chunk: Buffer) => {
      raw.socket.write(`${chunk.length.toString(16)}\r\n`)
      raw.socket.write(chunk)
      raw.socket.write('\r\n')
    })
    gzip.write('abc')
    await flushed(gzip)
    await waitUntil(() => streamed.length === 1, WIRE_MS)
    gzip.end('def')
    gzip.on('end', () => raw.socket.write('0\r\n\r\n'))
    await waitUntil(() => raw.received().includes('"bytes":6'), WIRE_MS)
    raw.socket.destroy()
  })

  it('may be larger than any limit on a whole body, and comes as it was', async () => {
    const text = dense(8 * MIB)
    const { data } = await send('/lines', gzipSync(text, { level: 1 }), GZIPPED_LINES)
    expect(data).toEqual({ bytes: text.length, hash: hashOf(text) })
  })

  it('is handed over whole and checked when it is JSON', async () => {
    expect((await send('/lines', gzipSync('{"n":4}'))).data).toEqual({ n: 4 })
    expect((await send('/lines', gzipSync('{"n":"4"}'))).status).toBe(400)
    expect((await send('/lines', gzipSync(Buffer.alloc(2 * MIB)))).status).toBe(413)
  })

  it('that unpacks to a hundred times what was sent ends over the limit of a whole body', async () => {
    const small = await send('/lines', gzipSync(Buffer.alloc(MIB)), GZIPPED_LINES)
    expect(small.data?.bytes).toBe(MIB)
    const bomb = await send('/lines', gzipSync(Buffer.alloc(256 * MIB)), GZIPPED_LINES)
    expect(bomb).toMatchObject({
      status: 413,
      code: 'BODY_TOO_LARGE',
      error: expect.stringMatching(/^The body unpacks to over 100 times .* have been stored\.$/),
    })
    const taken = streamed.reduce((sum, bytes) => sum + bytes, 0) - MIB
    expect(taken).toBeLessThanOrEqual(MIB)
    await stillServes()
  })

  it.each([
    [80, 200],
    [125, 413],
  ])('that unpacks to %i times what was sent is answered %i', async (times, status) => {
    // Noise stays as long as it is; of the zeros next to nothing is left.
    const text = Buffer.concat([randomBytes(40_000), Buffer.alloc(times * 45_000)])
    const sent = gzipSync(text)
    expect(Math.abs(text.length / sent.length - times)).toBeLessThan(10)
    expect((await send('/lines', sent, GZIPPED_LINES)).status).toBe(status)
  })

  it('that is broken says that its beginning may be stored', async () => {
    const whole = gzipSync(dense(MIB))
    const cut = await send('/lines', whole.subarray(0, whole.length >> 1), GZIPPED_LINES)
    expect(cut).toMatchObject({
      status: 400,
      code: 'BODY_INCOMPLETE',
      error:
        'The body ends in the middle of its gzip data: send it whole. Documents of its beginning may have been stored.',
    })
    expect(streamed.length).toBeGreaterThan(1)
    const damaged = Buffer.from(whole)
    damaged.writeUInt8(damaged.readUInt8(damaged.length - 6) ^ 1, damaged.length - 6)
    expect(await send('/lines', damaged, GZIPPED_LINES)).toMatchObject({
      status: 400,
      code: 'MALFORMED_ENCODING',
      error: expect.stringMatching(/may have been stored\.$/),
    })
    await stillServes()
  })

  it('may be given up by the handler: the answer comes and the server still serves', async () => {
    const body = gzipSync(Buffer.concat([Buffer.from('stop'), dense(4 * MIB)]), { level: 1 })
    expect(await send('/lines', body, GZIPPED_LINES)).toMatchObject({ error: 'Told to stop.' })
    await stillServes()
  })

  it('is read no faster than it is taken', async () => {
    const packed = gzipSync(dense(16 * MIB), { level: 1 })
    let taken = 0
    async function* chunks(): AsyncGenerator<Uint8Array> {
      while (taken < packed.length) {
        const chunk = packed.subarray(taken, taken + 65_536)
        taken += chunk.length
        yield chunk
      }
    }
    const limit = { bytesMax: MIB, setting: 'X' }
    const progress = () => undefined
    const body = { chunks: chunks(), drop: progress }
    const decoded = decodedStream(body, { coding: 'gzip', limit, progress })
    const pieces = decoded.chunks[Symbol.asyncIterator]()
    expect((await pieces.next()).value?.length).toBeGreaterThan(0)
    await waitUntil(() => taken > 0, WIRE_MS)
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
    expect(taken).toBeLessThan(MIB / 2)
    decoded.drop()
    const rest = (async () => {
      while ((await pieces.next()).done !== true);
    })()
    await expect(rest).rejects.toBeInstanceOf(ServiceError)
    expect(taken).toBeLessThan(MIB)
  })
})

describe('a repeated key', () => {
  it('tells bodies apart by what they unpack to', async () => {
    const asked: string[] = []
    await stub.close()
    stub = await startStub(
      routes,
      {},
      {
        run: async (_key, _name, body, produce) => {
          const answer = await produce(() => undefined)
          asked.push(typeof body === 'string' ? body : (body.hashed() ?? 'unread'))
          return { ...answer, replayed: false }
        },
      },
    )
    const key = { 'idempotency-key': 'k' }
    for (const path of ['/whole', '/lines']) {
      const type = path === '/lines' ? { 'content-type': 'application/x-ndjson' } : {}
      const headers = { ...key, ...type }
      await send(path, json('a'), headers)
      await send(path, gzipSync(json('a')), { ...headers, 'content-encoding': 'gzip' })
      await send(path, deflateSync(json('a')), { ...headers, 'content-encoding': 'deflate' })
      await send(path, gzipSync(json('b')), { ...headers, 'content-encoding': 'gzip' })
    }
    for (const [plain, gzip, deflate, other] of [asked.slice(0, 4), asked.slice(4)]) {
      expect(plain).toMatch(/^[0-9a-f]{64}$/)
      expect([gzip, deflate]).toEqual([plain, plain])
      expect(other).not.toBe(plain)
    }
  })

  it('with a body that is not read leaves nothing behind', async () => {
    await stub.close()
    const refuse = async () => {
      // Time in which a short body is unpacked to its end.
      await new Promise((resolve) => setTimeout(resolve, 30))
      throw serviceError('IDEMPOTENCY_CONFLICT', 'No.')
    }
    stub = await startStub(routes, {}, { run: refuse })
    const headers = { ...GZIPPED_LINES, 'idempotency-key': 'k' }
    for (const body of [gzipSync('a'), gzipSync(dense), gzipSync(dense).subarray(0, 90_000), dense])
      expect((await send('/lines', body, headers)).status).toBe(409)
    await stillServes()
  })
  const dense = randomBytes(200_000)

  it('is not run with what is left of a body that waited for it too long', async () => {
    await stub.close()
    let late: Promise<unknown> | undefined
    const env = { REQUEST_TIMEOUT_MS: '100' }
    const run: AnswerOnce = (_key, _route, _body, produce) => {
      const answer = new Promise<void>((resolve) => open.push(resolve)).then(() =>
        produce(() => undefined),
      )
      late = answer.catch((cause: unknown) => cause)
      return answer.then((made) => ({ ...made, replayed: false }))
    }
    stub = await startStub(routes, env, { run })
    const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'k' }
    expect((await send('/lines', Buffer.from('a'), headers)).status).toBe(503)
    for (const go of open.splice(0)) go()
    expect(await late).toMatchObject({ code: 'BODY_INCOMPLETE' })
  })
})
