import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = ['shoe 38,5', 'boot 38.5', 'cable 1.8 m', 'hose 2,5m', 'screw 4,5 x 60', 'for 1,500']

const { found } = openTitles(TITLES)

it.each([
  // What is written comes first.
  ['38,5', ['shoe 38,5', 'boot 38.5']],
  ['38.5', ['boot 38.5', 'shoe 38,5']],
  ['1,8m', ['cable 1.8 m']],
  ['2.5 m', ['hose 2,5m', 'cable 1.8 m']],
  ['2.5m', ['hose 2,5m']],
  ['4.5x60', ['screw 4,5 x 60']],
  ['1.5', []],
])('a fraction is found behind a point and behind a comma: %s', async (query, titles) => {
  expect(await found(query)).toEqual(titles)
})
