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
]

const { found } = openTitles(TITLES)

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
