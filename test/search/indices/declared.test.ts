import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

/* What docs/indices.md says of an index that is made ahead of its documents. */

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

async function make(name: string, analysis: object, properties: object = {}): Promise<void> {
  const body = { name, settings: { analysis }, mappings: { properties } }
  await service.must('POST', '/cortex/indices', body)
}

async function store(index: string, documents: Record<string, object>): Promise<void> {
  const items = Object.entries(documents).map(([id, document]) => ({ id, document }))
  await service.must('POST', `/cortex/documents/bulk?index=${index}`, { documents: items })
}

async function find(index: string, query: string, more: object = {}): Promise<string[]> {
  const body = { index, query, searchType: 'text', ...more }
  const { hits } = await service.must<{ hits: { id: string }[] }>('POST', '/cortex/search', body)
  return hits.map(({ id }) => id).sort()
}

it('takes words for English by default, and as they are with language none', async () => {
  const documents = {
    it: { title: 'The IT department', content: 'To be or not to be' },
    runs: { title: 'Running' },
  }
  await make('none', { language: 'none' })
  await make('all', { stopWords: false })
  for (const index of ['english', 'none', 'all']) await store(index, documents)
  const queries = ['IT', 'to be or not to be', 'run']
  const found = (index: string) => Promise.all(queries.map((query) => find(index, query)))
  // A text that has nothing but stop words keeps them.
  expect(await found('english')).toEqual([[], ['it'], ['runs']])
  expect(await found('none')).toEqual([['it'], ['it'], []])
  expect(await found('all')).toEqual([['it'], ['it'], ['runs']])
})

it('finds Chinese by its characters, katakana by whole words, and Arabic by its stems', async () => {
  await store('east', {
    tokyo: { title: '东京大学' },
    kyoto: { title: '京都' },
    shop: { title: '京东' },
    osaka: { title: '大阪' },
    test: { title: 'カタカナのテスト' },
    kana: { title: 'ひらがな' },
  })
  expect(await find('east', '东京')).toEqual(['kyoto', 'shop', 'tokyo'])
  expect(await find('east', '东京', { operator: 'and' })).toEqual(['shop', 'tokyo'])
  expect(await find('east', '"东京"')).toEqual(['tokyo'])
  expect(await find('east', 'らひ', { operator: 'and' })).toEqual(['kana'])
  expect([await find('east', 'カタ'), await find('east', 'テスト')]).toEqual([[], ['test']])
  await make('arabic', { language: 'arabic' })
  for (const index of ['arabic', 'east']) await store(index, { libraries: { title: 'المكتبات' } })
  expect(await find('arabic', 'مكتبة')).toEqual(['libraries'])
  expect(await find('east', 'مكتبة')).toEqual(['libraries'])
})

it('ends a word in katakana where letters of another kind begin, whatever its width', async () => {
  await store('katakana', {
    cable: { title: 'USBケーブル 2m' },
    shirt: { title: 'ABCカードとTシャツ' },
    old: { title: 'ﾊﾟｽﾜｰﾄﾞ' },
    apart: { title: 'パスワード'.normalize('NFD') },
  })
  for (const word of ['USB', 'ケーブル', 'usb ケーブル', '"USBケーブル"'])
    expect(await find('katakana', word, { operator: 'and' })).toEqual(['cable'])
  for (const word of ['ABC', 'カード', 'シャツ', 'Tシャツ'])
    expect(await find('katakana', word, { operator: 'and' })).toEqual(['shirt'])
  for (const word of ['パスワード', 'ﾊﾟｽﾜｰﾄﾞ'])
    expect(await find('katakana', word)).toEqual(['apart', 'old'])
})

it('finds words in any of their forms for what rules of synonyms say of one', async () => {
  await make('shoes', { synonyms: ['sneaker, running shoe', 'telly => television'] })
  await store('shoes', { shoe: { title: 'Running shoes' }, set: { title: 'Televisions' } })
  for (const query of ['sneaker', 'sneakers', 'run shoe'])
    expect([query, await find('shoes', query)]).toEqual([query, ['shoe']])
  for (const query of ['telly', 'tellies', 'televisions'])
    expect([query, await find('shoes', query)]).toEqual([query, ['set']])
})

it('finds Korean words without their particles, and Chinese ones as they stand, by one and two characters', async () => {
  const analyzer = { default: { tokenizer: 'two', filter: ['lowercase'] } }
  const tokenizer = { two: { type: 'ngram', min_gram: 1, max_gram: 2 } }
  await make('pairs', { analyzer, tokenizer })
  await store('pairs', {
    password: { title: '비밀번호를 재설정' },
    number: { title: '전화번호' },
    tokyo: { title: '東京都' },
    other: { title: '京東' },
  })
  const whole = (query: string) => find('pairs', query, { operator: 'and' })
  expect(await whole('비밀번호')).toEqual(['password'])
  expect([await whole('東京'), await whole('都')]).toEqual([['tokyo'], ['tokyo']])
})

it('reads what docs/indices.md names of a field and of an analyzer', async () => {
  await make(
    'named',
    {
      analyzer: { parts: { tokenizer: 'starts', filter: ['lowercase', 'few'] } },
      tokenizer: { starts: { type: 'edge_ngram', min_gram: 2, max_gram: 5 } },
      filter: { few: { type: 'stop', stopwords: ['foo'] } },
    },
    {
      city: {
        ...{ type: 'text', analyzer: 'parts', searchAnalyzer: 'standard' },
        fields: { raw: { type: 'keyword' } },
      },
      quiet: { type: 'text', searched: false },
      place: { type: 'object', properties: { street: { type: 'keyword', searched: true } } },
    },
  )
  await store('named', {
    a: { city: 'Hamburg', quiet: 'hidden', place: { street: 'Long Lane' }, loose: 'unread words' },
  })
  expect(await find('named', 'ham')).toEqual(['a'])
  expect(await find('named', '', { filters: { 'city.raw': 'Hamburg' } })).toEqual(['a'])
  expect(await find('named', 'lane')).toEqual(['a'])
  expect(await find('named', '', { filters: { 'place.street': 'Long Lane' } })).toEqual(['a'])
  expect(await find('named', 'hidden')).toEqual([])
  expect(await find('named', 'hidden', { searchFields: ['quiet'] })).toEqual(['a'])
  expect(await find('named', 'unread')).toEqual([])
})

it('gives title twice the weight only where the mapping does not name it', async () => {
  await make('even', {}, { title: { type: 'text' } })
  const documents = { a: { title: 'bee', content: 'wasp' }, b: { title: 'wasp', content: 'bee' } }
  const scores = async (index: string) => {
    await store(index, documents)
    const body = { index, query: 'bee', searchType: 'text' }
    const { hits } = await service.must<{ hits: { id: string; score: number }[] }>(
      ...(['POST', '/cortex/search', body] as const),
    )
    return Object.fromEntries(hits.map(({ id, score }) => [id, score]))
  }
  const [even, plain] = [await scores('even'), await scores('plain')]
  expect(even.a).toBe(even.b)
  expect(plain.a).toBeGreaterThan(plain.b as number)
})

it('takes 1 and "1" of a field without a mapping for one value, and bounds by their type', async () => {
  await store('loose', {
    number: { title: 'x', v: 1 },
    text: { title: 'x', v: '1' },
    ten: { title: 'x', v: '10' },
    eleven: { title: 'x', v: 11 },
  })
  const by = (v: unknown) => find('loose', '', { filters: { v } })
  expect(await by(1)).toEqual(['number', 'text'])
  expect(await by('1')).toEqual(['number', 'text'])
  expect(await by({ gte: 1 })).toEqual(['eleven', 'number'])
  expect(await by({ gte: '10' })).toEqual(['eleven', 'ten'])
  expect(await by({ lt: '9' })).toEqual(['number', 'ten', 'text'])
})
