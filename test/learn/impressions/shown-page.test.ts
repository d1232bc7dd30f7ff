import { expect, it } from 'vitest'
import { pageOfIndex } from '../../../src/learn/impressions/shown-page.ts'

it('pages of one index that show the same are one, until many others were shown', () => {
  const page = pageOfIndex(3, '"a","b"')
  expect(page).toEqual({
    hits: [
      { indexId: 3, id: 'a' },
      { indexId: 3, id: 'b' },
    ],
    keys: ['3/a', '3/b'],
    json: '["3/a","3/b"]',
  })
  expect(pageOfIndex(3, '"a","b"')).toBe(page)
  expect(pageOfIndex(30, '"a","b"').keys).toEqual(['30/a', '30/b'])
  expect(pageOfIndex(3, '"b","a"').keys).toEqual(['3/b', '3/a'])
  for (let other = 0; other < 600; other++) pageOfIndex(3, `"other-${other}"`)
  expect(pageOfIndex(3, '"a","b"')).toBe(page)
  for (let other = 0; other < 2000; other++) pageOfIndex(3, `"another-${other}"`)
  expect(pageOfIndex(3, '"a","b"')).not.toBe(page)
  expect(pageOfIndex(3, '"a","b"')).toEqual(page)
})

it('long pages are not kept to be shared', () => {
  const ids = Array.from({ length: 100 }, (_, n) => `"${n}-${'x'.repeat(40)}"`).join()
  const page = pageOfIndex(3, ids)
  expect(page.keys).toHaveLength(100)
  expect(pageOfIndex(3, ids)).toEqual(page)
  expect(pageOfIndex(3, ids)).not.toBe(page)
})
