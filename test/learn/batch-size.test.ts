import { expect, test } from 'vitest'
import { openBatchSize } from '../../src/learn/batch-size.ts'

test('twice as many are taken while some are left, and half as many once none are, within bounds', () => {
  const size = openBatchSize({ first: 10, most: 70 })
  const after = (areLeft: boolean) => {
    size.end(areLeft)
    return size.now()
  }
  expect(size.now()).toBe(10)
  expect([true, true, true].map(after)).toEqual([20, 40, 70])
  expect([false, true, false, false, false].map(after)).toEqual([35, 70, 35, 17, 10])
})
