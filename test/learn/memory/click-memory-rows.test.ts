import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type DailyEvidence, UNCOUNTED } from '../../../src/learn/memory/click-memory-evidence.ts'
import { packRemembered, unpackRemembered } from '../../../src/learn/memory/click-memory-rows.ts'

const number = fc.integer({ min: 0, max: 2 ** 40 })
const evidence = fc
  .array(fc.tuple(number, number, number, number, number), { minLength: 1, maxLength: 32 })
  // Only what gained was chosen.
  .map((days): DailyEvidence => days.flatMap((day) => (day[1] > 0 ? day : [...day.slice(0, 4), 0])))

it('what is remembered of a query reads back as it was', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), evidence, { maxKeys: 200 }), (documents) => {
      const all = new Map(Object.entries(documents))
      expect(unpackRemembered(packRemembered(1, all))).toEqual(all)
    }),
  )
})

it('choices take room only where somebody has chosen', () => {
  const rowOf = (documents: Record<string, DailyEvidence>) =>
    packRemembered(1, new Map(Object.entries(documents)))
  expect(rowOf({ '1/a': [3, 0, 500_000, 1_000_000, 0] })).not.toHaveProperty('choices')
  const { choices } = rowOf({ '1/a': [3, 0, 1, 1, 0], '1/b': [3, 5, 1, 1, 7, 4, 6, 1, 1, 8] })
  expect(choices).toHaveLength(3 * 8)
})

it('of rows of earlier versions each look counts as the examination that it was', () => {
  const all = new Map([
    ['1/a', [3, 300_000, 500_000, 1_000_000, 1_000_000, 4, 0, 1_000_000, 1_000_000, 0]],
    ['1/b', [4, 0, 250_000, 1_000_000, 0]],
  ])
  const { looks: _, choices: __, ...earlier } = packRemembered(1, all)
  expect(unpackRemembered(earlier)).toEqual(
    new Map([
      ['1/a', [3, 300_000, 500_000, 500_000, UNCOUNTED, 4, 0, 1_000_000, 1_000_000, 0]],
      ['1/b', [4, 0, 250_000, 250_000, 0]],
    ]),
  )
})
