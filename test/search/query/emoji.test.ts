import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

const COOK = '👩\u200d🍳'
const FIREFIGHTER = '👩\u200d🚒'
const DOCUMENTS = {
  pizza: 'Pizza night🍕with friends',
  heart: 'I ❤️ this, really 👍🏽',
  cook: `Ask the cook ${COOK} about rice`,
  plain: 'Pizza without anything',
  stars: 'Rated ★★★☆☆',
}

beforeAll(async () => {
  service = await startApp()
  const settings = { analysis: { synonyms: ['🍕, calzone'] } }
  await service.must('POST', '/cortex/indices', { name: 'posts', settings })
  for (const [id, title] of Object.entries(DOCUMENTS))
    await service.must('POST', '/cortex/documents', { index: 'posts', id, document: { title } })
})
afterAll(() => service.close())

async function find(query: string, more: object = {}) {
  const body = { index: 'posts', searchType: 'text', size: 100, query, ...more }
  const { hits } = await service.must<{
    hits: { id: string; highlight?: { title?: string[] } }[]
  }>('POST', '/cortex/search', body)
  return { ids: hits.map(({ id }) => id).sort(), marked: hits[0]?.highlight?.title?.[0] }
}

it.each<[string, string[], object?]>([
  ['🍕', ['pizza']],
  ['night 🍕', ['pizza'], { operator: 'and' }],
  ['"night 🍕 with"', ['pizza']],
  ['❤', ['heart']],
  ['❤️', ['heart']],
  ['👍', ['heart']],
  ['👍🏿', ['heart']],
  [COOK, ['cook']],
  ['👩', []],
  ['👩', ['cook'], { prefix: true }],
  ['★', ['stars']],
  ['☆', ['stars']],
  ['calzone', ['pizza']],
  ['🚗', []],
  // Most of its characters are those of the cook; it is another picture all the same.
  [FIREFIGHTER, [], { fuzziness: 'AUTO' }],
  [FIREFIGHTER, [], { fuzziness: 2 }],
])('%s finds %j', async (query, ids, more = {}) => {
  expect((await find(query, more)).ids).toEqual(ids)
})

it('an emoji is marked whole, as the document shows it', async () => {
  const marked = async (query: string) => (await find(query, { highlight: true })).marked
  expect(await marked('🍕')).toBe('Pizza night<em>🍕</em>with friends')
  expect(await marked('👍')).toBe('I ❤️ this, really <em>👍🏽</em>')
  expect(await marked('❤')).toBe('I <em>❤️</em> this, really 👍🏽')
  expect(await marked(COOK)).toBe(`Ask the cook <em>${COOK}</em> about rice`)
})

it('suggestions go on with emoji and correct none', async () => {
  const suggest = (body: object) =>
    service.must<{ completions: object[]; corrections: object[] }>('POST', '/cortex/suggest', {
      ...{ index: 'posts', ...body },
    })
  const { completions } = await suggest({ prefix: 'my 👩' })
  expect(completions).toEqual([{ text: `my ${COOK}`, documents: 1 }])
  expect((await suggest({ query: FIREFIGHTER })).corrections).toEqual([])
})

it('every emoji that this Node knows is a word', async () => {
  const all: string[] = []
  for (let code = 0x80; code < 0x20000; code++) {
    const character = String.fromCodePoint(code)
    // Skin tones are nothing by themselves.
    const isTone = code >= 0x1f3fb && code <= 0x1f3ff
    if (/^\p{Emoji}$/u.test(character) && !isTone) all.push(`${character}\ufe0f`)
  }
  expect(all.length).toBeGreaterThan(1000)
  const documents = all.map((title, at) => ({ id: `e${at}`, document: { title: `x ${title}` } }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'all', documents })
  const found = new Set<string>()
  for (let at = 0; at < all.length; at += 50) {
    const query = all.slice(at, at + 50).join(' ')
    for (const id of (await find(query, { index: 'all' })).ids) found.add(id)
  }
  expect(all.filter((_, at) => !found.has(`e${at}`))).toEqual([])
})

it('tells C++ from C# where a sub-field keeps the signs of its words', async () => {
  const signs = { tokenizer: 'whitespace', filter: ['lowercase'] }
  await service.must('POST', '/cortex/indices', {
    name: 'languages',
    settings: { analysis: { analyzer: { signs } } },
    mappings: {
      properties: {
        title: { type: 'text', fields: { signs: { type: 'text', analyzer: 'signs' } } },
      },
    },
  })
  for (const title of ['C++ course', 'C# course', 'C course'])
    await service.must('POST', '/cortex/documents', {
      ...{ index: 'languages', id: title, document: { title } },
    })
  const all = ['C course', 'C# course', 'C++ course']
  expect((await find('c++', { index: 'languages' })).ids).toEqual(all)
  expect((await find('c', { index: 'languages' })).ids).toEqual(all)
  const exact = { index: 'languages', searchFields: ['title.signs'] }
  expect((await find('c++', exact)).ids).toEqual(['C++ course'])
  expect((await find('C#', exact)).ids).toEqual(['C# course'])
})
