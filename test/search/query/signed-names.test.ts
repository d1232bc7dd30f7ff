import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

const TITLES = ['C for beginners', 'C++ for beginners', 'C# for beginners', 'vitamin C']

const { found } = openTitles(TITLES)

it.each([
  ['C++', 'C++ for beginners'],
  ['c#', 'C# for beginners'],
  ['beginners c++', 'C++ for beginners'],
])('a name that ends in signs finds itself first: %s', async (query, first) => {
  expect((await found(query))[0]).toBe(first)
})

it('it is found by its letter, and finds what has that alone behind itself', async () => {
  expect((await found('c')).sort()).toEqual(TITLES.toSorted())
  expect((await found('c++')).sort()).toEqual(TITLES.toSorted())
  // Of no document: the letter is all there is to go by.
  expect((await found('c# c++ vitamin')).length).toBe(4)
  expect((await found('"C++ for beginners"')).sort()).toEqual(
    ['C for beginners', 'C# for beginners', 'C++ for beginners'].sort(),
  )
})
