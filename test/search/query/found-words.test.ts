import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = ['Old books', 'Sharp knives', 'TVs', 'Marketing', 'A door bell', 'Ruining']
const { found, must } = openTitles(TITLES)

/** What a query may have been meant to be. */
async function corrected(query: string): Promise<string[]> {
  const { corrections } = await must<{ corrections: { text: string }[] }>(
    'POST',
    '/cortex/suggest',
    { index: 'english', query },
  )
  return corrections.map(({ text }) => text)
}

it.each([
  ['book', 'Old books'],
  ['knife', 'Sharp knives'],
  ['TV', 'TVs'],
  ['marketting', 'Marketing'],
  ['doorbell', 'A door bell'],
])('a word that a search finds in another form is no mistake: %s', async (query, title) => {
  expect(await found(query)).toEqual([title])
  expect(await corrected(query)).toEqual([])
})

it.each([
  ['boks', 'books'],
  ['knivs', 'knives'],
  ['old boks', 'old books'],
  // Beside a word that is found.
  ['book knivs', 'book knives'],
  // What a search finds is stems, not beginnings.
  ['running', 'ruining'],
])('and one that it does not find is corrected: %s', async (query, expected) => {
  expect(await corrected(query)).toEqual([expected])
})

it('a stop word alone, which nothing is found by, stays as it is', async () => {
  expect(await corrected('the')).toEqual([])
})

it('what one index of several finds is no mistake', async () => {
  const document = { title: 'bookc' }
  await must('POST', '/cortex/documents', { index: 'other', document })
  const { corrections } = await must<{ corrections: object[] }>('POST', '/cortex/suggest', {
    index: ['other', 'english'],
    query: 'book',
  })
  expect(corrections).toEqual([])
})
