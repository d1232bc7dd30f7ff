import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = [
  'crowd of 10,000',
  'crowd of 10000',
  'walk of 250 000 steps',
  'fair of 1.500.000 guests',
  'fee of 1,299.99',
  'TNF-α in blood',
  'TNF-alpha in skin',
  'TGFβ signals',
  'NF-kappaB pathway',
  'COVID-19 and lungs',
  'covid19 and hearts',
  'get_user_by_id in Go',
  'getUserById in Java',
]

const { found } = openTitles(TITLES, { operator: 'and' })

it.each([
  ['10000', ['crowd of 10000', 'crowd of 10,000']],
  ['10,000', ['crowd of 10,000', 'crowd of 10000']],
  ['250000', ['walk of 250 000 steps']],
  ['1500000', ['fair of 1.500.000 guests']],
  ['1299.99', ['fee of 1,299.99']],
  ['tnf alpha', ['TNF-alpha in skin', 'TNF-α in blood']],
  ['TNF-α', ['TNF-α in blood', 'TNF-alpha in skin']],
  ['tgf beta', ['TGFβ signals']],
  ['TGF-β', ['TGFβ signals']],
  ['NF-κB', ['NF-kappaB pathway']],
  ['covid19', ['covid19 and hearts', 'COVID-19 and lungs']],
  ['getUserById', ['getUserById in Java', 'get_user_by_id in Go']],
])('%s finds both spellings, what is typed first', async (query, titles) => {
  expect(await found(query)).toEqual(titles)
})
