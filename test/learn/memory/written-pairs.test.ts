import { expect, it } from 'vitest'
import { openWrittenPairs } from '../../../src/learn/memory/written-pairs.ts'

it('a pair of a new session may have a row once it was noted, one of an older session always', () => {
  const pairs = openWrittenPairs()
  pairs.restart('b')
  expect(pairs.note('c', 'c/one')).toBe(false)
  expect(pairs.note('c', 'c/one')).toBe(true)
  expect(pairs.note('c', 'c/two')).toBe(false)
  expect(pairs.note('b', 'b/one')).toBe(true)
  expect(pairs.note('a', 'a/one')).toBe(true)
  pairs.restart('')
  expect(pairs.note('a', 'a/one')).toBe(false)
})

it('a pair that was noted is never held to be new, however many there are', () => {
  const pairs = openWrittenPairs()
  pairs.restart('')
  let wrong = 0
  for (let pair = 0; pair < 300_000; pair += 1) {
    const session = `s${String(1_000_000 + pair)}`
    pairs.note(session, `${session}/one`)
    if (!pairs.note(session, `${session}/one`)) wrong += 1
  }
  expect(wrong).toBe(0)
  expect(pairs.note('s1000000', 's1000000/one')).toBe(true)
  expect(pairs.note('s2', 's2/one')).toBe(false)
})
