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
