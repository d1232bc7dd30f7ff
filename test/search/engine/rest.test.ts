import { expect, it, onTestFinished, vi } from 'vitest'
import { serviceError } from '../../../src/errors.ts'
import { native } from '../../../src/native.ts'
import type { EngineState, OpenState } from '../../../src/search/engine/engine-state.ts'
import { fitSoon, tendRested } from '../../../src/search/engine/rest.ts'

let documents = 400
// The core is asked by number, and none is open here.
vi.spyOn(native, 'stats').mockImplementation(() => JSON.stringify({ documents }))

/** Learning a space for an index, with this outcome; tells what was logged. */
async function learning(outcome: () => Promise<unknown>) {
  const logged: unknown[] = []
  const note = (level: string) => (fields: object) => logged.push([level, fields])
  const log = { info: note('info'), warn: note('warn') }
  const engine = { log, closing: false, pool: { run: outcome } } as unknown as EngineState
  const entry = { record: { name: 'papers' } }
  const begun = { entry, refusedAt: 0, fitFailures: 0, fitFromMs: 0 }
  const state = begun as unknown as OpenState
  const again = async () => {
    fitSoon(engine, state)
    await state.fitting
  }
  await again()
  return { logged, again }
}

it('documents that have too little in common are no failure: one line says so, without a stack', async () => {
  const reason = 'the documents have too little in common to learn from'
  const { logged } = await learning(() => Promise.reject(serviceError('VALIDATION_FAILED', reason)))
  expect(logged).toEqual([['info', { index: 'papers', reason }]])
})

it('files that others took the place of are not tended: their index has the number of those others', () => {
  const entry = { record: { engineId: 3 }, definition: { embedder: { kind: 'learned' } } }
  const state = { entry, published: 5, seen: 5, merged: false }
  const states = new Map([[2, state]])
  vi.mocked(native.stats).mockClear()
  tendRested({ states, isBusy: () => false } as unknown as EngineState)
  expect(native.stats).not.toHaveBeenCalled()
})

it.each([
  ['of other words than its documents have now', 0, 1],
  ['that knows the words of half of them', 300, 0],
])('at rest, a space %s: documents with vectors %i, spaces learned %i', (_, vectors, learned) => {
  const space = { kind: 'learned', documents: 1000 }
  const figures = { documents: 601, vectors, segments: 1, space }
  const before = vi.mocked(native.stats).getMockImplementation()
  vi.mocked(native.stats).mockImplementation(() => JSON.stringify(figures))
  onTestFinished(() => void vi.mocked(native.stats).mockImplementation(before ?? (() => '')))
  const entry = { record: { engineId: 2 }, definition: { embedder: { kind: 'learned' } } }
  const state = { ...{ entry, published: 5, seen: 5, merged: true, linked: true }, fitFromMs: 0 }
  const states = new Map([[2, { ...state, refusedAt: 0 }]])
  const jobs: string[] = []
  const run = (job: string) => {
    jobs.push(job)
    return new Promise(() => undefined)
  }
  tendRested({ states, pool: { run }, isBusy: () => false } as unknown as EngineState)
  expect(jobs).toHaveLength(learned)
})

it('what failed otherwise is a warning, with its cause', async () => {
  const err = new Error('disk gone')
  const { logged } = await learning(() => Promise.reject(err))
  expect(logged).toEqual([['warn', { index: 'papers', againInMs: 30_000, err }]])
})

it('what could not be learned is tried again when there are twice as many documents', async () => {
  let tries = 0
  const { again } = await learning(async () => {
    tries += 1
    throw serviceError('VALIDATION_FAILED', 'too little in common')
  })
  documents = 799
  await again()
  expect(tries).toBe(1)
  documents = 800
  await again()
  expect(tries).toBe(2)
})

it('what failed is tried again from the same documents, after pauses that grow up to an hour', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let tries = 0
  let isWell = false
  const { again } = await learning(async () => {
    tries += 1
    if (!isWell) throw new Error('no room')
    return {}
  })
  const pauses: number[] = []
  while (pauses.length < 9) {
    const before = tries
    let pauseS = 0
    for (; tries === before; pauseS++) {
      vi.advanceTimersByTime(1000)
      await again()
    }
    pauses.push(pauseS)
  }
  expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
  isWell = true
  vi.advanceTimersByTime(3_600_000)
  await again()
  isWell = false
  await again()
  expect(tries).toBe(12)
  vi.advanceTimersByTime(30_000)
  await again()
  expect(tries).toBe(13)
})
