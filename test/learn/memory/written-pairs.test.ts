import { expect, it } from 'vitest'
import { hashOfPair, openWrittenPairs } from '../../../src/learn/memory/written-pairs.ts'

it('a pair of a new session may have a row once it was noted, one of an older session always', () => {
  const pairs = openWrittenPairs()
  const note = (session: string, query: string) => pairs.note(session, hashOfPair(session, query))
  pairs.restart('b')
  expect(note('c', 'one')).toBe(false)
  expect(note('c', 'one')).toBe(true)
  expect(note('c', 'two')).toBe(false)
  expect(note('b', 'one')).toBe(true)
  expect(note('a', 'one')).toBe(true)
  pairs.restart('')
  expect(note('a', 'one')).toBe(false)
})

it('a pair that was noted is never held to be new, however many there are', () => {
  const pairs = openWrittenPairs()
  const note = (session: string, query: string) => pairs.note(session, hashOfPair(session, query))
  pairs.restart('')
  let wrong = 0
  for (let pair = 0; pair < 300_000; pair += 1) {
    const session = `s${String(1_000_000 + pair)}`
    note(session, 'one')
    if (!note(session, 'one')) wrong += 1
  }
  expect(wrong).toBe(0)
  expect(note('s1000000', 'one')).toBe(true)
  expect(note('s2', 'one')).toBe(false)
})
