import { expect, test } from 'vitest'
import { appended, mapped, wholeFrom } from '../../src/cli/option-values.ts'

test('a whole number is read as what it is, and refused below what it may be or with a fraction', () => {
  expect(wholeFrom(1)('500')).toBe(500)
  expect(wholeFrom(0)('0')).toBe(0)
  for (const text of ['0', '-3', '1.5', '', ' ', 'many'])
    expect(() => wholeFrom(1)(text), text).toThrow('It must be a whole number of at least 1.')
})

test('pairs are gathered, the value with all signs of equality but the first', () => {
  const pairs = ['body=content', 'sum=a=b', 'body=text'].reduce(
    (map, text) => mapped(text, map),
    new Map<string, string>(),
  )
  expect([...pairs]).toEqual([
    ['body', 'text'],
    ['sum', 'a=b'],
  ])
  for (const text of ['body', '=content', 'body='])
    expect(() => mapped(text, pairs), text).toThrow('It must read from=to')
  expect(() => mapped('sku=id,name=title', pairs)).toThrow('Give --map once for each field')
})

test('values are gathered in their order', () => {
  expect(['a', 'b'].reduce((list, text) => appended(text, list), ['first'])).toEqual([
    'first',
    'a',
    'b',
  ])
})
