import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

const TITLES = [
  'OLED TV',
  'Screws for TVs',
  'Camera lens',
  'Cooler for CPUs',
  'Sports bra',
  'Menu of the day',
  'Meta-analyses of trials',
  'Firemen at work',
  'Two knives',
  'Mr Smith',
  'Mrs Jones',
  'Roses',
]

beforeAll(async () => {
  service = await startApp()
  const documents = TITLES.map((title) => ({ id: title, document: { title } }))
  for (const index of ['english', 'none']) {
    const settings = { analysis: { language: index } }
    await service.must('POST', '/cortex/indices', { name: index, settings })
    await service.must('POST', '/cortex/documents/bulk', { index, documents })
  }
})
afterAll(() => service.close())

const found = async (query: string, more: object = {}) => {
  const search = { index: 'english', searchType: 'text', operator: 'and', query, highlight: true }
  const { hits } = await service.must<{
    hits: { id: string; highlight: { title: string[] } }[]
  }>('POST', '/cortex/search', { ...search, ...more })
  return hits.map(({ highlight }) => highlight.title[0])
}

it.each([
  // What is typed comes first.
  ['tv', ['OLED <em>TV</em>', 'Screws for <em>TVs</em>']],
  ['TVs', ['Screws for <em>TVs</em>', 'OLED <em>TV</em>']],
  ['lenses', ['Camera <em>lens</em>']],
  ['cpu', ['Cooler for <em>CPUs</em>']],
  ['bras', ['Sports <em>bra</em>']],
  ['menus', ['<em>Menu</em> of the day']],
  ['meta-analysis', ['<em>Meta</em>-<em>analyses</em> of trials']],
  ['fireman', ['<em>Firemen</em> at work']],
  ['knife', ['Two <em>knives</em>']],
  // These are others.
  ['mr', ['<em>Mr</em> Smith']],
  ['ros', []],
])('one finds many, and many one, where words are English: %s', async (query, titles) => {
  expect(await found(query)).toEqual(titles)
})

it('other languages have other plurals', async () => {
  expect(await found('lenses', { index: 'none' })).toEqual([])
})
