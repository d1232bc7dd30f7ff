import { expect, it } from 'vitest'
import { beginningOf, plainWord, shownName, wordOf } from '../src/word.ts'

it.each([
  ['asc', 'asc'],
  [1, '1'],
  [true, 'true'],
  [null, 'null'],
  [undefined, 'undefined'],
  [{}, ''],
  [['asc'], ''],
  [{ toString: 1, valueOf: 2 }, ''],
  [Object.create(null), ''],
])('the word of %j is %j', (sent, word) => {
  expect(wordOf(sent)).toBe(word)
})

it.each(['greaterThan', 'greater_than', 'Greater than', 'GREATER-THAN'])(
  '%s is one word',
  (sent) => {
    expect(plainWord(sent)).toBe('greaterthan')
  },
)

it('of a long name its beginning is shown, in whole characters', () => {
  expect(shownName('year')).toBe('year')
  expect(shownName('x'.repeat(65))).toBe('x'.repeat(64))
  expect(shownName('🍕'.repeat(33))).toBe('🍕'.repeat(32))
  expect(shownName(`x${'🍕'.repeat(33)}`)).toBe(`x${'🍕'.repeat(31)}`)
  expect(beginningOf('x🍕🍕', 4)).toBe('x🍕')
})
