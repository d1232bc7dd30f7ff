import { expect, it } from 'vitest'
import { fromAddress } from '../../src/api/cortex/search-address.ts'
import { SearchQuery, SearchRequest } from '../../src/schema/search.ts'
import { processorMs } from '../processor-time.ts'

function vectorOf(text: string): unknown {
  return (fromAddress({ q: '', vector: text } as never, 32) as { vector?: unknown }).vector
}

it('has every field of a body', () => {
  const fields = Object.keys(SearchRequest.properties)
  expect(fields.filter((name) => !(name in SearchQuery.properties))).toEqual([])
})

it.each([
  ['1,2', [1, 2]],
  ['-0.5, .5 ,1.,2e3', [-0.5, 0.5, 1, 2000]],
])('reads a vector from %j', (text, vector) => {
  expect(vectorOf(text)).toEqual(vector)
})

it('looks at a long number once, and not at each of its digits anew', () => {
  const read = () => vectorOf(`${'1'.repeat(30_000)}!`)
  expect(read).toThrow('must be numbers with commas')
  expect(processorMs(() => expect(read).toThrow())).toBeLessThan(300)
})
