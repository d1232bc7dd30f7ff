import { expect, it } from 'vitest'
import { openTitles } from './titles.ts'

/** A shelf on which every short number stands in some ISBN, and so in a row that is none. */
const SHELF = Array.from({ length: 300 }, (_, n) => {
  const group = `${n % 10}-${(n * 37) % 1000}-${10000 + ((n * 7919) % 89999)}-${(n * 3) % 10}`
  return `shelf ${n}: 978-${group}, ${(n * 331) % 1000} ${(n * 577) % 1000}`
})
const TITLES = [
  'Odes 978-0-306-40615-7',
  'Tales 9780140447934',
  'Plays 975-22-0127-X',
  'Songs 0306406152',
  'twice 978-3-16-148410-0',
  'again 9783161484100',
  'call 02211234567',
  'milk 4 006381 333931',
  'trace 054049b7-3a03-42f2-9572-91ca7bc293b4',
]

const { found } = openTitles([...TITLES, ...SHELF])
const own = async (query: string) => {
  const first = (await found(query, { operator: 'and' })).filter((title) => TITLES.includes(title))
  return first.map((title) => title.split(' ')[0])
}

it.each([
  ['9780306406157', ['Odes']],
  ['978-0306406157', ['Odes']],
  ['978-0-306-40615-7', ['Odes']],
  ['978-0-14-044793-4', ['Tales']],
  ['978 0 14 044793 4', ['Tales']],
  ['isbn 9780140447934', []],
  ['975220127x', ['Plays']],
  ['0-306-40615-2', ['Songs']],
  ['0221 1234567', ['call']],
  ['0221/123-4567', ['call']],
  ['4006381333931', ['milk']],
  ['054049b73a0342f2957291ca7bc293b4', ['trace']],
  // Some write it so, others do not: what is typed comes first.
  ['978-3-16-148410-0', ['twice', 'again']],
  ['9783161484100', ['again', 'twice']],
  // No groups of this number, and few figures are as likely two numbers.
  ['978-0-14-044793-5', []],
  ['33 1577', []],
])('a long number is found in groups and without them: %s', async (query, expected) => {
  expect(await own(query)).toEqual(expected)
})
