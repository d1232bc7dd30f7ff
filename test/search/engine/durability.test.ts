import { expect, it, onTestFinished } from 'vitest'
import { checkpoint, openUnsaved, releaseWriters } from '../../../src/search/engine/durability.ts'
import type { EngineState, OpenState } from '../../../src/search/engine/engine-state.ts'
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
  const engine = engineOf(state, run, failed)
  for (let round = 0; round < 3; round += 1) await checkpoint(engine)
  expect(runs).toEqual(['checkpoint', 'checkpoint'])
  expect(failed).toHaveLength(2)
  expect(state.reshaped).toBe(false)
})

it('files that can not be written are told of when that begins, when it fails otherwise and when it is over', async () => {
  const said: unknown[] = []
  let fails: string | undefined = 'No room.'
  const run = async () => {
    if (fails !== undefined) throw new Error(fails)
    return { sequence: 5, files: 1 }
  }
  const entry = { record: { id: 1, engineId: 2, name: 'i' } }
  const state = { entry, published: 5, durable: 4, writer: true } as OpenState
  const engine = engineOf(state, run, said)
  for (const now of ['No room.', 'No room.', 'No disk.', 'No disk.', undefined, undefined]) {
    fails = now
    await checkpoint(engine)
  }
  expect(said).toEqual([
    { index: 'i', err: new Error('No room.') },
    { index: 'i', err: new Error('No disk.') },
    { index: 'i' },
  ])
})

it('files that others took the place of, and that searches still read, are not written, nor are those others in their name', async () => {
  const runs: string[] = []
  const run = async (job: string) => {
    runs.push(job)
    throw new Error('Not open.')
  }
  // Its index has the number of the others, which are closed already.
  const entry = { record: { id: 1, engineId: 3, name: 'i' } }
  const state = { entry, published: 5, durable: 4, writer: true } as OpenState
  const said: unknown[] = []
  const engine = engineOf(state, run, said)
  await checkpoint(engine)
  releaseWriters({
    ...engine,
    config: { openWritersMax: 0 },
    isBusy: () => false,
  } as unknown as EngineState)
  await state.retiring
  expect(runs).toEqual([])
  expect(said).toEqual([])
})

/** An engine with one index, whose jobs `run` does. */
function engineOf(
  state: OpenState,
  run: (job: string) => Promise<object>,
  said: unknown[],
): EngineState {
  const states = new Map([[2, state]])
  const say = (fields: object) => void said.push(fields)
  const log = { error: say, info: say } as unknown as EngineState['log']
  return {
    ...{ store: temporaryStore(), pool: { run }, rebuilding: new Map() },
    ...{ states, log, unsaved: openUnsaved({ states, log }) },
  } as unknown as EngineState
}
