import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = [
  'Jacke',
  'Regen im Mai',
  'Rote Regenjacke',
  'Jackentasche',
  'Tasche',
  'Jackett',
  'Schifffahrtsamt',
  'Schifffahrt',
  'Amt',
  'Straßenbahn',
  'Überweisung',
  'Weisung',
]
const WITH_COMPOUNDS = ['german', 'dutch', 'swedish', 'danish', 'norwegian'] as const
const { found, marked, must } = openTitles(TITLES, {}, [...WITH_COMPOUNDS, 'english'])

it.each([
  // What is typed comes first.
  ['jacke', ['<em>Jacke</em>', '<em>Jackentasche</em>', 'Rote <em>Regenjacke</em>']],
  // A compound with another form of the word.
  ['Jacken', ['<em>Jacke</em>', '<em>Jackentasche</em>', 'Rote <em>Regenjacke</em>']],
  ['regen', ['<em>Regen</em> im Mai', 'Rote <em>Regenjacke</em>']],
  ['Regenjacke', ['Rote <em>Regenjacke</em>', '<em>Jacke</em>', '<em>Regen</em> im Mai']],
  ['amt', ['<em>Amt</em>', '<em>Schifffahrtsamt</em>']],
  ['schifffahrtsamt', ['<em>Schifffahrtsamt</em>', '<em>Schifffahrt</em>', '<em>Amt</em>']],
  // No document has a word for the rest of it.
  ['bahn', []],
  ['jackett', ['<em>Jackett</em>']],
  // A stop word is looked for among texts of stop words alone.
  ['über', []],
  ['weisung', ['<em>Weisung</em>']],
  // Within quotes a word is what is written.
  ['"jacke"', ['<em>Jacke</em>']],
  ['"rote regenjacke"', ['<em>Rote</em> <em>Regenjacke</em>']],
])('a word is found within compounds, and a compound by its parts: %s', async (query, titles) => {
  expect(await marked(query)).toEqual(titles)
})

it.each(WITH_COMPOUNDS)('compounds of %s are found by their parts', async (index) => {
  const titles = await found('jacke', { index })
  expect(titles[0]).toBe('Jacke')
  expect(titles.toSorted()).toEqual(['Jacke', 'Jackentasche', 'Rote Regenjacke'])
})

it('words of other languages are not looked for within others', async () => {
  expect(await found('jacke', { index: 'english' })).toEqual(['Jacke'])
  expect(await found('regenjacke', { index: 'english' })).toEqual(['Rote Regenjacke'])
})

it('a compound stands for its part where all words are asked for', async () => {
  const all = { operator: 'and' }
  expect(await found('rote jacke', all)).toEqual(['Rote Regenjacke'])
  expect(await found('blaue jacke', all)).toEqual([])
})

it('what is found by parts is counted as it is listed, on every page', async () => {
  const ask = (more: object) =>
    must<{ total: number; hits: { id: string }[]; facets?: Record<string, unknown> }>(
      'POST',
      '/cortex/search',
      { index: 'german', searchType: 'text', query: 'jacke', ...more },
    )
  const first = await ask({ size: 2 })
  const second = await ask({ size: 2, from: 2 })
  expect([first.total, second.total]).toEqual([3, 3])
  expect([...first.hits, ...second.hits].map(({ id }) => id)).toEqual(await found('jacke'))
})
