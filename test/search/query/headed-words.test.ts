import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = ['Langes Abendkleid', 'Bratpfanne aus Eisen', 'Klein und Grund', 'Strand']
const { marked, found, must } = openTitles(TITLES, { searchType: 'hybrid' }, ['german', 'english'])

it.each([
  ['Kleid', ['Langes <em>Abendkleid</em>']],
  ['Pfannen', ['<em>Bratpfanne</em> aus Eisen']],
  // What stands before it is no word.
  ['rund', []],
  ['rand', []],
])(
  'a word that no document has is guessed to be what compounds end with: %s',
  async (query, titles) => {
    expect((await marked(query)).filter((title) => title !== undefined)).toEqual(titles)
    expect(await found(query, { searchType: 'text' })).toEqual([])
  },
)

it('and not where compounds are not one word', async () => {
  expect(await found('Pfannen', { index: 'english' })).toEqual([])
})

it('such a word is no misspelling of another one', async () => {
  const corrected = async (query: string, index: string) => {
    const { corrections } = await must<{ corrections: { text: string }[] }>(
      'POST',
      '/cortex/suggest',
      { index, query },
    )
    return corrections.map(({ text }) => text)
  }
  expect(await corrected('Kleid', 'german')).toEqual([])
  expect(await corrected('Kleim', 'german')).toEqual(['klein'])
  expect(await corrected('Kleid', 'english')).toEqual(['klein'])
})
