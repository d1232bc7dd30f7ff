import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = [
  'Notes of 2.10.3',
  'Notes of v3.4',
  'Notes of v3.5.1',
  'Notes of 2.1 and more',
  '12.50 a month',
]

const { search } = openTitles(TITLES, { highlight: true })

it.each([
  ['2.10', 'Notes of 2.10.3'],
  ['v2.10', 'Notes of 2.10.3'],
  ['v2.10.3', 'Notes of 2.10.3'],
  ['3.4', 'Notes of v3.4'],
  ['3.5', 'Notes of v3.5.1'],
  ['v3.5', 'Notes of v3.5.1'],
  ['2.1', 'Notes of 2.1 and more'],
  ['12.5', undefined],
  ['3.51', undefined],
])('the version %s finds %s', async (query, title) => {
  const found = []
  for (const searchType of ['text', 'hybrid']) {
    const hits = await search(query, { searchType })
    const marked = hits.filter(({ highlight }) => highlight !== undefined)
    found.push(marked.map(({ id }) => id))
  }
  const expected = title === undefined ? [] : [title]
  expect(found).toEqual([expected, expected])
})
