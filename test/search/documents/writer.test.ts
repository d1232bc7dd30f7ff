import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { openWriter } from '../../../src/search/documents/writer.ts'
import { type RunningApp, startApp } from '../../running-app.ts'
import { temporaryStore } from '../../store/open.ts'

const BYTES_MAX = 4 << 20

/** A service whose store has reached its size; documents `d0`, `d1`, … are there. */
async function filled(): Promise<RunningApp> {
  const service = await startApp({ STORE_BYTES_MAX: String(BYTES_MAX) })
  onTestFinished(() => service.close())
  for (let sent = 0; sent < 1000; sent++) {
    const document = { title: `number ${sent}`, ballast: 'x'.repeat(100_000) }
    const { status } = await service.call('PUT', `/cortex/documents/d${sent}?index=i`, document)
    if (status === 507) return service
  }
  throw new Error('The store took more than its size.')
}

it('deletes go on when the store has reached its size, alone and among writes that are refused', async () => {
  const service = await filled()
  const remove = (id: string) => service.call('DELETE', `/cortex/documents/${id}?index=i`)
  const put = () => service.call('PUT', '/cortex/documents/new?index=i', { title: 'new' })
  const bulk = (documents: object[]) =>
    service.call('POST', '/cortex/documents/bulk', { index: 'i', documents })
  expect((await remove('d0')).data).toMatchObject({ id: 'd0', result: 'deleted' })
  const together = await Promise.all([put(), remove('d1'), put(), remove('d2'), remove('unknown')])
  expect(together.map(({ status }) => status)).toEqual([507, 200, 507, 200, 404])
  expect((await bulk([{ op: 'delete', id: 'd3' }])).data).toMatchObject({ succeeded: 1, failed: 0 })
  // One that also writes is refused whole.
  const mixed = [
    { op: 'delete', id: 'd4' },
    { id: 'new', document: { title: 'new' } },
  ]
  expect((await bulk(mixed)).code).toBe('DISK_FULL')
  const { data } = await service.call<{ hits: { id: string }[] }>('POST', '/cortex/search', {
    query: '',
    size: 1000,
  })
  const ids = data.hits.map(({ id }) => id)
  expect(['d0', 'd1', 'd2', 'd3', 'd4', 'new'].filter((id) => ids.includes(id))).toEqual(['d4'])
})

it('lines that still found room are told of when the store reaches its size under those behind them', async () => {
  const service = await startApp({ STORE_BYTES_MAX: String(BYTES_MAX) })
  onTestFinished(() => service.close())
  const lineOf = (id: string) =>
    `${JSON.stringify({ id, title: `line ${id}`, ballast: randomBytes(75_000).toString('base64') })}\n`
  const send = (ids: string[]) =>
    service.call<{ items: { status: number; id: string }[]; succeeded: number; failed: number }>(
      ...(['POST', '/cortex/documents/bulk?index=i', ids.map(lineOf).join('')] as const),
      { 'content-type': 'application/x-ndjson' },
    )
  const ids = Array.from({ length: 250 }, (_, at) => `l${at}`)
  const { status, data } = await send(ids)
  expect(status).toBe(200)
  expect(data.items.map(({ id }) => id)).toEqual(ids)
  expect(data.items.at(0)).toMatchObject({ status: 200, result: 'created' })
  expect(data.items.at(-1)).toMatchObject({ status: 507, index: 'i', code: 'DISK_FULL' })
  expect(data.succeeded + data.failed).toBe(250)
  // Lines of three groups at most share a transaction, of four megabytes each; the next one is refused.
  expect(data.succeeded).toBeLessThan(150)
  const found = await service.must<{ total: number }>('POST', '/cortex/search', { index: 'i' })
  expect(found.total).toBe(data.succeeded)
  // Nothing of these was stored.
  const refused = await send(['more', 'again'])
  expect(refused).toMatchObject({ status: 507, code: 'DISK_FULL' })
})

it.each([0, 1, 2, 3, 4, 5, 6])(
  'a write is begun also when it comes %s steps behind the answer to the last one',
  async (steps) => {
    const writer = openWriter(temporaryStore(), { writeQueueMax: 10 }, Date.now)
    for (let round = 0; round < 3; round++) {
      expect(await writer.write([])).toEqual([])
      for (let step = 0; step < steps; step++) await undefined
    }
    await writer.idle()
    expect(writer.queued()).toBe(0)
  },
)
