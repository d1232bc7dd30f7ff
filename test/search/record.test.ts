import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decodeRecord,
  encodeRecord,
  type IndexedAs,
  idJson,
  indexedJson,
  sourceJson,
} from '../../src/search/record.ts'

const record = fc.record({
  id: fc.string({ minLength: 1, unit: 'binary' }),
  version: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  createdMs: fc.integer({ min: 0, max: 4e12 }),
  updatedMs: fc.integer({ min: 0, max: 4e12 }),
  source: fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
})

test('any record comes back as it was stored, and its parts are ready to be sent', () => {
  fc.assert(
    fc.property(record, (written) => {
      const bytes = encodeRecord(written)
      expect(decodeRecord(bytes)).toEqual(written)
      expect(JSON.parse(idJson(bytes).toString())).toBe(written.id)
      expect(sourceJson(bytes).toString()).toBe(written.source)
    }),
  )
})

test('what is indexed has the record’s times, unless the document brings its own', () => {
  const as: IndexedAs = { times: ['created', 'updated'] }
  const indexed = (source: string, { times } = as): unknown => {
    const bytes = encodeRecord({ id: 'a', version: 1, createdMs: 5, updatedMs: 6, source })
    return JSON.parse(indexedJson(bytes, { times }))
  }
  expect(indexed('{"title":"x"}')).toEqual({
    created: 5,
    updated: 6,
    title: 'x',
  })
  expect(indexed('{"created":"2020-01-01"}')).toEqual({
    created: '2020-01-01',
    updated: 6,
  })
  expect(indexed('{}')).toEqual({ created: 5, updated: 6 })
  expect(indexed('{}', { times: [] })).toEqual({})
  expect(indexed('{"title":"x"}', { times: ['updated'] })).toEqual({ updated: 6, title: 'x' })
})
