import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import type { IndexSettings } from '../../../src/schema/indices.ts'
import { refuseMalformedSynonyms } from '../../../src/search/indices/synonyms.ts'

const FORM =
  'a rule is a list of words, "car, automobile" or ["car", "automobile"], or goes with an arrow, "tv => television"'

async function refusal(settings: object): Promise<unknown> {
  try {
    await refuseMalformedSynonyms(settings as IndexSettings)
    return undefined
  } catch (cause) {
    return cause instanceof ServiceError ? [cause.status, cause.details] : cause
  }
}

describe('rules of synonyms', () => {
  it.each([
    ['=> b', 'must have a word before =>'],
    ['a =>', 'must have a word behind =>'],
    ['=>', 'must have a word before =>'],
    ['a => b => c', 'must have one =>'],
    ['a, , b', 'has an empty word between its commas'],
    ['a, b,', 'has an empty word between its commas'],
    ['a,, b => c', 'has an empty word between its commas'],
    ['a', 'must have more than one word'],
    ['', 'must not be empty'],
    [' , ', 'must not be empty'],
    [[], 'must not be empty'],
    [['a'], 'must have more than one word'],
    [['a', ' '], 'has an empty word between its commas'],
    [['a', 5], 'must hold texts alone'],
    [['a => b', 'c => d'], 'must have one =>'],
    [['a =>'], 'must have a word behind =>'],
    [5, 'must be a text or a list of texts'],
    [{ a: 'b' }, 'must be a text or a list of texts'],
  ])('%j is refused by its place', async (rule, mistake) => {
    const synonyms = ['car, automobile', 'tv => television', rule]
    const message = `${mistake}; ${FORM}`
    expect(await refusal({ analysis: { synonyms } })).toEqual([
      400,
      [{ path: 'settings.analysis.synonyms[2]', message }],
    ])
    expect(await refusal({ index: { analysis: { filter: { mine: { synonyms } } } } })).toEqual([
      400,
      [{ path: 'settings.index.analysis.filter.mine.synonyms[2]', message }],
    ])
  })

  it.each([
    ['car, automobile'],
    ['united states, usa'],
    ['a,b => c , d'],
    [['car', 'automobile']],
    [['tv, telly => television']],
    [['car, automobile']],
    [['tv', 'telly => television']],
  ])('%j is one', async (rule) => {
    expect(await refusal({ analysis: { synonyms: [rule], filter: { f: { type: 'stop' } } } })).toBe(
      undefined,
    )
  })

  it('those that come to more than can be read are refused by the one that is too much', async () => {
    const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join()
    expect(await refusal({ analysis: { synonyms: ['a, b', words(501)] } })).toBe(undefined)
    const message = 'gives a word more than 500 others: leave some out'
    expect(await refusal({ analysis: { synonyms: ['a, b', words(502)] } })).toEqual([
      400,
      [{ path: 'settings.analysis.synonyms[1]', message }],
    ])
    const filter = Object.fromEntries(
      [1, 2, 3].map((at) => [`f${at}`, { type: 'synonym', synonyms: [words(450)] }]),
    )
    const together = 'is too much: all words together may have 500000 others'
    expect(await refusal({ analysis: { filter } })).toEqual([
      400,
      [{ path: 'settings.analysis.filter.f3.synonyms[0]', message: together }],
    ])
  })

  it('settings without any are taken', async () => {
    for (const settings of [{}, { analysis: {} }, { analysis: { synonyms: [] } }, { index: {} }])
      expect(await refusal(settings)).toBe(undefined)
  })
})

it('gives others turns between the rules of a long list', async () => {
  const synonyms = Array.from({ length: 50 }, (_, n) => `a${n}, b${n}`)
  let steps = 0
  const breathe = async (): Promise<void> => {
    steps += 1
  }
  const settings = { analysis: { synonyms, filter: { own: { type: 'synonym', synonyms } } } }
  await refuseMalformedSynonyms(settings as IndexSettings, breathe)
  expect(steps).toBeGreaterThanOrEqual(2 * synonyms.length)
})
