import { expect, test } from 'vitest'
import { count, counted, duration, size } from '../../src/cli/amounts.ts'

test('counts have their thousands apart, and a noun in its number', () => {
  expect([count(0), count(12_345)]).toEqual(['0', '12,345'])
  expect([0, 1, 3000].map((files) => counted(files, 'file'))).toEqual([
    '0 files',
    '1 file',
    '3,000 files',
  ])
})

test.each([
  [0.42, '0.4 s'],
  [12.4, '12 s'],
  [59.6, '1 min 0 s'],
  [200, '3 min 20 s'],
  [7500, '2 h 5 min'],
])('%d seconds are %s', (seconds, shown) => {
  expect(duration(seconds)).toBe(shown)
})

test.each([
  [512, '512 B'],
  [12_800, '12.5 KiB'],
  [3.1 * 2 ** 30, '3.1 GiB'],
  [5000 * 2 ** 40, '5000.0 TiB'],
])('%d bytes are %s', (bytes, shown) => {
  expect(size(bytes)).toBe(shown)
})
