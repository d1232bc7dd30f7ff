import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../running-app.ts'

it('publishes what is there of a batch whose record was swept meanwhile, and goes on', async () => {
  const service = await startApp()
  onTestFinished(() => service.close())
  const write = (title: string) =>
    service.call<{ vectorized: boolean }>('POST', '/cortex/documents', {
      index: 'swept',
      document: { title },
    })
  await write('first stone')
  const { store, indices, engine } = service.app
  const { meta, records } = store.tables
  // Two writes took numbers; the record of one of them is gone again.
  const last = meta.get('sequence') as number
  const [entry] = indices.all()
  if (entry === undefined) throw new Error('There is no index.')
  const [stored] = records.range({ start: [entry.record.id, last] })
  await store.write(() => {
    meta.put('sequence', last + 2)
    records.put([entry.record.id, last + 2], stored?.value as Buffer)
  })
  const changes = [last + 1, last + 2].map((sequence) => ({ sequence, adds: true }))
  expect([...(await engine.publish(entry, changes))]).toEqual([0, 1])

  expect((await write('second stone')).data.vectorized).toBe(true)
  const found = await service.call<{ total: number }>('POST', '/cortex/search', { query: 'stone' })
  expect(found.data.total).toBe(3)
})
