import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = [
  'Bürgermeister Müller',
  'Mueller Maschinenbau',
  'København by night',
  'Rødgrød med fløde',
  'Ålesund havn',
  'Schroeder',
  'the poet of the quelle',
  'a pot',
  'Ärger mit Aalto',
  'Goethestraße in Zürich',
  'Zuerich HB',
]

const { found, must } = openTitles(TITLES)

it.each([
  ['buergermeister', ['Bürgermeister Müller']],
  ['koebenhavn', ['København by night']],
  ['roedgroed', ['Rødgrød med fløde']],
  ['aalesund', ['Ålesund havn']],
  ['Schröder', ['Schroeder']],
  // Documents have both: what is written comes first.
  ['Müller', ['Bürgermeister Müller', 'Mueller Maschinenbau']],
  ['mueller', ['Mueller Maschinenbau', 'Bürgermeister Müller']],
  ['zuerich', ['Zuerich HB', 'Goethestraße in Zürich']],
  // Documents have this word, and none has another one that is spelt so.
  ['poet', ['the poet of the quelle']],
  ['baer', []],
])('a letter that is typed as two, or the other way round: %s', async (query, expected) => {
  expect(await found(query)).toEqual(expected)
  expect(await found(query, { operator: 'and' })).toEqual(expected)
})

it.each([
  [{ prefix: 'zuer' }, ['zuerich']],
  [{ query: 'aergar' }, ['ärger']],
  [{ query: 'buergermeistar' }, ['bürgermeister']],
])('how it is spelt in two letters is no word that is suggested: %j', async (body, expected) => {
  const { completions, corrections } = await must<
    Record<'completions' | 'corrections', { text: string }[]>
  >('POST', '/cortex/suggest', { index: 'english', ...body })
  expect([...completions, ...corrections].map(({ text }) => text)).toEqual(expected)
})

it('only documents that are left say how a word is written', async () => {
  const documents = [{ id: 'deleted', document: { title: 'pöt' } }]
  await must('POST', '/cortex/documents/bulk', { index: 'english', documents })
  expect((await found('poet')).sort()).toEqual(['a pot', 'deleted', 'the poet of the quelle'])
  await must('DELETE', '/cortex/documents/deleted?index=english')
  expect(await found('poet')).toEqual(['the poet of the quelle'])
})
