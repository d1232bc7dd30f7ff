import { expect, it } from 'vitest'
import { durationOf } from '../../../src/learn/wire/duration.ts'

it.each([
  [1500, 1500],
  ['1500', 1500],
  [0, 0],
  ['500ms', 500],
  [' 30 S ', 30_000],
  ['1.5m', 90_000],
  ['1H', 3_600_000],
  ['7d', 604_800_000],
])('%j is %d ms', (sent, durationMs) => {
  expect(durationOf(sent)).toBe(durationMs)
})

it.each([
  undefined,
  null,
  {},
  '',
  'soon',
  '1w',
  '1constructor',
  '-1h',
  -1,
  Number.NaN,
  '9'.repeat(400),
])('%j is no length of time', (sent) => {
  expect(durationOf(sent)).toBeUndefined()
})
