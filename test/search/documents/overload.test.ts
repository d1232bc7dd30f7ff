import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { serviceError } from '../../../src/errors.ts'
import { WIRE_MS } from '../../http/stub.ts'
import { type RunningApp, startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

const QUEUE_MAX = 1500
const LINES = 5000

let service: RunningApp
beforeAll(async () => {
  service = await startApp({ WRITE_QUEUE_MAX: `${QUEUE_MAX}` })
})
afterAll(() => service.close())

interface Bulk {
  items: { status: number; code?: string }[]
  succeeded: number
  failed: number
}

function load(index: string, count = LINES) {
  const body = Array.from({ length: count }, (_, at) => `{"id":"${at}","title":"Willow"}\n`)
  const path = `/cortex/documents/bulk?index=${index}`
  const headers = { 'content-type': 'application/x-ndjson' }
  return service.call<Bulk>('POST', path, body.join(''), headers)
}

async function stored(index: string): Promise<number> {
  if (service.app.indices.find(index) === undefined) return 0
  const search = { index, query: '', size: 0 }
  return (await service.must<{ total: number }>('POST', '/cortex/search', search)).total
}

it('lines wait for those before them, where more of them come than may wait to be written', async () => {
  // On a busy machine a thousand lines may take longer to be written than others wait: for them ten seconds are one.
  const { now } = performance
  const startedMs = now.call(performance)
  const clock = vi.spyOn(performance, 'now')
  clock.mockImplementation(() => startedMs + (now.call(performance) - startedMs) / 10)
  const { status, data } = await load('alone').finally(() => clock.mockRestore())
  expect({ status, ...data, items: data?.items.length }).toEqual({
    ...{ status: 200, items: LINES, succeeded: LINES, failed: 0 },
  })
  expect(await stored('alone')).toBe(LINES)
})

it('of requests that are refused for too many waiting nothing is written, of the one before them all', async () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  for (const name of names) await service.must('PUT', `/cortex/indices/${name}`, {})
  const { store } = service.app
  const { write } = store
  let refused = 0
  // Nothing is written until all others were refused: the lines of one request stay in their way.
  store.write = async (...sent) => {
    await waitUntil(() => refused === names.length - 1, WIRE_MS)
    return write(...sent)
  }
  const answers = await Promise.all(
    names.map(async (name) => {
      const answer = await load(name)
      if (answer.status !== 200) refused += 1
      return answer
    }),
  )
  store.write = write
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const [at, { status, code, error, data }] of answers.entries()) {
    if (status !== 200)
      expect({ status, code, error }).toEqual({
        ...{ status: 503, code: 'OVERLOADED' },
        error: expect.stringContaining('WRITE_QUEUE_MAX'),
      })
    expect(await stored(names[at] ?? '')).toBe(status === 200 ? data.succeeded : 0)
  }
})

it('lines that find no room behind others, which are written, are told so one by one', async () => {
  const { writer } = service.app
  const { write } = writer
  let writes = 0
  writer.write = async (...sent) => {
    if (++writes > 1) throw serviceError('OVERLOADED', 'Too many are waiting.')
    return write(...sent)
  }
  const { status, data } = await load('behind', 2500)
  writer.write = write
  expect({ status, succeeded: data.succeeded, failed: data.failed }).toEqual({
    ...{ status: 200, succeeded: 1000, failed: 1500 },
  })
  expect(data.items.slice(0, 1000).every((item) => item.status === 200)).toBe(true)
  for (const item of data.items.slice(1000))
    expect(item).toMatchObject({ status: 503, code: 'OVERLOADED' })
  expect(await stored('behind')).toBe(1000)
})

it('when the first lines are refused with the whole request, those behind them are not written', async () => {
  const { writer } = service.app
  const { write } = writer
  let writes = 0
  writer.write = (...sent) => {
    if (++writes === 1) throw serviceError('STORE_UNAVAILABLE', 'The disk is away.')
    return write(...sent)
  }
  const { status, code } = await load('failed', 3000)
  writer.write = write
  expect({ status, code }).toEqual({ status: 503, code: 'STORE_UNAVAILABLE' })
  expect(await stored('failed')).toBe(0)
})

it('when the first lines fail while those behind them are written, each is told of', async () => {
  const { writer } = service.app
  const { write } = writer
  let writes = 0
  writer.write = async (...sent) => {
    const isFirst = ++writes === 1
    if (!isFirst) return write(...sent)
    await waitUntil(() => writes > 1, WIRE_MS)
    throw serviceError('DISK_FULL', 'The disk is full.')
  }
  const { status, data } = await load('beside', 2000)
  writer.write = write
  expect({ status, succeeded: data.succeeded, failed: data.failed }).toEqual({
    ...{ status: 200, succeeded: 1000, failed: 1000 },
  })
  expect(data.items[0]).toMatchObject({ status: 507, code: 'DISK_FULL' })
  expect(await stored('beside')).toBe(1000)
})
