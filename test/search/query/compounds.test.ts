import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

const TITLES = [
  'ネットワークを監視するデーモン',
  'デーモンの一覧',
  'カードゲーム',
  'ゲームのカード',
  'サーバーの設定',
  'テキストエディタ nano',
]

beforeAll(async () => {
  service = await startApp()
  const documents = TITLES.map((title) => ({ id: title, document: { title } }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'pages', documents })
})
afterAll(() => service.close())

interface Found {
  hits: { id: string; highlight?: { title: string[] } }[]
}

const search = (query: string, more: object = {}) =>
  service.must<Found>('POST', '/cortex/search', {
    ...{ index: 'pages', searchType: 'text', query },
    ...more,
  })

it.each([
  ['ネットワークデーモン', ['ネットワークを監視するデーモン', 'デーモンの一覧']],
  // The sign of a long vowel may be left out of each word.
  ['サーバデーモン', ['サーバーの設定', 'デーモンの一覧', 'ネットワークを監視するデーモン']],
  // Documents have the word as it is.
  ['カードゲーム', ['カードゲーム']],
  ['サーバ', ['サーバーの設定']],
  // A rest is left, as of a misspelt word.
  ['ネットワークデーモス', []],
  // It is no phrase.
  ['"ネットワークデーモン"', []],
])(
  'a word in katakana that no document has is looked for in its words: %s',
  async (query, expected) => {
    const { hits } = await search(query)
    expect(hits.map(({ id }) => id).sort()).toEqual([...expected].sort())
  },
)

it('the document with all words of a compound comes first, or alone where all are asked for', async () => {
  const { hits } = await search('ネットワークデーモン')
  expect(hits[0]?.id).toBe('ネットワークを監視するデーモン')
  const all = await search('ネットワークデーモン', { operator: 'and' })
  expect(all.hits.map(({ id }) => id)).toEqual(['ネットワークを監視するデーモン'])
})

it('words of a compound are marked', async () => {
  const { hits } = await search('ネットワークデーモン', { highlight: true })
  expect(hits[0]?.highlight?.title).toEqual(['<em>ネットワーク</em>を監視する<em>デーモン</em>'])
})
