import fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { route } from '../../src/http/route.ts'
import { type RunningApp, startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'
import { connectRaw, type Stub, startStub, WIRE_MS } from './stub.ts'

const Any = Type.Object({}, { additionalProperties: true })

const ECHO = route({
  method: 'POST',
  path: '/echo',
  summary: '',
  tag: 'operations',
  body: Any,
  reply: Any,
  handle: ({ body }) => body,
})

const UNREAD = route({
  method: 'POST',
  path: '/unread',
  summary: '',
  tag: 'operations',
  reply: Any,
  handle: () => ({}),
})

const SECOND = 'GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n'

/** Requests whose meaning two servers in a row could take differently, and others that are no HTTP at all. */
const HOSTILE: [string, string][] = [
  ['two lengths', `content-length: 2\r\ncontent-length: ${2 + SECOND.length}\r\n\r\n{}${SECOND}`],
  [
    'the longer first',
    `content-length: ${2 + SECOND.length}\r\ncontent-length: 2\r\n\r\n{}${SECOND}`,
  ],
  [
    'length and chunks',
    `content-length: ${12 + SECOND.length}\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n${SECOND}`,
  ],
  [
    'an unknown coding',
    `transfer-encoding: xchunked\r\ncontent-length: ${2 + SECOND.length}\r\n\r\n{}${SECOND}`,
  ],
  ...['xchunked', 'gzip', 'chunked, gzip', 'chunked\r\ntransfer-encoding: identity'].map(
    (coding) => [
      `chunks that are called ${JSON.stringify(coding)}`,
      `transfer-encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n${SECOND}`,
    ],
  ),
  ['a space before the colon', `content-length : ${2 + SECOND.length}\r\n\r\n{}${SECOND}`],
  ['a length that says none', `content-length: \r\n\r\n${SECOND}`],
  ['a list of lengths', `content-length: 2, 2\r\n\r\n{}${SECOND}`],
  ['a length with a sign', `content-length: +2\r\n\r\n{}${SECOND}`],
  ['a negative length', `content-length: -2\r\n\r\n{}${SECOND}`],
  ['a length in another base', `content-length: 0x2\r\n\r\n{}${SECOND}`],
  ['a huge length', `content-length: ${'9'.repeat(40)}\r\n\r\n{}${SECOND}`],
  [
    'a chunk size that is no number',
    `transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n${SECOND}`,
  ],
  ['a huge chunk size', `transfer-encoding: chunked\r\n\r\n${'f'.repeat(30)}\r\n{}${SECOND}`],
  ['a folded header', `x-a: b\r\n content-length: 2\r\n\r\n{}${SECOND}`],
].map(([name = '', rest = '']) => [name, `POST /api/echo HTTP/1.1\r\nhost: a\r\n${rest}`])

const NO_HTTP: [string, string][] = [
  ['bare line feeds', 'GET /api/echo HTTP/1.1\nhost: a\n\n'],
  ['no host', 'GET /api/echo HTTP/1.1\r\n\r\n'],
  ['an old version', 'GET /api/echo HTTP/0.9\r\n\r\n'],
  ['the beginning of TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
  ['a NUL in a header', 'GET /api/echo HTTP/1.1\r\nhost: a\r\nx-a: b\u0000c\r\n\r\n'],
  ['a path of many kilobytes', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`],
  ['dots in the path', 'GET /api/../../etc/passwd HTTP/1.1\r\nhost: a\r\n\r\n'],
]

describe('bytes that no client would send', () => {
  let stub: Stub
  beforeAll(async () => {
    stub = await startStub([ECHO])
  })
  afterAll(() => stub.close())

  async function stillServes(): Promise<void> {
    const response = await fetch(`${stub.url}/echo`, {
      method: 'POST',
      body: Buffer.from('{"a":1}'),
    })
    expect(await response.json()).toMatchObject({ data: { a: 1 } })
    await waitUntil(() => stub.server.active() === 0, WIRE_MS)
  }

  async function send(bytes: string): Promise<string> {
    const raw = await connectRaw(stub.server.port)
    raw.socket.write(Buffer.from(bytes, 'latin1'))
    // Either the server hangs up by itself, or it waits for more: then it has answered what it had.
    await stillServes()
    raw.socket.end()
    await waitUntil(() => raw.closed(), WIRE_MS)
    return raw.received()
  }

  it.each(HOSTILE)('%s: what follows is never taken for a second request', async (_name, bytes) => {
    const answer = await send(bytes)
    expect(answer).not.toContain('ROUTE_NOT_FOUND')
    expect(answer.match(/HTTP\/1\.1 \d+/g) ?? []).not.toContain('HTTP/1.1 200')
    await stillServes()
  })

  // Where the machine is held up for longer than a turn may last, the library hangs up on the second one.
  it('a plain second request is served, so that the tests above mean something', {
    retry: 5,
  }, async () => {
    const first = 'POST /api/echo HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}'
    const answer = await send(`${first}${SECOND}`)
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404'])
  })

  it.each(NO_HTTP)('%s: gets one answer at most', async (_name, bytes) => {
    const answer = await send(bytes)
    expect((answer.match(/HTTP\/1\.1 \d+/g) ?? []).length).toBeLessThanOrEqual(1)
    expect(answer).not.toContain('root:')
    await stillServes()
  })

  it('of any kind leave the server well', async () => {
    const line = fc.constantFrom('POST /api/echo HTTP/1.1', 'GET /x HTTP/1.1', 'BREW / HTTP/9')
    const header = fc.constantFrom('host: a', 'content-length: 3', 'expect: 100-continue', ': :')
    const piece = fc.oneof(line, header, fc.string({ unit: 'binary', maxLength: 40 }))
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const raw = await connectRaw(stub.server.port)
        raw.socket.write(Buffer.from(pieces.join('\r\n'), 'latin1'))
        raw.socket.end('\r\n\r\n')
        await waitUntil(() => raw.closed(), WIRE_MS)
      }),
      { numRuns: 100 },
    )
    await stillServes()
  })

  it('from hundreds of clients that say nothing do not keep others from being served', async () => {
    const silent = await Promise.all(
      Array.from({ length: 300 }, () => connectRaw(stub.server.port)),
    )
    for (const { socket } of silent)
      socket.write('POST /api/echo HTTP/1.1\r\nhost: a\r\ncontent-le')
    await stillServes()
    for (const { socket } of silent) socket.destroy()
    await stillServes()
  })
})

it('a connection is kept for as long as answers promise, and not promised where it is closed', async () => {
  const stub = await startStub([ECHO])
  try {
    const ask = 'POST /api/echo HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n'
    const kept = await connectRaw(stub.server.port)
    kept.socket.write(`${ask}\r\n{}`)
    await waitUntil(() => kept.received().endsWith('}'), WIRE_MS)
    const [, seconds] = /^keep-alive: timeout=(\d+)\r$/m.exec(kept.received()) ?? []
    await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000 - 250))
    kept.socket.write(`${ask}\r\n{}`)
    await waitUntil(() => kept.received().match(/HTTP\/1\.1 200/g)?.length === 2, WIRE_MS)
    stub.app.lifecycle.state = 'stopping'
    kept.socket.write(`${ask}\r\n{}`)
    await waitUntil(() => kept.closed(), WIRE_MS)
    expect(kept.received().match(/keep-alive/g)).toHaveLength(2)
  } finally {
    await stub.close()
  }
}, 20_000)

describe('overload', () => {
  let running: RunningApp
  beforeAll(async () => {
    running = await startApp({ SEARCH_QUEUE_MAX: '1' })
    for (let n = 0; n < 20; n += 1)
      await running.call('POST', '/cortex/documents', {
        index: 'busy',
        document: { title: `a ${n}` },
      })
  })
  afterAll(() => running.close())

  it('is told with 503 and when to come back, and passes', async () => {
    const search = () =>
      fetch(`${running.url}/cortex/search`, { method: 'POST', body: Buffer.from('{"query":"a"}') })
    const answers: Response[] = []
    const refused = () => answers.filter(({ status }) => status === 503)
    // Where the machine is held up, they may come no faster than they are answered.
    while (refused().length === 0 && answers.length < 5000)
      answers.push(...(await Promise.all(Array.from({ length: 100 }, search))))
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true)
    expect(refused().length).toBeGreaterThan(0)
    expect(answers.length - refused().length).toBeGreaterThan(0)
    for (const response of refused()) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await response.json()).toMatchObject({ success: false, code: 'OVERLOADED' })
    }
    expect((await search()).status).toBe(200)
  })
})

/** Bytes of bodies that a server keeps, as its metrics page tells. */
async function heldBytes({ metrics }: Pick<Stub['app'], 'metrics'>): Promise<number> {
  return Number(/^svc_bodies_bytes (\d+)$/m.exec(String(await metrics.page()))?.[1])
}

describe('bodies under way', () => {
  const MIB = 1 << 20
  let stub: Stub
  beforeAll(async () => {
    stub = await startStub([ECHO], { BODIES_BYTES_MAX: `${MIB}`, BODY_BYTES_MAX: `${3 * MIB}` })
  })
  afterAll(() => stub.close())

  const bodyOf = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
  const post = async (bytes: number) => {
    const response = await fetch(`${stub.url}/echo`, {
      method: 'POST',
      body: Buffer.from(bodyOf(bytes)),
    })
    const { code } = (await response.json()) as { code?: string }
    return { status: response.status, code, after: response.headers.get('retry-after') }
  }

  /** A body of 2 MiB of which the last half MiB is not sent yet, and which the server has begun to keep. */
  async function begun() {
    const raw = await connectRaw(stub.server.port)
    const body = bodyOf(2 * MIB)
    const head = `POST /api/echo HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n`
    await new Promise((resolve) => raw.socket.write(head + body.slice(0, 1.5 * MIB), resolve))
    await waitUntil(async () => (await heldBytes(stub.app)) === 1.5 * MIB, WIRE_MS)
    return { ...raw, rest: body.slice(1.5 * MIB) }
  }

  it('take no more memory together than the setting allows, and one alone is always read', async () => {
    const slow = await begun()
    expect(await post(2 * MIB)).toEqual({ status: 503, code: 'OVERLOADED', after: '1' })
    expect((await post(1000)).status).toBe(200)
    slow.socket.write(slow.rest)
    await waitUntil(() => slow.received().endsWith('}'), WIRE_MS)
    expect(slow.received()).toContain('HTTP/1.1 200')
    slow.socket.end()
    await waitUntil(() => stub.server.active() === 0, WIRE_MS)
    expect((await post(2 * MIB)).status).toBe(200)
  })

  it('that nobody ends give back what they held', async () => {
    const left = await begun()
    expect((await post(2 * MIB)).status).toBe(503)
    left.socket.destroy()
    await waitUntil(() => stub.server.active() === 0, WIRE_MS)
    expect((await post(2 * MIB)).status).toBe(200)
  })

  it.each(['', 'idempotency-key: k\r\n'])(
    'that take too long give back what they held, and their requests are over (%j)',
    async (header) => {
      const hurried = await startStub([ECHO, UNREAD], { REQUEST_TIMEOUT_MS: '300' })
      for (const path of ['echo', 'unread']) {
        const { socket, received } = await connectRaw(hurried.server.port)
        const head = `POST /api/${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 900\r\n${header}\r\n`
        socket.write(`${head}{"a":`)
        await waitUntil(() => received().startsWith('HTTP/1.1 '), WIRE_MS)
        await waitUntil(() => hurried.server.active() === 0, WIRE_MS)
        expect(await heldBytes(hurried.app)).toBe(0)
        socket.destroy()
      }
      await hurried.close()
    },
  )
})

describe('lines of NDJSON that are not whole yet', () => {
  const MIB = 1 << 20
  let running: RunningApp
  beforeAll(async () => {
    running = await startApp({ BODIES_BYTES_MAX: `${MIB}` })
  })
  afterAll(() => running.close())

  const lineOf = (id: string, bytes: number) =>
    `{"id":"${id}","title":"x","filler":"${'x'.repeat(bytes)}"}\n`
  const post = async (id: string, bytes: number) => {
    const response = await fetch(`${running.url}/cortex/documents/bulk?index=lines`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: Buffer.from(lineOf(id, bytes)),
    })
    return response.status
  }

  it('share the memory of all bodies under way, and give it back', async () => {
    const raw = await connectRaw(Number(new URL(running.url).port))
    const body = lineOf('slow', 2 * MIB)
    const head =
      'POST /api/cortex/documents/bulk?index=lines HTTP/1.1\r\nhost: a\r\n' +
      `content-type: application/x-ndjson\r\ncontent-length: ${body.length + 2}\r\n\r\n`
    await new Promise((resolve) => raw.socket.write(head + body.slice(0, 1.5 * MIB), resolve))
    await waitUntil(async () => (await heldBytes(running.app)) === 1.5 * MIB, WIRE_MS)
    expect(await post('refused', 2 * MIB)).toBe(503)
    expect(await post('small', 1000)).toBe(200)
    // The line is whole, and the body is not over.
    raw.socket.write(body.slice(1.5 * MIB))
    await waitUntil(async () => (await post('after', 2 * MIB)) === 200, WIRE_MS)
    raw.socket.write('\n\n')
    await waitUntil(() => raw.received().includes('"succeeded":1'), WIRE_MS)
    raw.socket.end()
  })
})
