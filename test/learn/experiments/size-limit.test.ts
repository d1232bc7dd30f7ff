import { expect, it, onTestFinished, vi } from 'vitest'
import { openSizeLimit } from '../../../src/learn/experiments/size-limit.ts'
import type { ExperimentRecord } from '../../../src/schema/experiment-record.ts'

it('a record is written as JSON once to know how long it is: before its transaction', async () => {
  const stringify = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => stringify.mockRestore())
  const letters = openSizeLimit()
  const record = { id: 'a', note: 'x'.repeat(100) } as unknown as ExperimentRecord
  const other = { ...record, id: 'b' }
  for (const each of [record, other]) await letters.measure(each)
  expect(stringify).toHaveBeenCalledTimes(2)
  letters.refuseMore([record, other])
  for (const each of [record, other]) letters.keep(each)
  expect(stringify).toHaveBeenCalledTimes(2)
  const length = JSON.stringify(record).length
  expect(letters.total()).toBe(2 * length)
  letters.keep({ ...record, status: 'STOPPED' })
  letters.drop('b')
  expect(letters.total()).toBe(JSON.stringify({ ...record, status: 'STOPPED' }).length)
})
