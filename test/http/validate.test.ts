import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { openValidators } from '../../src/http/validate.ts'

const { exact, coercing } = openValidators()

test.each([
  [Type.Object({ a: Type.Object({}, { minProperties: 1 }) }), 'a must have at least 1 property.'],
  [Type.Object({ a: Type.Object({}, { minProperties: 2 }) }), 'a must have at least 2 properties.'],
])('what lacks properties is told how many it needs', (schema, message) => {
  expect(() => exact(schema)({ a: {} })).toThrow(message)
})

test('parameters that a schema does not name are taken out, unless it keeps them', () => {
  const taken = { size: '5', filter: 'x' }
  const kept = { ...taken }
  const size = Type.Integer()
  coercing(Type.Object({ size }))(taken)
  coercing(Type.Object({ size }, { additionalProperties: true }))(kept)
  expect(taken).toEqual({ size: 5 })
  expect(kept).toEqual({ size: 5, filter: 'x' })
})
