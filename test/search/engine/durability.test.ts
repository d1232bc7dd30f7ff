import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../running-app.ts'

it('an index that is deleted while the files of another are written has none to write, and leaves no mark', async () => {
  const service = await startApp({ CHECKPOINT_MS: '3600000' })
  onTestFinished(() => service.close())
  for (const index of ['first', 'second'])
    await service.must('PUT', `/cortex/documents/a?index=${index}`, { title: 'Willow' })
  const { pool, engine, store } = service.app
  const run = pool.run
  const written: unknown[] = []
  pool.run = (async (name, input) => {
    if (name !== 'checkpoint') return run(name, input)
    written.push(input)
    if (written.length === 1) await service.must('DELETE', '/cortex/indices/second')
    return run(name, input)
  }) as typeof run
  await engine.checkpoint()
  pool.run = run
  expect(written).toHaveLength(1)
  const marks = [...store.tables.meta.keys()].filter((key) => String(key).startsWith('files/'))
  expect(marks).toHaveLength(1)
})
