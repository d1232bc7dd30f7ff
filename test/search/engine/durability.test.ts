import { expect, it, onTestFinished } from 'vitest'
import type { Core, OpenState } from '../../../src/search/engine/core.ts'
import { checkpoint } from '../../../src/search/engine/durability.ts'
import { startApp } from '../../running-app.ts'
import { temporaryStore } from '../../store/open.ts'

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

it('an index that has changed without a write is written again when its files could not be', async () => {
  const runs: string[] = []
  const failed: unknown[] = []
  const run = async (job: string) => {
    runs.push(job)
    if (runs.length === 1) throw new Error('The disk is gone.')
    return { sequence: 5, files: 1 }
  }
  const entry = { record: { id: 1, engineId: 2, name: 'i' } }
  // As behind a new vector space, or a merge.
  const state = { entry, published: 5, durable: 5, reshaped: true, writer: true } as OpenState
  const core = {
    ...{ store: temporaryStore(), pool: { run }, states: new Map([[2, state]]) },
    ...{ rebuilding: new Map(), log: { error: (fields: object) => failed.push(fields) } },
  } as unknown as Core
  for (let round = 0; round < 3; round += 1) await checkpoint(core)
  expect(runs).toEqual(['checkpoint', 'checkpoint'])
  expect(failed).toHaveLength(1)
  expect(state.reshaped).toBe(false)
})
