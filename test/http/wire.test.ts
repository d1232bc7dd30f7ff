import fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { route } from '../../src/http/route.ts'
import { type RunningApp, startApp } from '../running-app.ts'
import { connectRaw, type Stub, startStub, until } from './stub.ts'

const Any = Type.Object({}, { additionalProperties: true })

/** Requests whose meaning two servers in a row could take differently, and others that are no HTTP at all. */
const HOSTILE: [string, string][] = [
  [
    'two lengths',
    'POST /api/echo HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ncontent-length: 9\r\n\r\n{}',
  ],
  [
    'length and chunks',
    'POST /api/echo HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}0\r\n\r\n',
  ],
  ['a negative length', 'POST /api/echo HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n{}'],
  [
    'a length that is no number',
    'POST /api/echo HTTP/1.1\r\nhost: a\r\ncontent-length: 0x2\r\n\r\n{}',
  ],
  [
    'a huge length',
    `POST /api/echo HTTP/1.1\r\nhost: a\r\ncontent-length: ${'9'.repeat(40)}\r\n\r\n{}`,
  ],
  [
    'a chunk size that is no number',
    'POST /api/echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
  ],
  [
    'a huge chunk size',
    `POST /api/echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${'f'.repeat(30)}\r\n{}`,
  ],
  [
    'an unknown transfer coding',
    'POST /api/echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  ],
  [
    'a space before the colon',
    'POST /api/echo HTTP/1.1\r\nhost: a\r\ncontent-length : 2\r\n\r\n{}',
  ],
  ['a folded header', 'GET /api/echo HTTP/1.1\r\nhost: a\r\nx-a: b\r\n c\r\n\r\n'],
  ['bare line feeds', 'GET /api/echo HTTP/1.1\nhost: a\n\n'],
  ['no host', 'GET /api/echo HTTP/1.1\r\n\r\n'],
  ['an old version', 'GET /api/echo HTTP/0.9\r\n\r\n'],
  ['no HTTP at all', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
  ['a NUL in a header', 'GET /api/echo HTTP/1.1\r\nhost: a\r\nx-a: b\u0000c\r\n\r\n'],
  ['a path of many kilobytes', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`],
  ['dots in the path', 'GET /api/../../etc/passwd HTTP/1.1\r\nhost: a\r\n\r\n'],
]

describe('bytes that no client would send', () => {
  let stub: Stub
  beforeAll(async () => {
    stub = await startStub([
      route({
        method: 'POST',
        path: '/echo',
        summary: '',
        tag: 'operations',
        body: Any,
        reply: Any,
        handle: ({ body }) => body,
      }),
    ])
  })
  afterAll(() => stub.close())

  async function stillServes(): Promise<void> {
    const response = await fetch(`${stub.url}/echo`, {
      method: 'POST',
      body: Buffer.from('{"a":1}'),
    })
    expect(await response.json()).toMatchObject({ data: { a: 1 } })
    await until(() => stub.server.active() === 0)
  }

  it.each(HOSTILE)('%s: is never taken for a second request', async (_name, bytes) => {
    const raw = await connectRaw(stub.server.port)
    raw.socket.write(Buffer.from(bytes, 'latin1'))
    raw.socket.end()
    await until(() => raw.closed())
    const answers = raw.received().match(/^HTTP\/1\.1 (\d+)/gm) ?? []
    expect(answers.length).toBeLessThanOrEqual(1)
    expect(raw.received()).not.toContain('root:')
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
        await until(() => raw.closed())
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

describe('overload', () => {
  let running: RunningApp
  beforeAll(async () => {
    running = await startApp({ SEARCH_QUEUE_MAX: '1' })
    for (let n = 0; n < 20; n += 1)
      await running.call('POST', '/cortex/documents', {
        index: 'busy',
        document: { title: `a ${n}` },
      })
  }, 120_000)
  afterAll(() => running.close())

  it('is told with 503 and when to come back, and passes', async () => {
    const search = () =>
      fetch(`${running.url}/cortex/search`, { method: 'POST', body: Buffer.from('{"query":"a"}') })
    const answers = await Promise.all(Array.from({ length: 100 }, search))
    const refused = answers.filter(({ status }) => status === 503)
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true)
    expect(refused.length).toBeGreaterThan(0)
    expect(answers.length - refused.length).toBeGreaterThan(0)
    for (const response of refused) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await response.json()).toMatchObject({ success: false, code: 'OVERLOADED' })
    }
    expect((await search()).status).toBe(200)
  })
})
