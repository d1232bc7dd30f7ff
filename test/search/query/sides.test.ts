import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = [
  'rug 3 x 5 cm',
  'mat 4x6 cm',
  'box 20x30x2cm',
  'tray 20 x 40 x 2 cm',
  'tile 7 × 9 cm',
  'plate 7×8cm',
  'bolt M8 x 50',
  'tin of 5 x 3 biscuits',
  'disk 256 GB',
  'card 256GB',
]

const { found } = openTitles(TITLES, { operator: 'and' })

it.each([
  ['3x5cm', ['rug 3 x 5 cm']],
  ['rug 3x5 cm', ['rug 3 x 5 cm']],
  ['4 x 6 cm', ['mat 4x6 cm']],
  ['large flat box for letters 20 x 30 x 2 cm', []],
  ['box 20 x 30 x 2 cm', ['box 20x30x2cm']],
  ['20x40x2cm', ['tray 20 x 40 x 2 cm']],
  ['20x40x2 cm', ['tray 20 x 40 x 2 cm']],
  ['7x9', ['tile 7 × 9 cm']],
  ['7x8cm', ['plate 7×8cm']],
  ['4×6', ['mat 4x6 cm']],
  ['M8x50', ['bolt M8 x 50']],
  ['5x4', []],
])('a measure finds its sides in one word and in several: %s', async (query, titles) => {
  expect(await found(query)).toEqual(titles)
})

it('a number with its unit is found in both spellings, what is typed first', async () => {
  expect(await found('256gb')).toEqual(['card 256GB', 'disk 256 GB'])
  expect(await found('256 gb')).toEqual(['disk 256 GB', 'card 256GB'])
})
