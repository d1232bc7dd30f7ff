import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newId } from '../../../src/ids.ts'
import {
  type Applied,
  type KeptList,
  keyOf,
  openKeptLists,
} from '../../../src/learn/plan/kept-lists.ts'
import { NOTHING_ADDED } from '../../../src/schema/plan.ts'
import type { Tuning } from '../../../src/schema/tuning.ts'

const applies = (tuning: Tuning = {}): Applied => ({
  ranking: { added: NOTHING_ADDED, tuning, experiments: [], interleaved: undefined },
  countedIn: 0,
})

it('finds the list that was begun last with a key, by its key and by its number', () => {
  const keys = fc.constantFrom(1, 2, 3, 2 ** 14 + 1, 2 ** 50 + 1)
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, fc.boolean(), fc.boolean())), (begun) => {
      const lists = openKeptLists<Applied>()
      const byKey = new Map<number, KeptList<Applied>>()
      let number = 0
      for (const [key, isPlain, isTold] of begun) {
        const applied = isPlain ? undefined : applies()
        if (!isPlain) number += 1
        const queryId = isTold ? newId() : undefined
        byKey.set(key, { number: isPlain ? 0 : number, applied, queryId })
        expect(lists.keep(key, applied, queryId)).toBe(isPlain ? 0 : number)
      }
      for (const key of [1, 2, 3, 4, 2 ** 14 + 1, 2 ** 50 + 1]) {
        const found = byKey.get(key)
        expect(lists.find(key)).toEqual(found)
        if (found !== undefined && found.number > 0)
          expect(lists.numbered(found.number)?.applied).toBe(found.applied)
      }
      expect(lists.numbered(number + 1)).toBeUndefined()
    }),
  )
})

it('lists that are kept no more are found neither by their keys nor by their numbers, later ones by both', () => {
  const lists = openKeptLists<Applied>()
  const same = applies()
  const queryId = newId()
  // Tables are used again by lists that tell no query id.
  for (let at = 1; at <= 45_000; at += 1)
    lists.keep(at, at % 3 === 0 ? undefined : same, at < 30_000 ? queryId : undefined)
  expect(lists.find(20_000)).toBeUndefined()
  expect(lists.numbered(13_334)).toBeUndefined()
  for (const [key, number] of [[35_000, 23_334] as const, [44_999, 30_000] as const]) {
    expect(lists.find(key)).toEqual({ number, applied: same })
    expect(lists.numbered(number)).toEqual({ number, applied: same })
  }
  expect(lists.find(44_997)).toEqual({ number: 0, applied: undefined })
})

it('fewer lists are kept when each has a tuning of its own that names much, or many tests', () => {
  const boosts = Array.from({ length: 1000 }, (_, at) => ({ id: `d${at}`, value: 1 }))
  const fieldWeights = Object.fromEntries(boosts.map(({ id, value }) => [id, value]))
  const against = { tuning: {} }
  const experiments = Array.from({ length: 300 }, () => ({}))
  const much: (() => Applied)[] = [
    () => applies({ boosts }),
    () => applies({ fieldWeights: { ...fieldWeights } }),
    () => ({ ranking: { ...applies().ranking, experiments }, countedIn: 0 }),
    () => ({
      ranking: { ...applies().ranking, interleaved: { against: { tuning: { boosts } } } },
      countedIn: 0,
    }),
  ]
  for (const make of much) {
    const lists = openKeptLists<Applied>()
    for (let at = 1; at <= 6000; at += 1) lists.keep(at, make(), undefined)
    expect([lists.find(1), lists.find(5000)?.number]).toEqual([undefined, 5000])
  }
  // One that all share takes no more room.
  const lists = openKeptLists<Applied>()
  const shared = { boosts }
  const dealt = { ...applies(shared).ranking, interleaved: { against } }
  for (let at = 1; at <= 9000; at += 1) lists.keep(at, { ranking: dealt, countedIn: 0 }, undefined)
  expect(lists.find(1)?.number).toBe(1)
})

it('the keys of different texts differ, however little these do', () => {
  const keys = new Set<number>()
  for (let session = 0; session < 300; session += 1)
    for (let text = 0; text < 300; text += 1) keys.add(keyOf(`${session} ${text}`))
  expect(keys.size).toBe(90_000)
  expect([...keys].every(Number.isSafeInteger)).toBe(true)
  expect(new Set([...keys].map((key) => key % 2 ** 14)).size).toBeGreaterThan(16_000)
  expect(keyOf('ann one')).toBe(keyOf('ann one'))
  const long = '\u{1f600}'.repeat(100_000)
  expect(new Set(['', '0', '0\0', long, `${long}0`, `0${long}`].map(keyOf)).size).toBe(6)
})
