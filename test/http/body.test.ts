import { expect, it, onTestFinished, vi } from 'vitest'
import { readBody, streamBody } from '../../src/http/body.ts'
import type { Exchange } from '../../src/http/exchange.ts'

/** A client whose body arrives when `send` is called. */
function connect() {
  let take: (chunk: Uint8Array, last: boolean) => void = () => {}
  let leave: () => void = () => {}
  const calls = { pause: vi.fn(), resume: vi.fn() }
  const exchange = {
    ...calls,
    header: () => undefined,
    onBody: (taker: typeof take) => {
      take = taker
    },
    onLeave: (left: () => void) => {
      leave = left
    },
  } as unknown as Exchange
  const send = (bytes: number, last = false) => take(new Uint8Array(bytes), last)
  return { ...calls, exchange, send, leave: () => leave() }
}

function client() {
  const connected = connect()
  const body = streamBody(connected.exchange, () => {})
  return { ...connected, chunks: body.chunks[Symbol.asyncIterator](), drop: body.drop }
}

it('a client that is made to wait is told so again in time, until it may send or is gone', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { pause, resume, send, leave, chunks } = client()
  send(2 << 20)
  expect(pause).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(9000)
  expect(pause).toHaveBeenCalledTimes(3)
  await chunks.next()
  expect(resume).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(9000)
  expect(pause).toHaveBeenCalledTimes(3)
  send(2 << 20)
  leave()
  vi.advanceTimersByTime(9000)
  expect(pause).toHaveBeenCalledTimes(4)
})

it('one that was made to wait, and has sent all, is kept until its answer goes out', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { pause, resume, send, chunks, drop } = client()
  send(2 << 20)
  await chunks.next()
  vi.advanceTimersByTime(9000)
  expect(resume).toHaveBeenCalledTimes(1)
  send(10, true)
  await chunks.next()
  vi.advanceTimersByTime(9000)
  expect(resume.mock.calls.length).toBeGreaterThan(2)
  const { length } = resume.mock.calls
  drop()
  vi.advanceTimersByTime(9000)
  expect(resume).toHaveBeenCalledTimes(length)
  expect(pause).toHaveBeenCalledTimes(1)
})

it.each([
  ['is read', [60, 40], 100],
  ['and a byte more is refused', [60, 41], undefined],
  ['and more behind it, too', [60, 40, 1], undefined],
])('a body of unknown length, as long as its limit: %s', async (_what, chunks, read) => {
  const { exchange, send } = connect()
  const body = readBody(exchange, {
    limit: { bytesMax: 100, setting: 'BODY_BYTES_MAX' },
    hold: () => undefined,
    read: (all) => all.reduce((sum, { length }) => sum + length, 0),
    dropBy: () => {},
  })
  const told = body.catch((cause: { code: string }) => cause.code)
  chunks.forEach((bytes, at) => void send(bytes, at === chunks.length - 1))
  expect(await told).toBe(read ?? 'BODY_TOO_LARGE')
})

it('a body that comes a byte at a time is kept in few pieces', async () => {
  const { exchange, send } = connect()
  const pieces = readBody(exchange, {
    limit: { bytesMax: 1 << 20, setting: 'BODY_BYTES_MAX' },
    hold: () => undefined,
    read: (all) => all.map(({ length }) => length),
    dropBy: () => {},
  })
  for (let at = 0; at < 1000; at += 1) send(1)
  send(1, true)
  expect(await pieces).toEqual([1000, 1])
})

it('so is one that is worked off while it arrives, as long as nobody takes it', async () => {
  const { chunks, send } = client()
  for (let at = 0; at < 1000; at += 1) send(1)
  expect((await chunks.next()).value).toHaveLength(1000)
  send(1, true)
  expect((await chunks.next()).value).toHaveLength(1)
  expect((await chunks.next()).done).toBe(true)
})
