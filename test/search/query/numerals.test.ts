import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = [
  'Algebra I',
  'Algebra II',
  'Algebra 2, notes',
  'Hotel on Fifth Avenue',
  'Hotel on 4th Avenue',
  'Symphony No. 5',
  'Take Five',
  'Rocky V',
  'Chapter 10, as I said, v. 3',
  'World War I',
]

const { found, marked } = openTitles(TITLES, { operator: 'and' }, ['english', 'none'])

it.each([
  // What is written comes first.
  ['algebra 2', ['Algebra 2, notes', 'Algebra II']],
  ['algebra ii', ['Algebra II', 'Algebra 2, notes']],
  ['algebra two', ['Algebra II', 'Algebra 2, notes']],
  ['5th avenue', ['Hotel on Fifth Avenue']],
  ['FOURTH avenue', ['Hotel on 4th Avenue']],
  ['take 5', ['Take Five']],
  // A single letter is a number behind the same word alone.
  ['algebra 1', ['Algebra I']],
  ['rocky 5', ['Rocky V']],
  ['chapter x', ['Chapter 10, as I said, v. 3']],
  ['world war 1', ['World War I']],
])('a number is found however it is written: %s', async (query, expected) => {
  expect(await found(query)).toEqual(expected)
})

it.each([
  // Texts have "I" and "one" for other reasons, and a place in a row is no number.
  ['war 10', {}],
  ['chapter 5', {}],
  ['algebra one', {}],
  ['5 avenue', {}],
  ['fifth symphony', {}],
  // Words of no language have no other forms.
  ['take 5', { index: 'none' }],
])('and not by what may be something else: %s %j', async (query, more) => {
  expect(await found(query, more)).toEqual([])
})

it('in a long query, a number says little', async () => {
  const long = '2 songs of an old band from Chicago with label'
  expect(await found(long, { operator: 'or' })).toEqual(['Algebra 2, notes'])
})

it('the form that the text has is marked', async () => {
  const expected = '<em>Hotel</em> on <em>Fifth</em> <em>Avenue</em>'
  expect(await marked('hotel 5th avenue')).toEqual([expected])
})
