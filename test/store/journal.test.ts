import { describe, expect, it } from 'vitest'
import { openJournal } from '../../src/store/journal.ts'
import type { Store } from '../../src/store/store.ts'
import { temporaryStore } from './open.ts'

const entry = (timeMs: number) => ({ timeMs, type: 'SEARCH', data: { n: timeMs } })

/** Adds entries of these moments in one write; answers their numbers. */
function append(store: Store, timesMs: readonly number[]): Promise<number[]> {
  const journal = openJournal(store)
  return store.write(() => timesMs.map((timeMs) => journal.appendWithin(entry(timeMs))))
}

describe('the journal', () => {
  it('numbers entries in the order of their arrival, whatever the write', async () => {
    const store = temporaryStore()
    const times = Array.from({ length: 2500 }, (_, n) => n)
    expect(await append(store, times)).toEqual(times.map((n) => n + 1))
    expect(await append(store, [2500])).toEqual([2501])
    expect(openJournal(store).read({ limit: 1, after: 1000 })).toEqual([
      { sequence: 1001, entry: entry(1000) },
    ])
  })

  it('reads forwards and backwards from a number on', async () => {
    const store = temporaryStore()
    await append(store, [1, 2, 3, 4, 5, 6, 7, 8, 9])
    const journal = openJournal(store)
    const numbers = (range: Parameters<typeof journal.read>[0]) =>
      journal.read(range).map(({ sequence }) => sequence)
    expect(numbers({ limit: 3 })).toEqual([1, 2, 3])
    expect(numbers({ after: 7, limit: 10 })).toEqual([8, 9])
    expect(numbers({ limit: 2, reverse: true })).toEqual([9, 8])
    expect(numbers({ after: 3, limit: 10, reverse: true })).toEqual([2, 1])
    expect(numbers({ after: 3, limit: 10, stretchMs: -1 })).toEqual([4])
    expect(numbers({ after: 9, limit: 10, stretchMs: -1 })).toEqual([])
  })

  it('takes part in a write, and leaves with it when that fails', async () => {
    const store = temporaryStore()
    const journal = openJournal(store)
    await append(store, [1])
    const failing = store.write(() => {
      journal.appendWithin(entry(2))
      throw new Error('mine')
    })
    await expect(failing).rejects.toThrow('mine')
    expect(await append(store, [3])).toEqual([2])
    expect(journal.read({ limit: 10 }).map(({ entry: { timeMs } }) => timeMs)).toEqual([1, 3])
  })

  it('removes what is old step by step and never gives a number twice', async () => {
    const store = temporaryStore()
    const journal = openJournal(store)
    await append(
      store,
      Array.from({ length: 1500 }, (_, n) => n),
    )
    const age = { beforeMs: 1200, nowMs: 2000 }
    expect(await journal.sweep({ ...age, until: 900 })).toBe(900)
    expect(await journal.sweep(age)).toBe(300)
    expect(await journal.sweep(age)).toBe(0)
    expect(journal.read({ limit: 1 })[0]?.sequence).toBe(1201)
    await journal.sweep({ beforeMs: 1e9, nowMs: 1e9 })
    expect(store.tables.journal.count()).toBe(0)
    expect(await append(store, [1])).toEqual([1501])
  })

  it('removes what was written while the clock was ahead with what came next, and not before', async () => {
    const store = temporaryStore()
    const journal = openJournal(store)
    const aheadMs = 300_000_000_000
    await append(store, [10_000, aheadMs, 2 * aheadMs])
    // In two steps, the second of which a transaction that failed had tried before.
    await append(store, [aheadMs - 60_000])
    await expect(
      store.write(() => {
        journal.appendWithin(entry(1))
        throw new Error('mine')
      }),
    ).rejects.toThrow('mine')
    await append(store, [20_000, 30_000])
    expect(journal.stretches()).toEqual([
      [1, 3],
      [4, 4],
      [5, 6],
    ])
    const left = () => journal.read({ limit: 10 }).map(({ sequence }) => sequence)
    await journal.sweep({ beforeMs: 20_000, nowMs: 40_000 })
    expect(left()).toEqual([2, 3, 4, 5, 6])
    await journal.sweep({ beforeMs: 20_001, nowMs: 40_000, until: 2 })
    expect(left()).toEqual([3, 4, 5, 6])
    await journal.sweep({ beforeMs: 20_001, nowMs: 40_000 })
    expect(left()).toEqual([6])
  })

  it('is removed by its own age where the clock was behind for a while', async () => {
    const store = temporaryStore()
    const journal = openJournal(store)
    await append(store, [100_000, 1000, 2000, 110_000])
    expect(await journal.sweep({ beforeMs: 50_000, nowMs: 120_000 })).toBe(0)
    expect(await journal.sweep({ beforeMs: 100_001, nowMs: 160_000 })).toBe(3)
  })
})
