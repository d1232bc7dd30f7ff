import { expect, it } from 'vitest'
import { plainWord, wordOf } from '../src/word.ts'

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
