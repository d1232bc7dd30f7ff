import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson, canonicalParts } from '../../src/json/canonical.ts'

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

it('comes in parts that are the same text', () => {
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`k${n % 7}${n}`, n]))
  const parts = fc.constantFrom<unknown>(
    ...[many, Array(9000).fill({}), Array(9000).fill(1.5), 'é"'.repeat(90_000)],
    ...[[many, [], many], { z: many, b: undefined, a: [[many]] }, [], {}, null, [undefined], 1],
  )
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 4 }), fc.object(), (list, object) => {
      const value = { list, object, last: list.at(-1) }
      expect([...canonicalParts(value)].join('')).toBe(canonicalJson(value))
    }),
    { numRuns: 50 },
  )
  expect([...canonicalParts(Array(90_000).fill({}))].length).toBeGreaterThan(10)
})
