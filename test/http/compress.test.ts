import { expect, it } from 'vitest'
import { chooseCoding } from '../../src/http/compress.ts'

it.each([
  [undefined, undefined],
  ['', undefined],
  ['*', 'br'],
  ['gzip, br', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['zstd, GZIP', 'gzip'],
  ['gzip;q=0, identity', undefined],
  ['gzip;q=much, br;q=0.1', 'br'],
  ['identity, gzip', 'gzip'],
  ['identity;q=0.5, gzip', 'gzip'],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0.9, *;q=0.1', undefined],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
])('of Accept-Encoding: %s, what it likes best is %s', (accept, coding) => {
  expect(chooseCoding(accept)).toBe(coding)
})
