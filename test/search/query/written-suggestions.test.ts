import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

interface Suggested {
  completions: { text: string; documents: number }[]
  corrections: { text: string; distance: number }[]
}

let service: RunningApp

const TITLES = {
  spanish: ['Feliz año nuevo', 'Otro año', 'El niño y la piñata', 'Niño', 'Nino de Angelo'],
  mixed: ['Straße', 'smørbrød', 'Œuvre', 'Зелёная ёлка', 'Η ΟΔΟΣ', 'أَحْمَد', 'naïve cafe\u0301'],
  english: ['resume builder', 'résumé tips', 'resume template', 'hotel'],
}

beforeAll(async () => {
  service = await startApp()
  for (const [index, titles] of Object.entries(TITLES)) {
    const settings = index === 'spanish' ? { analysis: { language: 'spanish' } } : {}
    await service.must('PUT', `/cortex/indices/${index}`, { settings })
    const documents = titles.map((title, n) => ({ id: `${n}`, document: { n, title } }))
    await service.must('POST', '/cortex/documents/bulk', { index, documents })
  }
})
afterAll(() => service.close())

const suggest = (index: string | string[], body: object) =>
  service.must<Suggested>('POST', '/cortex/suggest', { index, ...body })
const completed = async (index: string, prefix: string) =>
  (await suggest(index, { prefix })).completions.map(({ text }) => text)
const corrected = async (index: string, query: string) =>
  (await suggest(index, { query })).corrections.map(({ text }) => text)

it('words are completed and corrected with the accents that documents have', async () => {
  expect(await completed('spanish', 'feliz añ')).toEqual(['feliz año'])
  expect(await completed('spanish', 'Feliz an')).toContain('Feliz año')
  expect(await corrected('spanish', 'piñatta')).toEqual(['piñata'])
  expect(await corrected('spanish', 'Ano nuveo, piñatta')).toEqual(['Ano nuevo, piñata'])
  expect(await completed('spanish', 'NIÑ')).toEqual(['niño'])
})

it.each([
  ['stra', 'straße'],
  ['straß', 'straße'],
  ['smor', 'smørbrød'],
  ['oeuv', 'œuvre'],
  ['ел', 'ёлка'],
  ['οδο', 'οδος'],
  ['أح', 'أَحْمَد'],
  ['caf', 'café'],
  ['naiv', 'naïve'],
])('%s goes on to %s', async (prefix, word) => {
  expect(await completed('mixed', prefix)).toEqual([word])
})

it('of several ways to write a word most documents decide, or the accents that were typed', async () => {
  expect(await completed('english', 'resu')).toEqual(['resume'])
  expect(await completed('english', 'résu')).toEqual(['résumé'])
  expect(await completed('english', 'hôt')).toEqual(['hotel'])
})

it('what was deleted is asked no more', async () => {
  const index = 'deleted'
  for (const [id, title] of Object.entries({ a: 'Bébé', b: 'bebe' }))
    await service.must('POST', '/cortex/documents', { index, id, document: { title } })
  expect(await completed(index, 'beb')).toEqual(['bébé'])
  await service.must('DELETE', `/cortex/documents/a?index=${index}`)
  expect(await completed(index, 'beb')).toEqual(['bebe'])
})
