import { expect, it, vi } from 'vitest'
import type { Ledger } from '../../../src/learn/experiments/ledger.ts'
import { EXPERIMENTS_MAX, type Register } from '../../../src/learn/experiments/register.ts'
import type { Reported } from '../../../src/learn/experiments/reported.ts'
import { openSweep } from '../../../src/learn/experiments/sweep.ts'
import type { ExperimentRecord } from '../../../src/schema/experiment-record.ts'
import { temporaryStore } from '../../store/open.ts'
import { openLaboratory } from './laboratory.ts'

const ended = (id: string, endedMs: number) =>
  ({ id, status: 'STOPPED', endedMs }) as ExperimentRecord
const running = (id: string) => ({ id, status: 'ACTIVE' }) as ExperimentRecord

/** As many experiments as there may be: these, and others that go on. */
function fullHouse(...ends: ExperimentRecord[]) {
  const records = new Map(ends.map((record) => [record.id, record]))
  for (let n = ends.length; n < EXPERIMENTS_MAX; n += 1) records.set(`n${n}`, running(`n${n}`))
  const looked: string[] = []
  const { sweep } = openSweep({
    store: temporaryStore(),
    config: { retentionMs: 10 },
    register: {
      all: () => records.values(),
      characters: () => 0,
      removeWithin: () => {},
      drop: (id) => records.delete(id),
    } as Partial<Register> as Register,
    ledger: {
      clearArmsWithin: () => {},
      clearUnitsWithin: (id) => {
        looked.push(id)
        return 0
      },
    } as Partial<Ledger> as Ledger,
    reported: {
      clearUnitsWithin: () => 0,
      clearSumsWithin: () => {},
    } as Partial<Reported> as Reported,
  })
  return { records, looked, sweep }
}

it('an experiment that is gone leaves no mark: one of its id is looked through anew', async () => {
  const { records, looked, sweep } = fullHouse(ended('old', 1))
  expect(await sweep(100)).toBe(1)
  expect(records.has('old')).toBe(false)
  records.set('old', ended('old', 2))
  records.delete('n1')
  looked.length = 0
  await sweep(100)
  await sweep(100)
  expect(looked.filter((id) => id === 'old')).toHaveLength(1)
})

it('the one that ended longest ago makes room, whenever it was created', async () => {
  const { records, sweep } = fullHouse(ended('late', 7), ended('early', 5), ended('later', 9))
  expect(await sweep(10)).toBe(1)
  expect(['late', 'early', 'later'].filter((id) => records.has(id))).toEqual(['late', 'later'])
})

it('experiments have so many characters together, and the oldest that ended make room for others', async () => {
  const lab = openLaboratory()
  const create = (characters: number) =>
    lab.create('test', { rolloutStrategy: { type: 'immediate', note: 'x'.repeat(characters) } })
  const first = await create(10 * 2 ** 20)
  await create(10 * 2 ** 20)
  const asked = await Promise.allSettled([create(10 * 2 ** 20), create(10 * 2 ** 20)])
  // Which of two that come together is read first depends on whose turn it is.
  const refusals = asked.filter(({ status }) => status === 'rejected')
  const message = expect.stringMatching(/33554432 characters of JSON/)
  expect(refusals).toMatchObject([{ reason: { code: 'LIMIT_REACHED', message } }])
  // Those that go on stay, however many there are.
  expect(await lab.experiments.sweep(lab.clock.nowMs)).toBe(0)
  await lab.experiments.steer('test', first.testId, 'stop')
  expect(await lab.experiments.sweep(lab.clock.nowMs)).toBe(1)
  await expect(lab.get('test', first.testId)).rejects.toMatchObject({ code: 'TEST_NOT_FOUND' })
  expect(await create(10 * 2 ** 20)).toHaveProperty('testId')
  const next = await lab.reopen()
  const rolloutStrategy = { type: 'immediate', note: 'x'.repeat(10 * 2 ** 20) }
  const refused = { code: 'LIMIT_REACHED' }
  await expect(next.create('test', { rolloutStrategy })).rejects.toMatchObject(refused)
})

it('how many there are is known without their evidence, and how many units without that of drafts', async () => {
  const lab = openLaboratory()
  for (let n = 0; n < 3; n += 1) await lab.create('test', { status: 'DRAFT' })
  const { testId } = await lab.create('test', {})
  const ended = await lab.create('experiment', {})
  await lab.experiments.steer('experiment', ended.experimentId, 'stop')
  lab.searchIn(await lab.memberOf(testId, 'b'))
  await lab.loop.caughtUp()
  // What was counted since the start is in memory.
  const { experiments, store } = await lab.reopen()
  const reads = vi.spyOn(store.tables.experimentArms, 'get')
  expect(experiments.figures()).toEqual([
    { kind: 'test', status: 'DRAFT', count: 3 },
    { kind: 'test', status: 'ACTIVE', count: 1 },
    { kind: 'experiment', status: 'STOPPED', count: 1 },
  ])
  expect(reads).not.toHaveBeenCalled()
  expect(experiments.units()).toEqual([
    { kind: 'test', status: 'DRAFT', units: 0 },
    { kind: 'test', status: 'ACTIVE', units: 1 },
    { kind: 'experiment', status: 'STOPPED', units: 0 },
  ])
  expect(new Set(reads.mock.calls.map(([[id]]) => id))).toEqual(new Set([testId]))
  reads.mockRestore()
})
