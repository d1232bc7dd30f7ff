import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../running-app.ts'

async function startWith(indices: readonly string[]) {
  const service = await startApp({ OPEN_INDICES_MAX: '1', CHECKPOINT_MS: '50' })
  onTestFinished(() => service.close())
  for (const index of indices)
    await service.must('PUT', `/cortex/documents/1?index=${index}`, { title: 'otter' })
  return service
}

it('health and the metrics page tell of an index that was built again and closed while its former files are read', async () => {
  const service = await startWith(['river', 'sea'])
  const { engine, indices } = service.app
  let stopReading = () => {}
  const reading = new Promise<void>((resolve) => {
    stopReading = resolve
  })
  onTestFinished(() => stopReading())
  const read = engine.using([indices.get('river')], () => reading)
  const declared = { mappings: { properties: { depth: { type: 'integer' } } } }
  await service.must('PUT', '/cortex/indices/river', declared)
  const isClosed = async () => {
    await service.must('POST', '/cortex/search', { index: 'sea', query: 'otter' })
    return !engine.isOpen(indices.get('river'))
  }
  await expect.poll(isClosed, { timeout: 20_000 }).toBe(true)

  expect(await service.call('GET', '/cortex/health')).toMatchObject({ status: 200 })
  expect((await fetch(`${service.url}/metrics`)).status).toBe(200)
  stopReading()
  await read
})
