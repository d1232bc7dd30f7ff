import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

/** As many as the core wants before it links them. */
const VECTORS = 10_000
const BATCH = 2500

let service: RunningApp

beforeAll(async () => {
  // Upkeep comes by when this test calls for it.
  service = await startApp({ CHECKPOINT_MS: '3600000' })
  linkWhileSaving()
})
afterAll(() => service.close())

/** Links once the files are written, and has the files reported only after the links: as on a slow disk. */
function linkWhileSaving(): void {
  const { pool, engine } = service.app
  const run = pool.run
  const heard = new EventEmitter()
  pool.run = (async (name, input) => {
    if (name !== 'link' && name !== 'checkpoint') return run(name, input)
    if (name === 'checkpoint') {
      const report = await run(name, input)
      const linked = once(heard, 'linked')
      heard.emit('written')
      await linked
      return report
    }
    const written = once(heard, 'written')
    void engine.checkpoint()
    await written
    pool.run = run
    const isMore = await run(name, input)
    setImmediate(() => heard.emit('linked'))
    return isMore
  }) as typeof run
}

function figures() {
  const [entry] = service.app.indices.all()
  if (entry === undefined) throw new Error('There is no index.')
  return service.app.engine.figures(entry)
}

async function isSettled(): Promise<boolean> {
  service.app.engine.tend()
  const { data } = await service.call<{ settled: boolean }>('GET', '/cortex/indices/linked')
  return data.settled
}

it('links the vectors of an index at rest, and finds the links again after a restart', async () => {
  await service.call('POST', '/cortex/indices', {
    name: 'linked',
    mappings: { properties: { place: { type: 'dense_vector', dims: 3 } } },
  })
  for (let from = 0; from < VECTORS; from += BATCH) {
    const documents = Array.from({ length: BATCH }, (_, at) => {
      const angle = from + at
      const place = [Math.sin(angle), Math.cos(angle), 0.5]
      return { id: `d${angle}`, document: { title: 'stone', place } }
    })
    const { data } = await service.call('POST', '/cortex/documents/bulk', {
      index: 'linked',
      documents,
    })
    expect(data).toMatchObject({ succeeded: BATCH })
  }
  expect(figures()).toMatchObject({ vectors: VECTORS })
  await waitUntil(isSettled)
  expect(figures()).toMatchObject({ vectors: VECTORS, graph: true })

  await service.restart()
  expect(figures()).toMatchObject({ vectors: VECTORS, graph: true })
})
