import { expect, it } from 'vitest'
import type { ServiceError } from '../../../src/errors.ts'
import { compileDefinition } from '../../../src/search/indices/definition.ts'
import type { IndexEntry } from '../../../src/search/indices/index-entry.ts'
import { refuseMistyped } from '../../../src/search/query/comparable.ts'
import type { CoreRequest } from '../../../src/search/query/core-request.ts'
import { readFilters } from '../../../src/search/query/filter.ts'
import { processorMs } from '../../processor-time.ts'

const config = { embedder: 'learned', embedderDimensions: 384 } as const

function entriesOf(count: number, type: string): IndexEntry[] {
  const names = Array.from({ length: count }, (_, n) => `field${n}`)
  const properties = Object.fromEntries(names.map((name) => [name, { type }]))
  return [{ definition: compileDefinition({}, { properties }, config) } as IndexEntry]
}

const filtering = (names: string[]) =>
  ({ filter: { or: names.map((field) => ({ field, any: ['x'] })) } }) as CoreRequest

it('a thousand names are held against wide mappings without a look at each of their fields', () => {
  const entries = Array.from({ length: 20 }, () => entriesOf(4000, 'keyword')).flat()
  const names = Array.from({ length: 1000 }, (_, n) => `field${3999 - n}`)
  const tookMs = processorMs(() => {
    refuseMistyped(filtering(names), entries)
    refuseMistyped(filtering(names.map((name) => `${name}x`)), entries)
  })
  expect(tookMs).toBeLessThan(200)
})

it('a word is refused where each index has a number, and not where one may have anything', () => {
  const [numbers, others] = [entriesOf(3, 'integer'), entriesOf(2, 'integer')]
  expect(() => refuseMistyped(filtering(['field2']), numbers)).toThrow('its type is integer')
  expect(() => refuseMistyped(filtering(['field1']), [...numbers, ...others])).toThrow('number')
  expect(() => refuseMistyped(filtering(['field2']), [...numbers, ...others])).not.toThrow()
  expect(() => refuseMistyped(filtering(['title']), numbers)).not.toThrow()
})

it('a range of analysed text is refused at its place, unless a keyword field has the same values', () => {
  const or = [{ title: 'fox' }, { title: { GTE: 'a' } }, { size: { lt: 'x' } }]
  const read = (entries: IndexEntry[]) =>
    refuseMistyped({ filter: readFilters({ or }) } as CoreRequest, entries)
  const define = (properties: Record<string, Record<string, unknown>>) => [
    { definition: compileDefinition({}, { properties }, config) } as IndexEntry,
  ]
  const plain = define({ title: { type: 'text' }, tag: { type: 'keyword' } })
  const problem = (entries: IndexEntry[]) => {
    try {
      read(entries)
    } catch (error) {
      return (error as ServiceError).details
    }
    return undefined
  }
  expect(problem(plain)).toEqual([
    { path: 'filters.or[1].title', message: expect.stringMatching(/analysed text; map a keyword/) },
  ])
  const both = { type: 'text', fields: { exact: { type: 'keyword' } } }
  expect(problem(define({ title: both }))).toBeUndefined()
  expect(problem([...plain, ...define({ title: both })])).toBeUndefined()
  expect(problem(define({ title: both, size: { type: 'integer' } }))).toEqual([
    {
      path: 'filters.or[2].size',
      message: expect.stringMatching(/must be compared with a number/),
    },
  ])
})
