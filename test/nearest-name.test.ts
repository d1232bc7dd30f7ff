import { expect, it } from 'vitest'
import { nearestName } from '../src/nearest-name.ts'
import { processorMs } from './processor-time.ts'

it.each([
  ['yaer', ['year', 'years'], 'year'],
  ['colour', ['color', 'colours', 'cooler'], 'color'],
  ['titel', ['tilte', 'title'], 'title'],
  ['Year', ['yea', 'year'], 'year'],
  ['filer', ['files', 'filters'], 'files'],
  ['publihsed', ['published', 'publisher'], 'published'],
  ['ab', ['ba', 'abc'], undefined],
  ['abc', ['abd', 'abcd'], 'abd'],
  ['abcdef', ['fedcba', 'abfecd'], undefined],
  ['abcdef', ['badcef'], 'badcef'],
  ['', ['a', ''], ''],
  ['x', ['x'], 'x'],
])('%j among %j means %j', (sent, known, nearest) => {
  expect(nearestName(sent, known)).toBe(nearest)
})

/** Every edit of the whole table, without a look at how far names may be apart. */
function farness(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, row) =>
    Array.from({ length: other.length + 1 }, (_, at) => (row === 0 ? at : at === 0 ? row : 0)),
  )
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= one.length; row++)
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1]
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      ;(rows[row] as number[])[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (same ? 0 : 1),
        swapped && row > 1 && column > 1 ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
  return at(one.length, other.length)
}

it('finds what a look at every edit finds', () => {
  const words = Array.from({ length: 3 ** 6 }, (_, n) => n.toString(3).padStart(6, '0'))
  const known = words.filter((_, n) => n % 7 === 0).map((word, n) => word.slice(0, 4 + (n % 3)))
  for (const sent of words.filter((_, n) => n % 5 === 0)) {
    const distances = known.map((each) => farness(sent, each))
    const least = Math.min(...distances)
    const expected = least > 2 ? undefined : known[distances.indexOf(least)]
    expect(nearestName(sent, known), sent).toBe(expected)
  }
})

it('thousands of long names are looked through in a moment', () => {
  const known = Array.from({ length: 4000 }, (_, n) => `${n}${'x'.repeat(60)}`.slice(0, 60))
  const tookMs = processorMs(() => {
    for (let n = 0; n < 8; n++) expect(nearestName('y'.repeat(60), known)).toBeUndefined()
  })
  expect(tookMs).toBeLessThan(100)
})
