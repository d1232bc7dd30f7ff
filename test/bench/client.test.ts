import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { runLoad } from '../../bench/client.ts'
import { jsonShot } from '../../bench/request.ts'
import { listen } from '../listen.ts'

const servers: Server[] = []
const sockets: Socket[] = []

afterEach(() => {
  vi.restoreAllMocks()
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

/** A server that answers each request through `answer`, whatever it asked. */
async function serve(answer: (socket: Socket, number: number) => void): Promise<number> {
  let number = 0
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('data', () => answer(socket, number++))
    socket.on('error', () => socket.destroy())
  })
  servers.push(server)
  return listen(server)
}

const ok = (body: string) =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

function plan(port: number, count: number) {
  let left = count
  const shot = jsonShot('POST', '/api/echo', { a: 1 }, 'echo')
  const next = () => (left-- > 0 ? shot : undefined)
  return {
    port,
    host: '127.0.0.1',
    connections: 2,
    next,
    warmupMs: 0,
    measureMs: 20_000,
    checkEvery: 1,
  }
}

it('counts every answer once, whole or in pieces, sized or chunked', async () => {
  const big = JSON.stringify({ text: 'x'.repeat(300_000) })
  const port = await serve((socket, number) => {
    if (number % 3 === 0) socket.write(ok('{"a":1}'))
    else if (number % 3 === 1) socket.write(ok(big))
    else {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: ')
      setImmediate(() => socket.write('chunked\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n'))
    }
  })
  const report = await runLoad({
    ...plan(port, 90),
    check: (body) => (typeof body === 'object' ? undefined : 'not an object'),
  })
  expect(report.failures).toEqual({})
  expect(report.requests).toBe(90)
  expect(report.checked).toBe(90)
  expect(report.kinds[0]?.kind).toBe('echo')
  expect(report.kinds[0]?.p99Ms).toBeGreaterThanOrEqual(report.kinds[0]?.p50Ms ?? Number.NaN)
})

it('reports other statuses and wrong bodies', async () => {
  const port = await serve((socket, number) =>
    socket.write(
      number % 2 === 0 ? ok('{"hits":0}') : 'HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\n{}',
    ),
  )
  const report = await runLoad({
    ...plan(port, 20),
    check: (body) => ((body as { hits?: number }).hits === 0 ? 'no hits' : undefined),
  })
  expect(report.failures).toEqual({ 'echo: status 503': 10, 'echo: no hits': 10 })
})

it('connects again after the server broke a connection', async () => {
  const port = await serve((socket, number) =>
    number === 3 ? socket.destroy() : socket.write(ok('{}')),
  )
  const report = await runLoad(plan(port, 12))
  expect(report.failures).toEqual({ 'the server closed the connection': 1 })
  expect(report.requests).toBe(11)
})

it('keeps to a rate in the open loop and counts waiting as latency', async () => {
  const port = await serve((socket) => setTimeout(() => socket.write(ok('{}')), 20))
  const report = await runLoad({
    ...plan(port, 1_000_000),
    connections: 1,
    measureMs: 500,
    ratePerSecond: 100,
  })
  expect(report.requests).toBeLessThanOrEqual(26)
  expect(report.kinds[0]?.maxMs).toBeGreaterThan(150)
})

it('does nothing between two requests of a rate: what is measured beside it has the processor', async () => {
  const port = await serve((socket) => socket.write(ok('{}')))
  const timers = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'setInterval')]
  const report = await runLoad({
    ...plan(port, 1_000_000),
    measureMs: 1000,
    ratePerSecond: 10,
  })
  expect(report.requests).toBe(10)
  // One for each request, and one more where it was a little early.
  const [once, often] = timers.map((timer) => timer.mock.calls.length)
  expect(once).toBeLessThanOrEqual(30)
  expect(often).toBe(0)
})
