import { expect, it } from 'vitest'
import { readHistogram } from '../../bench/histogram.ts'

const page = `# TYPE lag histogram
lag_bucket{le="0.1"} 50
lag_bucket{le="0.2"} 90
lag_bucket{le="+Inf"} 100
lag_sum 12
lag_count 100
other_bucket{le="0.1"} 7
`

it('quantiles are interpolated within their bucket', () => {
  const { count, quantile } = readHistogram(page, 'lag')
  expect(count).toBe(100)
  expect(quantile(0.25)).toBeCloseTo(0.05)
  expect(quantile(0.5)).toBeCloseTo(0.1)
  expect(quantile(0.7)).toBeCloseTo(0.15)
})

it('beyond the last bound the bound is all that is known', () => {
  expect(readHistogram(page, 'lag').quantile(0.99)).toBe(0.2)
})

it('label sets are added up, and nothing observed is no number', () => {
  const two = page.replaceAll('{le', '{kind="a",le') + page
  expect(readHistogram(two, 'lag').count).toBe(200)
  expect(readHistogram(page, 'absent').quantile(0.5)).toBeNaN()
})
