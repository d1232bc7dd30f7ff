import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = [
  'OLED TV',
  'Screws for TVs',
  'Camera lens',
  'Cooler for CPUs',
  'Sports bra',
  'Menu of the day',
  'Meta-analyses of trials',
  'Firemen at work',
  'Two knives',
  'Mr Smith',
  'Mrs Jones',
  'Roses',
]

const { found, marked } = openTitles(TITLES, { operator: 'and' }, ['english', 'none'])

it.each([
  // What is typed comes first.
  ['tv', ['OLED <em>TV</em>', 'Screws for <em>TVs</em>']],
  ['TVs', ['Screws for <em>TVs</em>', 'OLED <em>TV</em>']],
  ['lenses', ['Camera <em>lens</em>']],
  ['cpu', ['Cooler for <em>CPUs</em>']],
  ['bras', ['Sports <em>bra</em>']],
  ['menus', ['<em>Menu</em> of the day']],
  ['meta-analysis', ['<em>Meta</em>-<em>analyses</em> of trials']],
  ['fireman', ['<em>Firemen</em> at work']],
  ['knife', ['Two <em>knives</em>']],
  // These are others.
  ['mr', ['<em>Mr</em> Smith']],
  ['ros', []],
])('one finds many, and many one, where words are English: %s', async (query, titles) => {
  expect(await marked(query)).toEqual(titles)
})

it('other languages have other plurals', async () => {
  expect(await found('lenses', { index: 'none' })).toEqual([])
})
