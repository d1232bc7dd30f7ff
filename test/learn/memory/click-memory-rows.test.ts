import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DailyEvidence } from '../../../src/learn/memory/click-memory-evidence.ts'
import { packRemembered, unpackRemembered } from '../../../src/learn/memory/click-memory-rows.ts'

const number = fc.integer({ min: 0, max: 2 ** 40 })
const evidence = fc
  .array(fc.tuple(number, number, number, number), { minLength: 1, maxLength: 32 })
  .map((days): DailyEvidence => days.flat())

it('what is remembered of a query reads back as it was', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), evidence, { maxKeys: 200 }), (documents) => {
      const all = new Map(Object.entries(documents))
      expect(unpackRemembered(packRemembered(1, all))).toEqual(all)
    }),
  )
})

it('of rows of earlier versions each look counts as the examination that it was', () => {
  const all = new Map([
    ['1/a', [3, 300_000, 500_000, 1_000_000, 4, 0, 1_000_000, 1_000_000]],
    ['1/b', [4, 0, 250_000, 1_000_000]],
  ])
  const { looks: _, ...earlier } = packRemembered(1, all)
  expect(unpackRemembered(earlier)).toEqual(
    new Map([
      ['1/a', [3, 300_000, 500_000, 500_000, 4, 0, 1_000_000, 1_000_000]],
      ['1/b', [4, 0, 250_000, 250_000]],
    ]),
  )
})
