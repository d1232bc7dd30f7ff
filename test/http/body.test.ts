import { expect, it, onTestFinished, vi } from 'vitest'
import { streamBody } from '../../src/http/body.ts'
import type { Exchange } from '../../src/http/exchange.ts'

/** A client whose body arrives when `send` is called. */
function client() {
  let take: (chunk: Uint8Array, last: boolean) => void = () => {}
  let leave: () => void = () => {}
  const calls = { pause: vi.fn(), resume: vi.fn() }
  const exchange = {
    ...calls,
    onBody: (taker: typeof take) => {
      take = taker
    },
    onLeave: (left: () => void) => {
      leave = left
    },
  } as unknown as Exchange
  const body = streamBody(exchange, () => {})
  const send = (bytes: number) => take(new Uint8Array(bytes), false)
  return { ...calls, send, leave: () => leave(), chunks: body.chunks[Symbol.asyncIterator]() }
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
