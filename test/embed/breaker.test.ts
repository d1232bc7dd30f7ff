import { expect, it } from 'vitest'
import { openBreaker } from '../../src/embed/breaker.ts'
import { endpointError } from '../../src/embed/retry.ts'

function start() {
  const clock = { nowMs: 1000 }
  const through = openBreaker(() => clock.nowMs)
  let calls = 0
  const ask = (error?: unknown, signal?: AbortSignal) =>
    through(async () => {
      calls += 1
      if (error !== undefined) throw error
    }, signal).then(
      () => 'well',
      (cause: { code?: string }) => cause.code ?? 'failed',
    )
  const failTimes = async (times: number) => {
    for (let n = 0; n < times; n += 1) expect(await ask(lost())).toBe('failed')
  }
  return { clock, through, ask, failTimes, calls: () => calls }
}

const lost = () => new Error('read ECONNRESET')
const LEFT_ALONE = 'EMBEDDER_UNAVAILABLE'

it('calls go through until five in a row have failed, and then for a second none', async () => {
  const { clock, ask, failTimes, calls } = start()
  await failTimes(4)
  expect(await ask()).toBe('well')
  await failTimes(5)
  const before = calls()
  clock.nowMs += 999
  expect(await ask()).toBe(LEFT_ALONE)
  expect(calls()).toBe(before)
  clock.nowMs += 1
  expect(await ask()).toBe('well')
  await failTimes(4)
})

it('who is refused is told when to come again, and the log what failed last', async () => {
  const { failTimes, through } = start()
  await failTimes(5)
  const refused = await through(async () => undefined).catch((error: unknown) => error)
  expect(refused).toMatchObject({
    ...{ code: LEFT_ALONE, status: 503, retryAfterS: 1 },
    cause: { message: 'read ECONNRESET' },
  })
})

it('one call at a time tries whether it is back; each time in vain doubles the rest, up to half a minute', async () => {
  const { clock, ask, failTimes, through } = start()
  await failTimes(5)
  for (const restMs of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    clock.nowMs += restMs - 1
    expect(await ask()).toBe(LEFT_ALONE)
    clock.nowMs += 1
    let fail = (_: Error) => {}
    const held = new Promise<void>((_, reject) => {
      fail = reject
    })
    const first = through(() => held).catch(() => 'failed')
    expect(await ask()).toBe(LEFT_ALONE)
    fail(lost())
    expect(await first).toBe('failed')
  }
  clock.nowMs += 30_000
  expect(await ask()).toBe('well')
  expect(await ask()).toBe('well')
})

it('a wait that the endpoint asks for is kept, five minutes at most', async () => {
  const { clock, ask } = start()
  expect(await ask(endpointError(503, '60'))).toBe('failed')
  clock.nowMs += 59_999
  expect(await ask()).toBe(LEFT_ALONE)
  clock.nowMs += 1
  expect(await ask(endpointError(429, '86400'))).toBe('failed')
  clock.nowMs += 299_999
  expect(await ask()).toBe(LEFT_ALONE)
  clock.nowMs += 1
  expect(await ask()).toBe('well')
})

it('what is refused for itself, and what the caller gives up, says nothing against the endpoint', async () => {
  const { ask, failTimes } = start()
  for (let n = 0; n < 9; n += 1) expect(await ask(endpointError(400, undefined))).toBe('failed')
  await failTimes(4)
  expect(await ask(endpointError(401, undefined))).toBe('failed')
  await failTimes(4)
  for (let n = 0; n < 9; n += 1) expect(await ask(lost(), AbortSignal.abort())).toBe('failed')
  expect(await ask()).toBe('well')
})
