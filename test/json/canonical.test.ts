import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson } from '../../src/json/canonical.ts'

it('does not know the order of keys, and loses nothing', () => {
  fc.assert(
    fc.property(fc.object({ withNullPrototype: false }), (value) => {
      const json = JSON.parse(JSON.stringify(value)) as Record<string, unknown>
      const reversed = Object.fromEntries(Object.entries(json).reverse())
      expect(canonicalJson(reversed)).toBe(canonicalJson(json))
      expect(JSON.parse(canonicalJson(json))).toEqual(json)
    }),
  )
})

it('keeps the order of lists, unless they are sets, and leaves out what is undefined', () => {
  const value = { b: [3, 1, 'x', null], a: undefined, c: [{ z: 1 }, { y: [2, 1] }] }
  expect(canonicalJson(value)).toBe('{"b":[3,1,"x",null],"c":[{"z":1},{"y":[2,1]}]}')
  expect(canonicalJson(value, { areSets: true })).toBe(
    '{"b":["x",1,3,null],"c":[{"y":[1,2]},{"z":1}]}',
  )
  expect(canonicalJson(value, { only: new Set(['b']) })).toBe('{"b":[3,1,"x",null]}')
  expect([canonicalJson(undefined), canonicalJson([undefined])]).toEqual(['null', '[null]'])
})
