import { expect, it } from 'vitest'
import { hasArrow, partsOf, sidesOf } from '../src/synonym-rule.ts'

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
