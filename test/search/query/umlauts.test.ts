import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

const TITLES = [
  'Bürgermeister Müller',
  'Mueller Maschinenbau',
  'København by night',
  'Rødgrød med fløde',
  'Ålesund havn',
  'Schroeder',
  'the poet of the quelle',
  'a pot',
]

beforeAll(async () => {
  service = await startApp()
  const documents = TITLES.map((title) => ({ id: title, document: { title } }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'names', documents })
})
afterAll(() => service.close())

async function found(query: string, more: object = {}): Promise<string[]> {
  const search = { index: 'names', searchType: 'text', query, ...more }
  const { hits } = await service.must<{ hits: { id: string }[] }>('POST', '/cortex/search', search)
  return hits.map(({ id }) => id)
}

it.each([
  ['buergermeister', ['Bürgermeister Müller']],
  ['koebenhavn', ['København by night']],
  ['roedgroed', ['Rødgrød med fløde']],
  ['aalesund', ['Ålesund havn']],
  ['Schröder', ['Schroeder']],
  // Documents have both: what is written comes first.
  ['Müller', ['Bürgermeister Müller', 'Mueller Maschinenbau']],
  // Documents have this word, which is then no other one.
  ['mueller', ['Mueller Maschinenbau']],
  ['poet', ['the poet of the quelle']],
  ['baer', []],
])('a letter that is typed as two, or the other way round: %s', async (query, expected) => {
  expect(await found(query)).toEqual(expected)
  expect(await found(query, { operator: 'and' })).toEqual(expected)
})
