import { setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { closedGate } from '../../gate.ts'
import { startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

async function startWith(indices: readonly string[], env: Record<string, string> = {}) {
  const service = await startApp({ OPEN_INDICES_MAX: '1', CHECKPOINT_MS: '50', ...env })
  onTestFinished(() => service.close())
  for (const index of indices)
    await service.must('PUT', `/cortex/documents/1?index=${index}`, { title: 'otter' })
  return service
}

it('health and the metrics page tell of an index that was built again and closed while its former files are read', async () => {
  const service = await startWith(['river', 'sea'])
  const { engine, indices } = service.app
  const reading = closedGate()
  onTestFinished(reading.open)
  const read = engine.using([indices.get('river')], () => reading.opened)
  const declared = { mappings: { properties: { depth: { type: 'integer' } } } }
  await service.must('PUT', '/cortex/indices/river', declared)
  const isClosed = async () => {
    await service.must('POST', '/cortex/search', { index: 'sea', query: 'otter' })
    return !engine.isOpen(indices.get('river'))
  }
  await waitUntil(isClosed, 20_000)

  expect(await service.call('GET', '/cortex/health')).toMatchObject({ status: 200 })
  expect((await fetch(`${service.url}/metrics`)).status).toBe(200)
  reading.open()
  await read
})

it('an index that is searched stays open where all others are held beyond the limit', async () => {
  const service = await startWith(['river', 'sea', 'lake'], { OPEN_INDICES_MAX: '2' })
  const { engine, indices } = service.app
  // Until then `river` may be on its way out already, as the one that was written first.
  await waitUntil(() => engine.opened().length === 2)
  const reading = closedGate()
  onTestFinished(reading.open)
  const read = engine.using([indices.get('sea'), indices.get('lake')], () => reading.opened)
  for (let search = 0; search < 5; search += 1) {
    await service.must('POST', '/cortex/search', { index: 'river', query: 'otter' })
    // Closing takes a moment: its files are looked at before.
    await setTimeout(50)
    expect(engine.isOpen(indices.get('river'))).toBe(true)
  }
  reading.open()
  await read
  await waitUntil(() => engine.opened().length === 2, 1000)
})

it('for one index too many one is closed, however many searches come by meanwhile', async () => {
  const names = ['river', 'sea', 'lake', 'pond', 'bay', 'creek']
  // Nothing is on the disk yet, so that to close one takes some time.
  const service = await startWith(names.slice(0, -1), {
    OPEN_INDICES_MAX: '5',
    CHECKPOINT_MS: '3600000',
  })
  const { engine, indices } = service.app
  let isWritten = false
  const write = service.must('PUT', '/cortex/documents/1?index=creek', { title: 'otter' })
  write.finally(() => {
    isWritten = true
  })
  const searched = [indices.get('bay')]
  while (!isWritten || engine.opened().length === names.length) {
    await engine.using(searched, async () => undefined)
    await setTimeout(1)
  }
  await setTimeout(200)
  expect(engine.opened().map(({ record }) => record.name)).toEqual(names.slice(1))
})
