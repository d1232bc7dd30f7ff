import { expect, it } from 'vitest'
import { cutOf, HAS_VECTOR } from '../../../src/search/engine/document-flags.ts'

it('what the core says of documents tells which were cut, with a vector or without', () => {
  const flags = Uint8Array.of(0, 1, 2, 3)
  expect(cutOf(Float64Array.of(5, 7, 9, 11), flags)).toEqual([9, 11])
  expect([...flags.map((bits) => bits & HAS_VECTOR)]).toEqual([0, 1, 0, 1])
})
