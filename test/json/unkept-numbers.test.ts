import { describe, expect, it } from 'vitest'
import { isUnkept, withoutUnkept } from '../../src/json/unkept-numbers.ts'

/** Whether the digits in brackets are told apart from what JavaScript would read. */
function isUnkeptIn(text: string): boolean {
  const start = text.indexOf('<')
  const end = text.indexOf('>') - 1
  return isUnkept(Buffer.from(text.replace(/[<>]/g, '')), start, end)
}

describe('a whole number', () => {
  it.each([
    ['<9007199254740993>', 'which JavaScript reads as the one before'],
    ['[-<12345678901234567>]', 'below zero'],
    [`<${'9'.repeat(310)}>`, 'beyond all'],
  ])('%s is not kept: %s', (text) => {
    expect(isUnkeptIn(text)).toBe(true)
  })

  it.each([
    ['<9007199254740992>', 'which JavaScript has'],
    ['<1152921504606847000>', 'as JavaScript writes the nearest of them'],
    ['<9007199254740993>.5', 'of which only a part is whole'],
    ['0.<9007199254740993>', 'behind the point'],
    ['<9007199254740993>E2', 'with an exponent'],
    ['1e-<9007199254740993>', 'as an exponent'],
    ['<09007199254740993>', 'led by a zero, which is no JSON'],
  ])('%s is left to the parser: %s', (text) => {
    expect(isUnkeptIn(text)).toBe(false)
  })
})

it('what is not kept is out of range afterwards, and all else stays where it was', () => {
  const text = Buffer.from('[9007199254740993,1]')
  const without = withoutUnkept(text, [[1, 17]])
  expect(JSON.parse(without.toString())).toEqual([Number.POSITIVE_INFINITY, 1])
  expect(without).toHaveLength(text.length)
  expect(text.toString()).toBe('[9007199254740993,1]')
})
