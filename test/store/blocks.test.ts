import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openReader } from '../../src/store/reader.ts'
import type { Range } from '../../src/store/table.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { temporaryStore } from './open.ts'

const keyOf = (number: number) => `id-${String(number).padStart(6, '0')}`

/** Bytes told apart without being compared one by one. */
function digestOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && createHash('sha1').update(bytes).digest('hex')
}

/** Numbers from 0 on, below a bound, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** A table of impressions beside a map that says what it must hold. */
function beside() {
  const dataDir = temporaryFolder()
  const store = temporaryStore({ dataDir })
  const { impressions } = store.tables
  const model = new Map<string, Buffer>()
  const entries = () => [...model].sort(([a], [b]) => (a < b ? -1 : 1))
  function expected({ start, end, reverse = false, limit }: Range<string>): string[] {
    const keys = entries().map(([key]) => key)
    if (reverse) keys.reverse()
    const from = start ?? (reverse ? '~' : '')
    const until = end ?? (reverse ? '' : '~')
    const inside = (key: string) =>
      reverse ? key <= from && key > until : key >= from && key < until
    return keys.filter(inside).slice(0, limit)
  }
  return { dataDir, store, impressions, model, entries, expected }
}

describe('rows in blocks', () => {
  it('are those that were written, however they came and went', async () => {
    const next = numbers(7)
    const { dataDir, store, impressions, model, entries, expected } = beside()
    let newest = 0
    for (let round = 0; round < 60; round += 1) {
      const rows = Array.from({ length: next(80) }, () => {
        // Some come late.
        const number = next(8) === 0 ? next(newest + 1) : newest + next(4) + 1
        newest = Math.max(newest, number)
        const value = Buffer.alloc(next(10) === 0 ? 20_000 : next(3000), `${number} ${round}`)
        return { key: keyOf(number), value }
      })
      const fresh = new Map(rows.map((row) => [row.key, row]))
      const added = [...fresh.values()].filter(({ key }) => !model.has(key))
      const doomed = entries().filter(() => next(30) === 0)
      const missing = keyOf(newest + 50)
      await store.write(() => {
        impressions.append(added.sort((a, b) => (a.key < b.key ? -1 : 1)))
        expect(impressions.removeAll([...doomed.map(([key]) => key), missing])).toBe(doomed.length)
      })
      for (const { key, value } of added) model.set(key, value)
      for (const [key] of doomed) model.delete(key)
      expect(impressions.count()).toBe(model.size)
      for (let asked = 0; asked < 40; asked += 1) {
        const key = keyOf(next(newest + 5))
        expect(digestOf(impressions.get(key))).toBe(digestOf(model.get(key)))
        expect(impressions.has(key)).toBe(model.has(key))
        expect(digestOf(impressions.peek(key))).toBe(digestOf(model.get(key)))
      }
      const [a, b] = [keyOf(next(newest + 5)), keyOf(next(newest + 5))]
      for (const range of [
        ...[{}, { reverse: true }, { start: a }, { end: a }, { start: a, reverse: true }],
        ...[{ start: a, end: b }, { start: a, end: b, reverse: true }, { limit: 5 }],
        ...[
          { start: b, limit: 3 },
          { reverse: true, limit: 7 },
          { end: b, limit: 40 },
        ],
      ])
        expect([...impressions.keys(range)]).toEqual(expected(range))
    }
    const named = (rows: Iterable<[string, Uint8Array]>) =>
      Array.from(rows, ([key, value]) => `${key} ${digestOf(value)}`)
    const rows = Array.from(impressions.range(), ({ key, value }): [string, Uint8Array] => [
      key,
      value,
    ])
    expect(named(rows)).toEqual(named(entries()))
    // Another thread's way in sees the same.
    const reader = openReader(dataDir)
    const newestFirst = entries().reverse()
    expect(Array.from(reader.impressions(), digestOf)).toEqual(
      newestFirst.map(([, value]) => digestOf(value)),
    )
    for (const [key, value] of newestFirst.slice(0, 50))
      expect(digestOf(reader.impression(key))).toBe(digestOf(value))
    await store.write(() => impressions.clear())
    expect([impressions.count(), ...impressions.keys()]).toEqual([0])
  })

  it('never overlap, whatever a transaction that failed removed and wrote', async () => {
    const { store, impressions } = beside()
    const row = (number: number) => ({ key: keyOf(number), value: Buffer.alloc(500, number) })
    await store.write(() => impressions.append([10, 20, 30].map(row)))
    const failed = store.write(() => {
      impressions.removeAll([20, 30].map(keyOf))
      impressions.append([15].map(row))
      throw new Error('mine')
    })
    await expect(failed).rejects.toThrow('mine')
    await store.write(() => impressions.append([25, 40].map(row)))
    const all = [10, 20, 25, 30, 40].map(keyOf)
    expect([...impressions.keys()]).toEqual(all)
    expect(all.filter(impressions.has)).toEqual(all)
  })

  it('are not there when their transaction failed, and are gone at once when they were removed', async () => {
    const { dataDir, store, impressions } = beside()
    const row = (number: number) => ({ key: keyOf(number), value: Buffer.alloc(500, number) })
    await store.write(() => impressions.append([1, 2, 3].map(row)))
    const failed = store.write(() => {
      impressions.append([4, 5].map(row))
      expect(impressions.has(keyOf(4))).toBe(true)
      impressions.remove(keyOf(2))
      throw new Error('mine')
    })
    await expect(failed).rejects.toThrow('mine')
    expect([...impressions.keys()]).toEqual([1, 2, 3].map(keyOf))
    expect(impressions.count()).toBe(3)
    expect(impressions.has(keyOf(2))).toBe(true)
    const gone = store.write(() => impressions.remove(keyOf(2)))
    // Read on the way to the disk, when the old view is still there.
    impressions.has(keyOf(1))
    expect(await gone).toBe(true)
    expect(impressions.has(keyOf(2))).toBe(false)
    expect(impressions.get(keyOf(3))).toEqual(row(3).value)
    const reader = openReader(dataDir)
    expect(reader.impression(keyOf(1))).toBeDefined()
    await store.write(() => impressions.remove(keyOf(1)))
    expect(openReader(dataDir).impression(keyOf(1))).toBeUndefined()
    await store.write(() => impressions.append([row(1)]))
    await store.write(() => impressions.put(keyOf(3), Buffer.from('anew')))
    expect(impressions.get(keyOf(3))?.toString()).toBe('anew')
    expect(impressions.count()).toBe(2)
  })
})
