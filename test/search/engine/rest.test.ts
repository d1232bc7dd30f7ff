import { expect, it, vi } from 'vitest'
import { serviceError } from '../../../src/errors.ts'
import type { Core, OpenState } from '../../../src/search/engine/core.ts'
import { fitSoon } from '../../../src/search/engine/rest.ts'

// The core is asked by number, and none is open here.
vi.mock('../../../src/search/engine/figures.ts', () => ({ readFigures: () => ({ documents }) }))
let documents = 400

/** Learning a space for an index, with this outcome; tells what was logged. */
async function learning(outcome: () => Promise<unknown>) {
  const logged: unknown[] = []
  const note = (level: string) => (fields: object) => logged.push([level, fields])
  const log = { info: note('info'), warn: note('warn') }
  const core = { log, closing: false, pool: { run: outcome } } as unknown as Core
  const state = { entry: { record: { name: 'papers' } }, refusedAt: 0 } as unknown as OpenState
  fitSoon(core, state)
  await state.fitting
  return { logged, again: () => fitSoon(core, state) }
}

it('documents that have too little in common are no failure: one line says so, without a stack', async () => {
  const reason = 'the documents have too little in common to learn from'
  const { logged } = await learning(() => Promise.reject(serviceError('VALIDATION_FAILED', reason)))
  expect(logged).toEqual([['info', { index: 'papers', reason }]])
})

it('what failed otherwise is a warning, with its cause', async () => {
  const err = new Error('disk gone')
  const { logged } = await learning(() => Promise.reject(err))
  expect(logged).toEqual([['warn', { index: 'papers', err }]])
})

it('what could not be learned is tried again when there are twice as many documents', async () => {
  let tries = 0
  const { again } = await learning(async () => {
    tries += 1
    throw new Error('no')
  })
  documents = 799
  again()
  expect(tries).toBe(1)
  documents = 800
  again()
  expect(tries).toBe(2)
})
