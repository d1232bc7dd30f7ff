import { expect, it } from 'vitest'
import { addValue, newSeries, receiptOf } from '../../../src/learn/metrics/series.ts'

it.each([
  [[0.1, 0.1, 0.1], 0.1],
  [[-0.1, -0.1, -0.1], -0.1],
  [[1.7e308, 1.7e308], 1.7e308],
  [[-1.7e308, -1.7e308], -1.7e308],
  [[1, 2, 6], 3],
])('the average of %j lies among them, however doubles round their sum', (values, average) => {
  let series = newSeries('gauge', {}, 0)
  for (const value of values) series = addValue(series, value, 0)
  expect(receiptOf(series).aggregations.avg).toBe(average)
})
