import { describe, expect, it } from 'vitest'
import { membersOf, outlineOf } from '../../src/json/outline.ts'
import { ModelSync } from '../../src/schema/model.ts'

describe('the outline of a value', () => {
  const members = membersOf(ModelSync)

  it('holds what a schema names, and says of what is large only what it is, of the rest only its name', () => {
    const scaler = { mean: [1, 2], std: { a: 1 }, other: 1 }
    const state = { weights: { a: [1] }, bias: [0], scaler, metrics: { loss: 'x', more: {} }, a: 1 }
    expect(outlineOf({ modelId: 'm', state, more: 1 }, members)).toEqual({
      modelId: 'm',
      state: {
        weights: { a: null },
        bias: [],
        scaler: { mean: [], std: { a: null }, other: null },
        metrics: { loss: 'x', more: null },
        a: null,
      },
      more: null,
    })
  })

  it('has few of the names that the schema has not', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`other${at}`, [at]]))
    const outline = outlineOf({ ...many, modelId: 'm' }, members) as object
    expect(Object.keys(outline)).toHaveLength(17)
    expect(outline).toMatchObject({ modelId: 'm', other0: null })
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
