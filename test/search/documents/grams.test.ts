import { describe, expect, it } from 'vitest'
import {
  countGrams,
  gramsAtMost,
  gramsProblem,
  groupsByGrams,
} from '../../../src/search/documents/grams.ts'
import { compileDefinition } from '../../../src/search/indices/definition.ts'
import { startApp } from '../../running-app.ts'

const field = (shortest: number, longest: number, isEdge = false) => ({
  ...{ source: 'content', shortest, longest, isEdge },
})

describe('the ngrams of a text', () => {
  it.each([
    ['abcd', field(2, 3), 5],
    ['abcd', field(1, 64), 10],
    ['abcd', field(5, 6), 0],
    ['abcd', field(1, 3, true), 3],
    ['ab, cd–ef', field(1, 2), 9],
    ['été 12', field(2, 3), 4],
    ['東京東京', field(1, 2), 4],
    ['東京', field(2, 3), 0],
    ['𝒜𝒷', field(1, 2), 3],
    ['', field(1, 2), 0],
  ])('of %j, %j, are %i', (text, lengths, count) => {
    expect(countGrams(text, lengths)).toBe(count)
  })

  it('are no more counted than they need to be', () => {
    const long = 'ab '.repeat(1e6)
    expect(countGrams(long, field(1, 2), 10)).toBeLessThan(20)
  })
})

describe('a document with more of them than it may have', () => {
  const source = { title: 'x'.repeat(8), tags: ['abc', 'abc'] }
  const fields = [
    { ...field(1, 2), source: 'title' },
    { ...field(1, 2), source: 'tags' },
  ]

  it('is told of the field where they are too many', () => {
    expect(gramsProblem(source, fields, 25)).toBeUndefined()
    expect(gramsProblem(source, fields, 24)?.details?.[0]?.path).toBe('document.tags')
    expect(gramsProblem(source, fields, 14)?.details?.[0]?.path).toBe('document.title')
  })

  it('has them of ngram fields alone', () => {
    expect(gramsProblem(source, [], 0)).toBeUndefined()
  })
})

it('documents are written together up to so many of them, in their order', () => {
  const own = (grams: number) => grams
  expect(groupsByGrams([], own, 10)).toEqual([])
  expect(groupsByGrams([0, 0, 0], own, 10)).toEqual([[0, 0, 0]])
  expect(groupsByGrams([4, 6, 1, 30, 0, 9], own, 10)).toEqual([[4, 6], [1], [30], [0, 9]])
  expect(groupsByGrams([0, 30], own, 10)).toEqual([[0, 30]])
  expect(gramsAtMost({ content: 'abc', tags: ['x'] }, [field(1, 2)])).toBe(6)
  expect(gramsAtMost({ content: 'abc' }, [])).toBe(0)
})

const analysisOf = (max_gram: number) => ({
  analyzer: { default: { tokenizer: 'pieces' } },
  tokenizer: { pieces: { type: 'ngram', min_gram: 1, max_gram } },
})

it('is refused however it is written, and what is stored stays', async () => {
  const service = await startApp()
  const made = { name: 'pieces', settings: { analysis: analysisOf(20) } }
  await service.must('POST', '/cortex/indices', made)
  const content = 'x'.repeat(300_000)
  const path = '/cortex/documents/a?index=pieces'
  await service.must('PUT', path, { title: 'abc' })
  const refused = [
    await service.call('PUT', path, { content }),
    await service.call('POST', '/cortex/documents', { index: 'pieces', document: { content } }),
  ]
  for (const { status, details } of refused) {
    expect(status).toBe(400)
    expect(details).toMatchObject([{ path: 'document.content' }])
  }
  const documents = [{ document: { content } }, { document: { content: 'xyz' } }]
  const bulk = await service.must<{ succeeded: number; failed: number }>(
    ...(['POST', '/cortex/documents/bulk', { index: 'pieces', documents }] as const),
  )
  expect([bulk.succeeded, bulk.failed]).toEqual([1, 1])
  const search = { index: 'pieces', query: '', searchType: 'text' }
  expect((await service.must<{ total: number }>('POST', '/cortex/search', search)).total).toBe(2)
  await service.close()
})

it('many that are nearly too long are all written by one bulk', async () => {
  const service = await startApp()
  await service.must('POST', '/cortex/indices', {
    name: 'long',
    settings: { analysis: analysisOf(2) },
  })
  const giant = { document: { content: 'ab '.repeat(600_000) } }
  const small = { document: { content: 'abc' } }
  const documents = [giant, small, { document: { content: '' } }, ...Array(6).fill(giant), small]
  const bulk = await service.must<{ items: { status: number }[]; succeeded: number }>(
    ...(['POST', '/cortex/documents/bulk', { index: 'long', documents }] as const),
  )
  expect(bulk.items.map(({ status }) => status)).toEqual([200, 200, 400, ...Array(7).fill(200)])
  const search = { index: 'long', query: 'abc', searchType: 'text' }
  expect((await service.must<{ total: number }>('POST', '/cortex/search', search)).total).toBe(9)
  await service.close()
})

it('keeps a field that cuts into pieces from being added over it, until it is shorter or gone', async () => {
  const service = await startApp()
  const { analyzer, tokenizer } = {
    ...analysisOf(20),
    analyzer: { pieces: { tokenizer: 'pieces' } },
  }
  const settings = { analysis: { analyzer, tokenizer } }
  await service.must('POST', '/cortex/indices', { name: 'late', settings })
  const path = '/cortex/documents/giant?index=late'
  const content = 'x'.repeat(300_000)
  await service.must('PUT', path, { title: 'long', content, plain: content })
  for (let at = 0; at < 600; at += 300)
    await service.must('POST', '/cortex/documents/bulk', {
      index: 'late',
      documents: Array.from({ length: 300 }, () => ({ document: { title: 'short' } })),
    })
  const properties = { plain: { type: 'text', analyzer: 'pieces' } }
  const put = () => service.call('PUT', '/cortex/indices/late', { mappings: { properties } })
  const refused = await put()
  expect(refused.status).toBe(400)
  expect(refused.error).toContain('mappings.properties')
  expect(refused.error).toContain('document.plain of the stored document "giant" is cut into too')
  const other = { mappings: { properties: { year: { type: 'integer' } } } }
  expect((await service.call('PUT', '/cortex/indices/late', other)).status).toBe(200)
  await service.must('PUT', path, { plain: 'short' })
  expect((await put()).status).toBe(200)
  await service.close()
})

it('leaves an index open that was made with more lengths than one may have now', () => {
  const definition = compileDefinition({ analysis: analysisOf(64) } as object, {}, {
    ...{ embedder: 'learned', embedderDimensions: 384 },
  } as const)
  expect(definition.grams[0]).toMatchObject({ source: 'title', shortest: 1, longest: 64 })
})
