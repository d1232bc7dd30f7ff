import { expect, it } from 'vitest'
import { readBase64 } from '../../../src/search/query/short-base64.ts'

it.each([0, 1, 2, 3, 8, 80, 767, 768, 769, 4096])('reads %i bytes', (length) => {
  const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 167 + length) % 256))
  const into = Buffer.alloc(length + 2, 7)
  readBase64(bytes.toString('base64'), into)
  expect(into.subarray(0, length)).toEqual(bytes)
})
