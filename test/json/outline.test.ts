import { describe, expect, it } from 'vitest'
import { membersOf, outlineOf } from '../../src/json/outline.ts'
import { ModelSync } from '../../src/schema/model.ts'

describe('the outline of a value', () => {
  const members = membersOf(ModelSync)

  it('holds what a schema names, and says of what is large only what it is', () => {
    const scaler = { mean: [1, 2], std: { a: 1 }, other: 1 }
    const state = { weights: { a: [1] }, bias: [0], scaler, metrics: { loss: 'x', more: {} }, a: 1 }
    expect(outlineOf({ modelId: 'm', state, more: 1 }, members)).toEqual({
      modelId: 'm',
      state: { weights: {}, bias: [], scaler: { mean: [], std: {} }, metrics: { loss: 'x' } },
    })
  })

  it.each([null, 5, 'text', true, [], { state: null }, { state: [] }, { state: {}, modelId: {} }])(
    'of another shape is of that shape: %j',
    (value) => expect(outlineOf(value, members)).toEqual(value),
  )

  it('knows what objects inherit from what they hold', () => {
    const named = membersOf({
      properties: { constructor: {}, a: { properties: { toString: {} } } },
    })
    expect(Object.keys(named)).toEqual(['constructor', 'a'])
    expect(outlineOf({ a: {} }, named)).toEqual({ a: {} })
    expect(membersOf({})).toEqual({})
  })
})
