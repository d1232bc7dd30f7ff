import { expect, it, onTestFinished, vi } from 'vitest'
import { openSizeLimit } from '../../../src/learn/experiments/size-limit.ts'
import type { ExperimentRecord } from '../../../src/schema/experiment-record.ts'

it('a record is written as JSON once to know how long it is: before its transaction', async () => {
  const stringify = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => stringify.mockRestore())
  const size = openSizeLimit()
  const record = { id: 'a', note: 'x'.repeat(100) } as unknown as ExperimentRecord
  const other = { ...record, id: 'b' }
  for (const each of [record, other]) await size.measure(each)
  expect(stringify).toHaveBeenCalledTimes(2)
  size.refuseMore([record, other])
  for (const each of [record, other]) size.keep(each)
  expect(stringify).toHaveBeenCalledTimes(2)
  const length = JSON.stringify(record).length
  expect(size.total()).toBe(2 * length)
  size.keep({ ...record, status: 'STOPPED' })
  size.drop('b')
  expect(size.total()).toBe(JSON.stringify({ ...record, status: 'STOPPED' }).length)
})
