import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = [
  'bolt AB-1234/x',
  'nut 1234 AB',
  'saw XJ-200 with two blades',
  'drill XJ 300',
  'drill XJ300',
  'rice, 12 kg',
  'Wi-Fi lamp',
  "tea of O'Brien",
  'pads 1K0 698 151 E',
  'probe 0 258 006 741',
  'label N1 9AA',
  'pump A-100',
  'pump AT 200-B',
  'send an e-mail',
  'an email to all',
  'e state',
  'state of the art',
  'gift cards',
  'bearing 6204-2RS',
  'set up a printer',
  'the setup of a scanner',
  'drop off a parcel',
]

const { found, marked, must } = openTitles(TITLES)

it.each([
  ['AB1234x', ['bolt AB-1234/x']],
  ['ab1234', ['bolt AB-1234/x']],
  ['xj200', ['saw XJ-200 with two blades']],
  // Some write it so, others do not.
  ['xj300', ['drill XJ 300', 'drill XJ300']],
  ['xj400', []],
  ['x200j', []],
  ['12kg', ['rice, 12 kg']],
  ['2kg', []],
  ['wifi', ['Wi-Fi lamp']],
  ['obrien', ["tea of O'Brien"]],
  ['1k0698151e', ['pads 1K0 698 151 E']],
  ['1K0698151', ['pads 1K0 698 151 E']],
  ['0258006741', ['probe 0 258 006 741']],
  ['n19aa', ['label N1 9AA']],
  ['62042rs', ['bearing 6204-2RS']],
  ['giftcard', ['gift cards']],
  ['giftscard', []],
  ['setup', ['set up a printer', 'the setup of a scanner']],
  ['dropoff', ['drop off a parcel']],
  // A stop word leaves a gap.
  ['a100', ['pump A-100']],
  ['AT200B', ['pump AT 200-B']],
  ['at700', []],
  // Each group is there, and not in this order.
  ['0258741006', []],
  // Both parts are there, and not in a row.
  ['lampwi', []],
])('a word that no document has is looked for in its pieces: %s', async (query, expected) => {
  expect((await found(query)).sort()).toEqual(expected)
})

it('a word that only deleted documents have is looked for in its pieces, too', async () => {
  const documents = { id: 'deleted', document: { title: 'bolts, xj200 and wifi' } }
  await must('POST', '/cortex/documents/bulk', { index: 'english', documents: [documents] })
  expect(await found('wifi')).toEqual(['deleted'])
  await must('DELETE', '/cortex/documents/deleted?index=english')
  expect(await found('wifi')).toEqual(['Wi-Fi lamp'])
})

it('the pieces are wanted as the word is', async () => {
  const all = { operator: 'and' }
  expect(await found('saw xj200', all)).toEqual(['saw XJ-200 with two blades'])
  expect(await found('drill xj200', all)).toEqual([])
  expect(await found('"xj200 with"')).toEqual(['saw XJ-200 with two blades'])
})

it('the pieces are marked where they stand', async () => {
  expect(await marked('xj200')).toEqual(['saw <em>XJ</em>-<em>200</em> with two blades'])
})

it('what is electronic is found with a hyphen behind its e, and without, also where documents write both', async () => {
  expect(await found('email')).toEqual(['an email to all', 'send an e-mail'])
  expect(await found('state')).toEqual(['e state', 'state of the art'])
})
