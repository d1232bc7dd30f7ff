import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

const SETTINGS = {
  strict: { analysis: { language: 'none', asciiFolding: false } },
  swedish: { analysis: { language: 'swedish', asciiFolding: false } },
  folded: {},
}

beforeAll(async () => {
  service = await startApp()
  for (const [name, settings] of Object.entries(SETTINGS)) {
    await service.must('POST', '/cortex/indices', { name, settings })
    const documents = [
      { id: 'apple', document: { title: 'Rött äpple, trädgården' } },
      { id: 'ape', document: { title: 'Apparat' } },
    ]
    await service.must('POST', '/cortex/documents/bulk', { index: name, documents })
  }
})
afterAll(() => service.close())

async function find(index: string, query: string, more: object) {
  const body = { index, searchType: 'text', query, ...more }
  const { hits } = await service.must<{ hits: { id: string }[] }>('POST', '/cortex/search', body)
  return hits.map(({ id }) => id).sort()
}

it.each(['strict', 'swedish'])('accents count in the beginnings of words: %s', async (index) => {
  const begun = (query: string) => find(index, query, { prefix: true })
  expect(await begun('äpp')).toEqual(['apple'])
  expect(await begun('app')).toEqual(['ape'])
  expect(await begun('trädg')).toEqual(['apple'])
  expect(await find(index, 'äpple träd', { phrase: true, prefix: true })).toEqual(['apple'])
  expect(await begun('tradg')).toEqual([])
})

it.each(['strict', 'swedish'])('a misspelt word with accents is found: %s', async (index) => {
  expect(await find(index, 'trädgrden', { fuzziness: 1 })).toEqual(['apple'])
  expect(await find(index, 'rätt', { fuzziness: 1 })).toEqual(['apple'])
  expect(await find(index, 'äple', { fuzziness: 'AUTO' })).toEqual(['apple'])
})

it('without this setting, accents never count', async () => {
  expect(await find('folded', 'äpp', { prefix: true })).toEqual(['ape', 'apple'])
  expect(await find('folded', 'tradg', { prefix: true })).toEqual(['apple'])
})

it('words are completed and corrected as documents write them', async () => {
  const suggest = (body: object) =>
    service.must<{ completions: { text: string }[]; corrections: { text: string }[] }>(
      'POST',
      '/cortex/suggest',
      body,
    )
  const completed = async (index: string | string[], prefix: string) =>
    (await suggest({ index, prefix })).completions.map(({ text }) => text)
  expect(await completed('strict', 'träd')).toEqual(['trädgården'])
  expect(await completed('folded', 'träd')).toEqual(['trädgården'])
  expect(await completed('strict', 'trad')).toEqual([])
  const index = ['strict', 'folded']
  expect((await suggest({ index, prefix: 'träd' })).completions).toEqual([
    { text: 'trädgården', documents: 2 },
  ])
  const { corrections } = await suggest({ index: 'strict', query: 'trädgrden' })
  expect(corrections[0]?.text).toBe('trädgården')
})
