import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

const DOCUMENTS = [
  { title: 'It', content: 'a clown' },
  { title: 'It Follows', content: 'it is not a clown' },
  { title: 'To be or not to be', content: 'actors in Warsaw' },
  { title: 'Help desk', content: 'whom to call', tags: ['IT', 'office'] },
  { title: 'The the', content: 'a band' },
  // Their stems are stop words.
  { title: 'Its being', content: 'ands and thes' },
]

beforeAll(async () => {
  service = await startApp()
  await service.must('PUT', '/cortex/indices/plain', {
    settings: {
      analysis: {
        analyzer: {
          default: { type: 'custom', tokenizer: 'standard', filter: ['lowercase', 'stop'] },
        },
      },
    },
  })
  for (const index of ['films', 'plain']) {
    const documents = DOCUMENTS.map((document) => ({ id: document.title, document }))
    await service.must('POST', '/cortex/documents/bulk', { index, documents })
  }
})
afterAll(() => service.close())

interface Found {
  total: number
  hits: { id: string; highlight?: { title: string[] } }[]
  searchContext: { warnings?: string[] }
}

const search = (query: string, more: object = {}) =>
  service.must<Found>('POST', '/cortex/search', {
    ...{ index: 'films', searchType: 'text', query },
    ...more,
  })
const titles = async (query: string, more: object = {}) =>
  (await search(query, more)).hits.map(({ id }) => id).sort()

it.each([
  ['it', ['Help desk', 'It']],
  ['To be, or not to be', ['To be or not to be']],
  ['"to be"', ['To be or not to be']],
  ['the', ['The the']],
  // A word that is kept says what is meant.
  ['it follows', ['It Follows']],
  ['"to be" clown', ['It', 'It Follows']],
  ['with', []],
])('a query of stop words alone finds texts of these alone: %s', async (query, expected) => {
  expect(await titles(query)).toEqual(expected)
})

it('also by meaning and words, all of them, in one field, and marked', async () => {
  expect(await titles('it', { searchType: 'hybrid' })).toEqual(['Help desk', 'It'])
  expect(await titles('it the', { operator: 'and' })).toEqual([])
  expect(await titles('it', { searchFields: ['tags'] })).toEqual(['Help desk'])
  expect(await titles('', { filters: { title: 'It' } })).toEqual(['It'])
  const { hits, searchContext } = await search('not to be', { highlight: true })
  expect(hits[0]?.highlight?.title).toEqual([
    '<em>To</em> <em>be</em> or <em>not</em> <em>to</em> <em>be</em>',
  ])
  expect(searchContext.warnings).toBeUndefined()
})

it('who declares filters of their own has what they say', async () => {
  expect(await titles('it', { index: 'plain' })).toEqual([])
})
