import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
  const analyses = { english: {}, german: { language: 'german' }, all: { stopWords: false } }
  for (const [name, analysis] of Object.entries(analyses)) {
    await service.must('PUT', `/cortex/indices/${name}`, { settings: { analysis } })
    const titles = [
      'the thermal theory of them',
      'the king and that thing',
      'der dumme Dieb',
      'tea',
    ]
    const documents = titles.map((title) => ({ document: { title } }))
    await service.must('POST', '/cortex/documents/bulk', { index: name, documents })
  }
})
afterAll(() => service.close())

async function suggested(body: object, index: string | string[] = 'english') {
  const { completions, corrections } = await service.must<
    Record<'completions' | 'corrections', { text: string }[]>
  >('POST', '/cortex/suggest', { index, limit: 100, ...body })
  return [completions, corrections].map((found) => found.map(({ text }) => text))
}

it('a word goes on to none that a search leaves out', async () => {
  const [found] = await suggested({ prefix: 'th' })
  expect(found).toEqual(['thermal', 'theory', 'them', 'thing'].sort())
  expect(await suggested({ prefix: 'king th' })).toEqual([['king thing'], []])
  expect(await suggested({ prefix: 'd' }, 'german')).toEqual([['dieb', 'dumme'], []])
  expect(await suggested({ prefix: 'd' })).toEqual([['der', 'dieb', 'dumme'], []])
})

it('nor to nothing where no other begins so', async () => {
  expect(await suggested({ prefix: 'of' })).toEqual([[], []])
  expect(await suggested({ prefix: 'and' })).toEqual([[], []])
})

it('where one of the indices keeps it, it does', async () => {
  for (const index of ['all', ['english', 'all']])
    expect((await suggested({ prefix: 'th' }, index))[0]?.[0]).toBe('the')
  // The other one has no such word.
  await service.must('PUT', '/cortex/indices/empty', {
    settings: { analysis: { stopWords: false } },
  })
  expect((await suggested({ prefix: 'the' }, ['english', 'empty']))[0]).not.toContain('the')
})

it('a word alone is not corrected to one, and beside others it is', async () => {
  expect((await suggested({ query: 'teh' }))[1]).toEqual(['tea'])
  expect((await suggested({ query: 'teh' }, 'all'))[1]).toEqual(['the', 'tea'])
  expect((await suggested({ query: 'teh king' }))[1]?.[0]).toBe('the king')
})
