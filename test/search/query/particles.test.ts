import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = [
  'How to log in',
  'Login of guests',
  'Read the log file',
  'Trouble signing in to it',
  'Install a plug-in',
  'In-ear phones',
  'Look in here',
  'Check out now',
]

const { found, marked, must } = openTitles(TITLES, {}, ['english', 'german'])

it.each([
  ['login', ['How to log in', 'Login of guests']],
  ['log-in', ['How to log in', 'Login of guests', 'Read the log file']],
  ['logging into', ['How to log in', 'Login of guests', 'Read the log file']],
  ['signin', ['Trouble signing in to it']],
  ['plugin', ['Install a plug-in']],
  ['plugins', ['Install a plug-in']],
  ['inear', ['In-ear phones']],
  ['lookin', []],
])(
  'a noun is found by its verb and a particle, which is a stop word: %s',
  async (query, titles) => {
    expect((await found(query)).sort()).toEqual(titles)
  },
)

it('the verb and its particle come before the verb alone', async () => {
  for (const query of ['log in', 'logins'])
    expect((await found(query)).slice(0, 2).sort()).toEqual(['How to log in', 'Login of guests'])
})

it('where other words are stop words, too', async () => {
  expect((await found('login', { index: 'german' })).sort()).toEqual([
    'How to log in',
    'Login of guests',
  ])
})

it('both are marked where they stand', async () => {
  expect(await marked('plugin')).toEqual(['Install a <em>plug-in</em>'])
})

it('one word is no misspelling where documents have two', async () => {
  const body = { index: 'english', query: 'plugin' }
  const { corrections } = await must<{ corrections: unknown[] }>('POST', '/cortex/suggest', body)
  expect(corrections).toEqual([])
})
