import { expect, it } from 'vitest'
import { firstIdOf } from '../../../src/ids.ts'
import { openAttributions } from '../../../src/learn/memory/attributions.ts'
import { packLook } from '../../../src/learn/memory/click-memory-rows.ts'
import { hashOfPair } from '../../../src/learn/memory/written-pairs.ts'
import { temporaryStore } from '../../store/open.ts'

const HOUR_MS = 3_600_000
const LIFE = { lifeMs: HOUR_MS, toldMs: HOUR_MS }
const millionths = Int32Array.of(1_000_000, 500_000)

function pageOf(timeMs: number, documents: string[]) {
  const json = JSON.stringify(documents)
  return { timeMs, documents, json, millionths: millionths.subarray(0, documents.length) }
}

it('an empty page is no look: rows do not depend on when they were saved', async () => {
  const rows = []
  for (const isReloaded of [false, true]) {
    const store = temporaryStore()
    const attributions = openAttributions(store, LIFE)
    expect(attributions.see('s', 'q', pageOf(1, []))).toEqual([])
    await store.write(() => attributions.save(1))
    if (isReloaded) attributions.load()
    expect(attributions.see('s', 'q', pageOf(2, ['1/a', '1/b']))).toHaveLength(2)
    await store.write(() => attributions.save(2))
    rows.push([...store.tables.attributions.range()])
  }
  expect(rows[0]).toHaveLength(1)
  expect(rows[1]).toEqual(rows[0])
})

it('the same page again teaches nothing, a later one and another one do', () => {
  const attributions = openAttributions(temporaryStore(), LIFE)
  const see = (timeMs: number, documents: string[]) =>
    attributions.see('s', 'q', pageOf(timeMs, documents)).map(({ document }) => document)
  expect(see(1000, ['1/a', '1/b'])).toEqual(['1/a', '1/b'])
  expect(see(2000, ['1/a', '1/b'])).toEqual([])
  expect(see(3000, ['1/b', '1/a'])).toEqual(['1/b'])
  expect(see(HOUR_MS, ['1/a', '1/b'])).toEqual(['1/a', '1/b'])
})

it('what is over goes some rows a save, more while some are left, and none that may still be needed', async () => {
  const store = temporaryStore()
  const { attributions: rows } = store.tables
  const attributions = openAttributions(store, LIFE)
  const nowMs = Date.UTC(2026, 4, 10, 12)
  const look = { timeMs: 1, documents: '["1/a"]', millionths: millionths.subarray(0, 1) }
  const sessionAt = (timeMs: number, n: number) => `${firstIdOf(timeMs)}-7000-8000-${n}`
  await store.write(() => {
    for (let n = 0; n < 5000; n += 1) rows.put([sessionAt(0, n), 'q'], packLook(look))
    rows.put([sessionAt(nowMs - HOUR_MS + 1000, 0), 'q'], packLook(look))
  })
  const left: number[] = []
  for (const seconds of [0, 0, 0, 1, 2]) {
    await store.write(() => attributions.save(nowMs + 1000 * seconds))
    left.push(rows.count())
  }
  expect(left).toEqual([4001, 2001, 1, 1, 0])
})

it('pairs with the same hash are told apart, also when one of them is taken out', () => {
  const attributions = openAttributions(temporaryStore(), LIFE)
  const see = (sessionId: string) => attributions.see(sessionId, 'q', pageOf(1, ['1/a']))
  const pair = sessionsWithOneHash('q')
  for (const sessionId of pair) expect(see(sessionId)).toHaveLength(1)
  for (const sessionId of pair) expect(see(sessionId)).toEqual([])
  const [first = '', second = ''] = pair
  expect(attributions.take(first)).toHaveLength(1)
  expect(see(second)).toEqual([])
  expect(attributions.take(second)).toHaveLength(1)
})

function sessionsWithOneHash(queryHash: string): string[] {
  const known = new Map<number, string>()
  for (let n = 0; ; n += 1) {
    const sessionId = `session-${n}`
    const hash = hashOfPair(sessionId, queryHash)
    const other = known.get(hash)
    if (other !== undefined) return [other, sessionId]
    known.set(hash, sessionId)
  }
}
