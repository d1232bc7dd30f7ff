import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

async function fill(index: string, analysis: object, titles: string[]): Promise<void> {
  await service.must('POST', '/cortex/indices', { name: index, settings: { analysis } })
  const documents = titles.map((title) => ({ id: title, title }))
  await service.must('POST', '/cortex/documents/bulk', { index, documents })
}

async function found(index: string, query: string, more: object = {}) {
  const search = { index, query, searchType: 'text', highlight: true, ...more }
  const { hits } = await service.must<{
    hits: { id: string; highlight: { title: string[] } }[]
  }>('POST', '/cortex/search', search)
  return hits.map(({ id, highlight }) => [id, highlight.title[0]])
}

describe('a word with accents', () => {
  it.each([
    ['portuguese', 'informação', 'informações', 'informacao'],
    ['french', 'acheté', 'achetées', 'achete'],
    ['turkish', 'kız', 'kızlar', 'kiz'],
  ])('in %s finds its inflections, and is found without them', async (language, ...words) => {
    const [plain = '', inflected = '', typed] = words
    await fill(language, { language }, [plain, inflected])
    for (const query of [plain, inflected, plain.toUpperCase()]) {
      const ids = (await found(language, query)).map(([id]) => id)
      expect(ids.sort(), query).toEqual([plain, inflected].sort())
    }
    expect(await found(language, `${typed}`)).toContainEqual([plain, `<em>${plain}</em>`])
  })

  it('is one word in phrases, and where all words are wanted', async () => {
    await fill('phrases', { language: 'french' }, ['une moto achetée hier', 'moto hier achetée'])
    for (const query of ['"moto achetée"', '"moto achetee hier"', '"moto acheté"'])
      expect(await found('phrases', query), query).toHaveLength(1)
    expect(await found('phrases', 'moto achetée', { operator: 'and' })).toHaveLength(2)
    expect(await found('phrases', 'moto vélo', { operator: 'and' })).toEqual([])
    expect(await found('phrases', '"achetée moto"')).toEqual([])
  })

  it('has synonyms, whether they are written with accents or not', async () => {
    const analysis = { language: 'french', synonyms: ['vélo, bicyclette', 'réparé, arrangé'] }
    await fill('synonyms', analysis, ['bicyclettes réparées'])
    for (const query of ['velo', 'VÉLO', 'arrange', 'arrangé', 'réparé'])
      expect(await found('synonyms', query), query).toHaveLength(1)
  })

  it('is no other one without folding', async () => {
    await fill('strict', { language: 'french', asciiFolding: false }, ['la moto achetée'])
    expect(await found('strict', 'acheté')).toHaveLength(1)
    expect(await found('strict', 'achetee')).toHaveLength(0)
  })
})

it.each([
  ['English', {}],
  ['Turkish', { language: 'tr' }],
  ['unfolded', { asciiFolding: false }],
])('a dotted capital I is an i in %s words', async (name, analysis) => {
  const index = `dots-${name.toLowerCase()}`
  await fill(index, analysis, ['İzmir', 'izmir'])
  for (const query of ['izmir', 'İZMİR', 'İzmir', 'i̇zmir'])
    expect(await found(index, query), query).toHaveLength(2)
})
