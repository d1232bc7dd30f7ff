import { validate, version } from 'uuid'
import { expect, it } from 'vitest'
import {
  firstIdOf,
  hashSpelling,
  ID_WORDS,
  isId,
  newId,
  oneSpelling,
  packId,
  timeOfId,
  unpackId,
} from '../src/ids.ts'

it('ids are UUIDs of version 7, all different, and begin with the time that they were made', () => {
  const ids = Array.from({ length: 5000 }, () => newId())
  expect(new Set(ids).size).toBe(5000)
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true)
  const beginnings = ids.map((id) => id.slice(0, 13))
  expect(beginnings.toSorted()).toEqual(beginnings)
  expect(newId(1_000_000)).toMatch(/^0000000f-4240-7/)
})

it('the first id of a moment comes before all of its ids and behind all earlier ones', () => {
  const timeMs = Date.UTC(2026, 0, 1)
  const first = firstIdOf(timeMs)
  for (let n = 0; n < 100; n += 1) {
    expect(newId(timeMs) > first).toBe(true)
    expect(newId(timeMs - 1) < first).toBe(true)
  }
  expect(firstIdOf(-5)).toBe('00000000-0000')
})

it('ids of one millisecond come in the order in which they were made', () => {
  for (const timeMs of [1_000_000, 1_000_001, 1_000_000]) {
    const ids = Array.from({ length: 1000 }, () => newId(timeMs))
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(1000)
  }
  const now = Array.from({ length: 5000 }, () => newId())
  expect(now.toSorted()).toEqual(now)
})

it('an id tells when it was made, and is one id in any case', () => {
  const id = newId(1_767_225_600_123)
  expect(timeOfId(id)).toBe(1_767_225_600_123)
  expect([isId(id), isId(id.toUpperCase()), isId(id.slice(1)), isId('')]).toEqual([
    ...[true, true],
    ...[false, false],
  ])
  expect(oneSpelling(id.toUpperCase())).toBe(id)
  expect(oneSpelling('Ann')).toBe('Ann')
})

it('ids that are kept as numbers are the same ones again, and nothing is where none was kept', () => {
  const ids = Array.from({ length: 500 }, (_, at) => newId(at * 1e12))
  ids.push('01234567-89ab-7def-bfff-ffffffffffff', '00000000-0000-7000-8000-000000000000')
  const words = new Int32Array(ID_WORDS * (ids.length + 1))
  for (const [at, id] of ids.entries()) packId(id, words, ID_WORDS * at)
  expect(ids.map((_, at) => unpackId(words, ID_WORDS * at))).toEqual(ids)
  expect(unpackId(words, ID_WORDS * ids.length)).toBeUndefined()
  const made = newId()
  packId(made, words, 0)
  expect(unpackId(words, 0)).toBe(made)
  packId(ids[1] as string, words, 0)
  const next = newId()
  packId(next, words, ID_WORDS)
  expect([unpackId(words, 0), unpackId(words, ID_WORDS)]).toEqual([ids[1], next])
})

it('the hash of a query is one in any case', () => {
  expect(hashSpelling('9F86D081884C7D65')).toBe('9f86d081884c7d65')
  for (const other of ['Coffee', '9F86D081884C7D6', '9F86D081884C7D6G', '*'])
    expect(hashSpelling(other)).toBe(other)
})
