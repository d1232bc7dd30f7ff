import { expect, it } from 'vitest'
import { durationOf, durationWarnings } from '../../../src/learn/wire/duration.ts'
import { processorMs } from '../../processor-time.ts'

it.each([
  [1500, 1500],
  [' 1500 ', 1500],
  ['86400000', 86_400_000],
  [0, 0],
  ['500ms', 500],
  [' 30 S ', 30_000],
  ['1.5m', 90_000],
  ['1H', 3_600_000],
  ['7d', 604_800_000],
  ['5 minutes', 300_000],
  ['1 Hour', 3_600_000],
  ['90sec', 90_000],
  ['15 min', 900_000],
  ['2hrs', 7_200_000],
  ['30 days', 2_592_000_000],
  ['250 milliseconds', 250],
  ['PT5M', 300_000],
  ['p1d', 86_400_000],
  ['P2W', 1_209_600_000],
  ['P1DT12H30M', 131_400_000],
  [' PT1.5S ', 1500],
  ['PT0,5H', 1_800_000],
  ['PT0S', 0],
  [1500.4, 1500],
  [1e-320, 1],
  ['0.07m', 4200],
  ['PT0.0004S', 1],
])('%j is %d ms', (sent, durationMs) => {
  expect(durationOf(sent)).toBe(durationMs)
})

it.each([
  undefined,
  null,
  {},
  '',
  'soon',
  '7',
  '999',
  '1.5',
  '1w',
  '1 mo',
  '1 month',
  '1 hour ago',
  'an hour',
  '1constructor',
  'P',
  'PT',
  'P1DT',
  'P1M',
  'P1Y',
  'PT1D',
  'P1H',
  'PT1M1H',
  '-PT1H',
  'P-1D',
  '-1h',
  -1,
  Number.NaN,
  '9'.repeat(400),
])('%j is no length of time', (sent) => {
  expect(durationOf(sent)).toBeUndefined()
})

it('of a number that may be meant in another unit says that it is milliseconds', () => {
  for (const sent of [1, 60, 0.5])
    expect(durationWarnings(sent, 'a.window')).toEqual([
      'a.window: a number is milliseconds; a text has its unit, like "30s", "15m", "1h".',
    ])
  for (const sent of [0, 1000, 3_600_000, '60s', undefined])
    expect(durationWarnings(sent, 'a.window')).toEqual([])
})

it('looks at a long text once, and not at each of its blanks anew', () => {
  const tookMs = processorMs(() => {
    expect(durationOf(`1${' '.repeat(200_000)}!`)).toBeUndefined()
    expect(durationOf(`${' '.repeat(200_000)}1${' '.repeat(200_000)}h `)).toBe(3_600_000)
  }, 2)
  expect(tookMs).toBeLessThan(1000)
})
