import { Type } from 'typebox'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { route } from '../../src/http/route.ts'
import { waitUntil } from '../wait-until.ts'
import { connectRaw, type Stub, startStub, WIRE_MS } from './stub.ts'

const MIB = 1 << 20
/** More than the system takes in for a client that reads nothing. */
const LONG = 24 * MIB

const sized = (path: string, bytes: number) =>
  route({
    method: 'GET',
    path,
    summary: '',
    tag: 'operations',
    reply: Type.Object({}, { additionalProperties: true }),
    handle: () => ({ text: 'x'.repeat(bytes) }),
  })

let stub: Stub
beforeAll(async () => {
  const env = { ANSWERS_BYTES_MAX: `${LONG}`, LOG_LEVEL: 'silent' }
  stub = await startStub([sized('/long', LONG), sized('/short', 1000)], env)
})
afterAll(() => stub.close())

async function ask(path: string) {
  const raw = await connectRaw(stub.server.port)
  raw.socket.write(`GET /api${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
  return raw
}

/** The status of an answer, and that it is refused with words that help. */
async function statusOf(path: string): Promise<number> {
  const { socket, received } = await ask(path)
  await waitUntil(() => received().includes('\r\n\r\n'), WIRE_MS)
  const status = Number(received().slice(9, 12))
  if (status === 503) {
    await waitUntil(() => received().endsWith('}'), WIRE_MS)
    expect(received()).toMatch(/retry-after: 10\r\n/i)
    expect(received()).toContain('"code":"OVERLOADED"')
    expect(received()).toContain('ANSWERS_BYTES_MAX')
  }
  socket.destroy()
  return status
}

/** A client that has asked and reads nothing; the server has an answer for it. */
async function unread() {
  const raw = await connectRaw(stub.server.port)
  raw.socket.pause()
  raw.socket.write('GET /api/long HTTP/1.1\r\nhost: a\r\n\r\n')
  // Another one is refused as soon as this one's answer waits.
  await waitUntil(async () => (await statusOf('/long')) === 503, 50_000)
  return raw
}

it('long answers that nobody takes leave no room for others, and short ones always have some', async () => {
  const slow = await unread()
  expect(await statusOf('/short')).toBe(200)
  slow.socket.resume()
  await waitUntil(() => slow.received().length > LONG, 50_000)
  await waitUntil(async () => (await statusOf('/long')) === 200, WIRE_MS)
  slow.socket.destroy()
})

it('a client that leaves gives back what waited for it', async () => {
  const left = await unread()
  left.socket.destroy()
  await waitUntil(async () => (await statusOf('/long')) === 200, WIRE_MS)
})

it('a client that reads nothing is cut off, and gives back what waited for it', async () => {
  const stuck = await unread()
  await waitUntil(async () => (await statusOf('/long')) === 200, 50_000)
  stuck.socket.destroy()
})
