import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = [
  'Notes of 2.10.3',
  'Notes of v3.4',
  'Notes of v3.5.1',
  'Notes of 2.1 and more',
  '12.50 a month',
  'Seen in v4.2.1',
  'Fixed in 4.2.1',
]

const { search, found, must } = openTitles(TITLES, { highlight: true })

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

it('a version with what a hyphen joins to it comes before others with the same behind', async () => {
  const documents = [
    {
      id: 'exact',
      document: { title: 'What is new in v6.2.3-rc.1, which all should have by now' },
    },
    { id: 'other', document: { title: 'v7.0.0-rc.1' } },
    { id: 'plain', document: { title: '6.2.3' } },
    { id: 'next', document: { title: 'What is new in 6.2.3-rc.2, which all should have by now' } },
  ]
  await must('POST', '/cortex/documents/bulk', { index: 'english', documents })
  expect((await found('6.2.3-rc.1'))[0]).toBe('exact')
  expect((await found('v6.2.3-rc.1'))[0]).toBe('exact')
  expect((await found('7.0.0-rc.1'))[0]).toBe('other')
})

it('where documents write a version with a v and without, both are found, the one that was typed first', async () => {
  expect(await found('4.2.1')).toEqual(['Fixed in 4.2.1', 'Seen in v4.2.1'])
  expect(await found('v4.2.1')).toEqual(['Seen in v4.2.1', 'Fixed in 4.2.1'])
})
