import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
  const analyses = { english: {}, german: { language: 'german' }, all: { stopWords: false } }
  const bare = {
    title: { type: 'text', fields: { whole: { type: 'text', analyzer: 'standard' } } },
  }
  for (const [name, analysis] of Object.entries(analyses)) {
    await service.must('PUT', `/cortex/indices/${name}`, { settings: { analysis } })
    const documents = ['the king of the hill', 'theory and all that', 'dog'].map((title) => ({
      document: { title, kind: 'x' },
    }))
    await service.must('POST', '/cortex/documents/bulk', { index: name, documents })
  }
  await service.must('PUT', '/cortex/indices/mixed', { mappings: { properties: bare } })
  const document = { title: 'the king' }
  await service.must('POST', '/cortex/documents', { index: 'mixed', document })
})
afterAll(() => service.close())

interface Found {
  total: number
  hits: unknown[]
  facets?: { kind: { values: unknown[] } }
  searchContext: { warnings?: string[]; generation: number }
}

const search = (body: object) =>
  service.must<Found>('POST', '/cortex/search', { index: 'english', searchType: 'text', ...body })
const warned = async (body: object) => (await search(body)).searchContext.warnings

const LEFT_OUT =
  'query: the analyzers of "english" keep none of its words, as they leave out stop words, so that nothing was looked for by words; an index with "analysis": {"stopWords": false} in its settings keeps them.'

it.each([
  { query: 'the of' },
  { query: 'IT' },
  { query: '"the of"' },
  { query: '"to be" or "not to be"' },
  { query: 'the of', phrase: true },
  { query: 'the of', operator: 'and' },
  { query: 'the', fuzziness: 'AUTO' },
  { query: 'the', searchFields: ['title'] },
  { query: 'the', searchType: 'hybrid' },
  { query: 'of', prefix: true },
  { query: 'the', size: 0 },
])('a query of stop words alone is told to say nothing, and finds nothing: %j', async (body) => {
  const found = await search({ ...body, facets: ['kind'] })
  expect(found).toMatchObject({ total: 0, hits: [], facets: { kind: { values: [] } } })
  expect(found.searchContext.warnings).toEqual([LEFT_OUT])
})

it.each(['*', '!!', '"--"', 'x'.repeat(70)])('so is one without a word: %s', async (query) => {
  expect(await warned({ query })).toEqual([
    'query: it has no words, so that nothing was looked for by words; signs are none, nor is what has more than 64 characters. An empty query finds all documents.',
  ])
})

it.each([
  { query: '' },
  { query: ' ' },
  { query: 'the dog' },
  { query: '"the of" dog' },
  { query: 'unheard' },
  { query: 'the', prefix: true },
  { query: 'the', searchType: 'vector' },
  { query: 'the', index: 'all' },
  { query: 'the', index: ['english', 'all'] },
  { query: 'the', index: ['english', 'german'] },
  { query: 'the', index: 'mixed', searchFields: ['title', 'title.whole'] },
])('a query of which any field of any index keeps a word is not: %j', async (body) => {
  expect(await warned(body)).toBeUndefined()
})

it('several indices are named, and fields without words say nothing of them', async () => {
  await service.must('PUT', '/cortex/indices/other', {})
  expect((await warned({ query: 'the', index: ['english', 'other'] }))?.[0]).toContain(
    'of "english", "other" keep none',
  )
  expect(await warned({ query: 'the', searchFields: ['created'] })).toHaveLength(1)
  expect((await warned({ query: 'the', searchFields: ['created'] }))?.[0]).toContain('"created"')
})

it('it comes first among the others, of which there are eight at most, and in an address, too', async () => {
  const [first, second, ...more] = (await warned({ query: 'the', limit: 1 })) ?? []
  expect([first, second?.startsWith('"limit"'), more]).toEqual([LEFT_OUT, true, []])
  const facets = (count: number) => Array.from({ length: count }, (_, at) => `none${at}`)
  for (const [count, last] of [
    [7, '"none6" of facets'],
    [8, '2 further warnings are left out.'],
    [20, '14 further warnings are left out.'],
  ] as const) {
    const warnings = (await warned({ query: 'the', facets: facets(count) })) ?? []
    expect([warnings.length, warnings[0]]).toEqual([8, LEFT_OUT])
    expect(warnings[7]).toContain(last)
  }
  const { data } = await service.call<Found>('GET', '/cortex/search?index=english&q=the')
  expect(data.searchContext.warnings).toEqual([LEFT_OUT])
  expect(data.searchContext.generation).toBeGreaterThan(0)
})
