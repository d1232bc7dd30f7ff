import { expect, it } from 'vitest'
import type { Ledger } from '../../../src/learn/experiments/ledger.ts'
import { EXPERIMENTS_MAX, type Register } from '../../../src/learn/experiments/register.ts'
import type { Reported } from '../../../src/learn/experiments/reported.ts'
import { openSweep } from '../../../src/learn/experiments/sweep.ts'
import type { ExperimentRecord } from '../../../src/schema/experiment-record.ts'
import { temporaryStore } from '../../store/open.ts'

const ended = (id: string, endedMs: number) =>
  ({ id, status: 'STOPPED', endedMs }) as ExperimentRecord
const running = (id: string) => ({ id, status: 'ACTIVE' }) as ExperimentRecord

it('an experiment that is gone leaves no mark: one of its id is looked through anew', async () => {
  const records = new Map([['old', ended('old', 1)]])
  for (let n = 1; n < EXPERIMENTS_MAX; n += 1) records.set(`n${n}`, running(`n${n}`))
  const looked: string[] = []
  const sweep = openSweep({
    store: temporaryStore(),
    config: { retentionMs: 10 },
    register: {
      all: () => records.values(),
      removeWithin: () => {},
      drop: (id) => records.delete(id),
    } as Partial<Register> as Register,
    ledger: {
      clearArms: () => {},
      clearUnits: (id) => {
        looked.push(id)
        return 0
      },
    } as Partial<Ledger> as Ledger,
    reported: { clearUnits: () => 0, clearSums: () => {} } as Partial<Reported> as Reported,
  })
  expect(await sweep.sweep(100)).toBe(1)
  expect(records.has('old')).toBe(false)
  records.set('old', ended('old', 2))
  records.delete('n1')
  looked.length = 0
  await sweep.sweep(100)
  await sweep.sweep(100)
  expect(looked.filter((id) => id === 'old')).toHaveLength(1)
})
