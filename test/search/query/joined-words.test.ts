import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

const TITLES = [
  'notebook stand',
  'a book of notes',
  'card of 32GB',
  'getUserById()',
  'apart from that',
  'phone A54',
  '東京タワー',
]

beforeAll(async () => {
  service = await startApp()
  const documents = TITLES.map((title) => ({ id: title, document: { title } }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'shop', documents })
})
afterAll(() => service.close())

interface Found {
  hits: { id: string; highlight?: { title: string[] } }[]
}

const search = (query: string, more: object = {}) =>
  service.must<Found>('POST', '/cortex/search', {
    ...{ index: 'shop', searchType: 'text', query },
    ...more,
  })

it.each([
  ['note book', ['notebook stand', 'a book of notes']],
  ['note-book', ['notebook stand', 'a book of notes']],
  ['32 gb', ['card of 32GB']],
  ['get user by id', ['getUserById()']],
  ['get_user_by_id', ['getUserById()']],
  ['function get user by id returns', ['getUserById()']],
  // A longer query says enough: only pairs are looked up.
  ['which function can get user by id', []],
  ['which card has 32 gb in black', ['card of 32GB']],
  // A word that is left out begins no other one.
  ['a part', []],
  // But those of a code are no stop words.
  ['phone a 54', ['phone A54']],
  ['A-54', ['phone A54']],
  // Signs between them part words.
  ['note; (book)', ['a book of notes']],
])(
  'words side by side also find the word that they are in documents: %s',
  async (query, titles) => {
    const { hits } = await search(query)
    expect(hits.map(({ id }) => id).sort()).toEqual(titles.toSorted())
  },
)

it('the one word counts as all of them, also where all are wanted', async () => {
  const all = await search('note book stand', { operator: 'and' })
  expect(all.hits.map(({ id }) => id)).toEqual(['notebook stand'])
  const { hits } = await search('note book stand')
  expect(hits[0]?.id).toBe('notebook stand')
})

it('marks it', async () => {
  const { hits } = await search('note book stand', { highlight: true })
  expect(hits[0]?.highlight?.title).toEqual(['<em>notebook</em> <em>stand</em>'])
})
