import { expect, it } from 'vitest'
import { hasArrow, openSynonymCheck, partsOf, sidesOf } from '../src/synonym-rule.ts'

it.each([
  ['car, automobile', [['car', 'automobile']]],
  [['car', ' automobile '], [['car', 'automobile']]],
  [
    ' a,b=>c , d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    ['tv', 'telly => television'],
    [['tv', 'telly'], ['television']],
  ],
  ['a => b => c', [['a'], ['b'], ['c']]],
  ['a,, =>', [['a', '', ''], ['']]],
  ['', [['']]],
  [[], [['']]],
  [['a', 5], undefined],
  [5, undefined],
  [null, undefined],
])('%j has the sides %j', (rule, sides) => {
  expect(sidesOf(rule)).toEqual(sides)
})

it('the core takes a text with an arrow whole, and others by their words', () => {
  expect(partsOf('a , b,')).toEqual(['a', 'b', ''])
  expect(partsOf('a,b => c')).toEqual(['a,b => c'])
  expect(['a = b', 'a=>b'].map(hasArrow)).toEqual([false, true])
})

function words(count: number, prefix = 'w'): string {
  return Array.from({ length: count }, (_, at) => `${prefix}${at}`).join(', ')
}

const MOST = { othersMax: 10, pairsMax: 300, bothWays: true }

it.each<[string, unknown[], { at: number; means: string } | undefined]>([
  ['as many words in a rule as may be', [words(11)], undefined],
  [
    'one more',
    ['a, b', words(12)],
    { at: 1, means: 'gives a word more than 10 others: leave some out' },
  ],
  [
    'a list of texts',
    [words(12).split(', ')],
    { at: 0, means: 'gives a word more than 10 others: leave some out' },
  ],
  [
    'a word in several rules',
    [`a, ${words(6)}`, `A, ${words(5, 'x')}`],
    { at: 1, means: 'gives a word more than 10 others: leave some out' },
  ],
  [
    'before an arrow',
    [`a => ${words(11)}`],
    { at: 0, means: 'gives a word more than 10 others: leave some out' },
  ],
  [
    'behind an arrow',
    [`${words(11)} => a`],
    { at: 0, means: 'gives a word more than 10 others: leave some out' },
  ],
  [
    'many rules',
    [words(11, 'a'), words(11, 'b'), words(11, 'c')],
    { at: 2, means: 'is too much: all words together may have 300 others' },
  ],
  ['what is no rule', [7, null, ['a', {}], 'a => b => c'], undefined],
])('counts what rules of synonyms come to: %s', (_what, rules, excess) => {
  expect(openSynonymCheck(MOST)(rules)).toEqual(excess)
})

it('counts an arrow one way where it is read so, and several lists together', () => {
  const check = openSynonymCheck({ ...MOST, bothWays: false })
  expect(check([`${words(200)} => a`])).toBeUndefined()
  expect(check([`${words(101, 'x')} => b`])).toMatchObject({
    at: 0,
    means: expect.stringContaining('300'),
  })
})
