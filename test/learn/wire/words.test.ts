import { expect, it } from 'vitest'
import { knownWordsOf, openWordsOf, wordsOf } from '../../../src/learn/wire/words.ts'

it.each([
  [undefined, undefined],
  [[], undefined],
  [['', ' , '], undefined],
  [['active'], ['ACTIVE']],
  [
    ['Active, paused', 'draft'],
    ['ACTIVE', 'PAUSED', 'DRAFT'],
  ],
])('%j asks for the words %j', (sent, words) => {
  expect(wordsOf(sent)).toEqual(words)
  expect(knownWordsOf('status', sent, ['ACTIVE', 'PAUSED', 'DRAFT'])).toEqual(words)
})

it.each([
  [undefined, undefined],
  [['click'], ['CLICK']],
  [
    ['a,b', 'c'],
    ['A', 'B', 'C', 'A,B'],
  ],
  [['', ' , '], undefined],
])('where words are open, %j asks for the words %j', (sent, words) => {
  expect(openWordsOf(sent)).toEqual(words)
})

it('one word that is not known is refused with those that are', () => {
  for (const sent of [['odd'], ['active,odd'], ['odd', 'active']])
    expect(() => knownWordsOf('status', sent, ['ACTIVE', 'DRAFT'])).toThrow(
      'status must be one of ACTIVE, DRAFT.',
    )
})
