import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = [
  'notebook stand',
  'a book of notes',
  'card of 32GB',
  'getUserById()',
  'apart from that',
  'phone A54',
  '東京タワー',
]

const { found, marked } = openTitles(TITLES)

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
    expect((await found(query)).sort()).toEqual(titles.toSorted())
  },
)

it('the one word counts as all of them, also where all are wanted', async () => {
  expect(await found('note book stand', { operator: 'and' })).toEqual(['notebook stand'])
  expect((await found('note book stand'))[0]).toBe('notebook stand')
})

it('the one word is marked', async () => {
  expect((await marked('note book stand'))[0]).toBe('<em>notebook</em> <em>stand</em>')
})
