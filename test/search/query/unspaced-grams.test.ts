import { beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

const TITLES = {
  a: '東京都の天気',
  b: '京東',
  c: '京都の寺',
  d: '東と京',
  e: '犬',
  f: 'Tower 東京タワー',
}

beforeAll(async () => {
  service = await startApp()
  const analyzer = { default: { tokenizer: 'pairs', filter: ['lowercase'] } }
  const tokenizer = { pairs: { type: 'ngram', min_gram: 2, max_gram: 2 } }
  const settings = { analysis: { analyzer, tokenizer } }
  await service.must('POST', '/cortex/indices', { name: 'places', settings })
  for (const [id, title] of Object.entries(TITLES))
    await service.must('PUT', `/cortex/documents/${id}?index=places`, { title })
  return () => service.close()
})

it.each([
  ['東京', ['a', 'f']],
  ['東京都', ['a']],
  ['京都', ['a', 'c']],
  ['タワ', ['f']],
  ['犬', ['e']],
  ['tower', ['f']],
])('pairs of characters find parts of Chinese and Japanese words: %s', async (query, expected) => {
  const { hits } = await service.must<{ hits: { id: string }[] }>('POST', '/cortex/search', {
    ...{ index: 'places', query, searchType: 'text', operator: 'and' },
  })
  expect(hits.map(({ id }) => id).sort()).toEqual(expected)
})

it.each([
  ['banana', '<em>banana</em>s'],
  ['ワクワク', '<em>ワクワク</em>する'],
])('a phrase that has a piece twice is marked: %s', async (phrase, expected) => {
  const title = expected.replace(/<.*?>/g, '')
  await service.must('PUT', '/cortex/documents/twice?index=places', { title })
  const { hits } = await service.must<{ hits: { highlight: object }[] }>('POST', '/cortex/search', {
    ...{ index: 'places', query: `"${phrase}"`, searchType: 'text', highlight: true },
  })
  expect(hits.map(({ highlight }) => highlight)).toEqual([{ title: [expected] }])
})
