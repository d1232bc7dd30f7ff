import { expect, test } from 'vitest'
import { readAnalyzers } from '../../../src/search/indices/analysis.ts'
import { readMappedField } from '../../../src/search/indices/mapped-field.ts'
import { sentAnalysis } from '../../../src/search/indices/sent-analysis.ts'

/** What one field of a mapping becomes. */
function read(property: unknown, name = 'a') {
  const reading: Parameters<typeof readMappedField>[2] = {
    ...{ analyzers: readAnalyzers(sentAnalysis({})), fields: [], objects: [] },
    embedder: { kind: 'learned', dimensions: 256 },
  }
  readMappedField(name, property, reading)
  return reading
}

test('a text is searched, weighed and made into the vector; a sub-field of it is none of these unasked', () => {
  const { fields } = read({ type: 'text', boost: 3, fields: { raw: { type: 'text' } } })
  expect(fields).toMatchObject([
    { name: 'a', source: 'a', searched: true, weight: 3, vectorized: true },
    { name: 'a.raw', source: 'a', searched: false, weight: 1, vectorized: false },
  ])
})

test('fields inside of objects have dotted names, and values of their own', () => {
  const inner = { type: 'object', properties: { c: { type: 'keyword' } } }
  const { fields, objects } = read({ type: 'object', properties: { b: inner } })
  expect(fields).toEqual([{ name: 'a.b.c', source: 'a.b.c', type: 'keyword' }])
  expect(objects.map(({ name, isOpen }) => [name, isOpen])).toEqual([
    ['a', false],
    ['a.b', false],
  ])
  expect(read({ type: 'object' }).objects).toMatchObject([{ name: 'a', isOpen: true }])
})

test('a field of vectors makes them given ones', () => {
  const { fields, embedder } = read({ type: 'dense_vector', dims: 3 })
  expect(fields).toEqual([])
  expect(embedder).toEqual({ kind: 'given', dimensions: 3, field: 'a' })
})

test('what is wrong is told at its place', () => {
  const refusal = (path: string) =>
    expect.objectContaining({ details: [expect.objectContaining({ path })] })
  const at = 'mappings.properties.a'
  expect(() => read('text')).toThrow(refusal(at))
  expect(() => read({ type: 'texts' })).toThrow(refusal(`${at}.type`))
  expect(() => read({ type: 'text', boost: 0 })).toThrow(refusal(`${at}.boost`))
  expect(() => read({ type: 'text', fields: { raw: { type: 'no' } } })).toThrow(
    refusal(`${at}.fields.raw.type`),
  )
  expect(() => read({ type: 'text' }, '_a')).toThrow(refusal('mappings.properties._a'))
})
