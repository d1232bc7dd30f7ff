import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openBelow, openWithin } from '../../../src/search/indices/dotted.ts'

const path = fc.stringMatching(/^[ab.!]{0,5}$/)

it('paths are found as by a look at each', () => {
  fc.assert(
    fc.property(fc.array(path), path, (paths, asked) => {
      const isBelow = paths.some((each) => each.startsWith(`${asked}.`))
      const isWithin = paths.some((each) => `${asked}.`.startsWith(`${each}.`))
      expect(openBelow(paths)(asked)).toBe(isBelow)
      expect(openWithin(paths)(asked)).toBe(isWithin)
    }),
    { numRuns: 2000 },
  )
})
