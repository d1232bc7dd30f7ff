import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

async function fill(index: string, titles: string[], analysis: object = {}): Promise<void> {
  await service.must('POST', '/cortex/indices', { name: index, settings: { analysis } })
  const documents = titles.map((title) => ({ index, id: title, document: { title } }))
  await service.must('POST', '/cortex/documents/bulk', { documents })
}

async function found(index: string, query: string, more: object = {}) {
  const search = { index, query, searchType: 'text', highlight: true, ...more }
  const { hits } = await service.must<{
    hits: { id: string; highlight: { title: string[] } }[]
  }>('POST', '/cortex/search', search)
  return hits.map(({ id, highlight }) => [id, highlight.title[0]])
}

it.each([
  ['chinese', '筆記型電腦', '电脑', '筆記型<em>電腦</em>'],
  ['chinese', '台湾乌龙茶', '臺灣', '<em>台湾</em>乌龙茶'],
  ['korean', '비밀번호를 잊음', '비밀번호', '<em>비밀번호를</em> 잊음'],
  ['korean', '주소 변경', '변경하는', '주소 <em>변경</em>'],
  ['japanese', 'サーバーの設定', 'サーバ', '<em>サーバー</em>の設定'],
  ['ukrainian', "Комп'ютер новий", 'компютер', '<em>Комп&#39;ютер</em> новий'],
  ['ukrainian', 'М’ятний чай', "м'ятний", '<em>М’ятний</em> чай'],
  ['ukrainian', 'дев’ять столів', 'столи', 'дев’ять <em>столів</em>'],
  ['russian', 'Ёлочный шар', 'елочный', '<em>Ёлочный</em> шар'],
  ['hindi', 'हिन्दी फ़िल्म', 'हिंदी फिल्म', '<em>हिन्दी</em> <em>फ़िल्म</em>'],
  ['hebrew', 'שָׁלוֹם עולם', 'שלום', '<em>שָׁלוֹם</em> עולם'],
  ['arabic', 'هاتف ١٢٨ جيجا', '128', 'هاتف <em>١٢٨</em> جيجا'],
  ['persian', 'کتاب خوب', 'كتاب', '<em>کتاب</em> خوب'],
  // The sign of keyboards, and the Greek letter.
  ['units', 'capacitor 10\u{b5}F', '10\u{3bc}F', 'capacitor <em>10\u{b5}F</em>'],
  ['letters', 'receptor \u{3bc}', '\u{b5}', 'receptor <em>\u{3bc}</em>'],
])('what people type finds what is written, in %s: %s', async (language, title, query, marked) => {
  const index = `${language}-${[...title].map((c) => c.codePointAt(0)?.toString(36)).join('')}`
  await fill(index, [title, 'another'])
  expect(await found(index, query)).toEqual([[title, marked]])
})

it('Japanese characters that mean different things stay two', async () => {
  await fill('desks', ['木の机', '洗濯機'])
  expect((await found('desks', '机')).map(([id]) => id)).toEqual(['木の机'])
})

it('a prefix is found with and without the marks of its letters', async () => {
  await fill('beginnings', ['Ёлочные шары'])
  for (const query of ['ёлоч', 'елоч'])
    expect(await found('beginnings', query, { prefix: true })).toHaveLength(1)
})

it('suggestions keep Chinese characters as they were typed, and go on from none', async () => {
  await fill('shown', ['電 lamp'])
  const suggest = (prefix: string) =>
    service.must<{ completions: { text: string }[] }>('POST', '/cortex/suggest', {
      index: 'shown',
      prefix,
    })
  const completed = async (prefix: string) =>
    (await suggest(prefix)).completions.map(({ text }) => text)
  expect(await completed('電 la')).toEqual(['電 lamp'])
  for (const prefix of ['電', '新電', 'lamp 電']) expect(await completed(prefix)).toEqual([])
})

it('without folding, letters are what they are', async () => {
  await fill('exact', ['筆記', 'ёлка'], { asciiFolding: false, language: 'none' })
  expect(await found('exact', '笔记')).toEqual([])
  expect(await found('exact', 'елка')).toEqual([])
})

it.each([
  ['polish', ['książki', 'książka', 'ksiazki']],
  ['czech', ['knihy', 'kniha', 'knihou']],
  ['serbian', ['књига', 'књигама']],
])('words in %s are stemmed', async (language, [written = '', ...typed]) => {
  await fill(language, [written], { language })
  for (const query of typed) expect(await found(language, query), query).toHaveLength(1)
})
