import { describe, expect, it, vi } from 'vitest'
import { openReader } from '../../src/store/reader.ts'
import { openStore } from '../../src/store/store.ts'
import type { Range } from '../../src/store/table.ts'
import { READERS_MAX } from '../../src/store/tables.ts'
import { temporaryFolder, temporaryStore } from './open.ts'

/** An id of 36 letters; ids rise with their numbers. */
function idOf(number: number): string {
  return `id-${String(number).padStart(33, '0')}`
}

function bytesOf(number: number): Buffer {
  return Buffer.alloc(number % 700, number)
}

function rowOf(number: number) {
  return { key: idOf(number), value: bytesOf(number) }
}

function openRandom(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** What a walk over sorted keys should visit. */
function expectedOf(keys: string[], { start, end, reverse = false, limit }: Range<string>) {
  const inside = keys.filter((key) =>
    reverse
      ? (start === undefined || key <= start) && (end === undefined || key > end)
      : (start === undefined || key >= start) && (end === undefined || key < end),
  )
  return (reverse ? inside.reverse() : inside).slice(0, limit)
}

describe('rows that lie together', () => {
  it.each([1, 2, 3])('are read and removed like rows by themselves (%i)', async (seed) => {
    const random = openRandom(seed)
    const store = temporaryStore()
    const { impressions } = store.tables
    const known = new Map<string, Buffer>()
    let next = 1000
    for (let step = 0; step < 120; step += 1) {
      const numbers = new Set<number>()
      // Most come behind all others, some late, and some between the two.
      for (let row = random(90); row > 0; row -= 1) numbers.add(next + random(150))
      if (random(3) === 0) numbers.add(random(next))
      next += random(160)
      const added = [...numbers].sort((a, b) => a - b).filter((n) => !known.has(idOf(n)))
      const leaving = [...known.keys()].filter(() => random(8) === 0)
      await store.write(() => {
        impressions.append(added.map(rowOf))
        if (random(2) === 0) expect(impressions.removeAll(leaving)).toBe(leaving.length)
        else for (const key of leaving) expect(impressions.remove(key)).toBe(true)
        expect(impressions.remove(idOf(next + 1_000_000))).toBe(false)
      })
      for (const number of added) known.set(idOf(number), bytesOf(number))
      for (const key of leaving) known.delete(key)
      expect(impressions.count()).toBe(known.size)
      const number = random(next + 200)
      const key = idOf(number)
      expect(impressions.has(key)).toBe(known.has(key))
      expect(impressions.get(key)).toEqual(known.get(key))
      expect(impressions.peek(key)?.toString('hex')).toBe(known.get(key)?.toString('hex'))
      if (step % 10 > 0) continue
      const keys = [...known.keys()].sort()
      expect([...impressions.range()]).toEqual(keys.map((k) => ({ key: k, value: known.get(k) })))
      for (let walk = 0; walk < 20; walk += 1) {
        const range: Range<string> = { reverse: random(2) === 0 }
        if (random(2) === 0) range.start = idOf(random(next))
        if (random(2) === 0) range.end = idOf(random(next))
        if (random(2) === 0) range.limit = random(200)
        expect([...impressions.keys(range)]).toEqual(expectedOf(keys, range))
      }
    }
    await store.write(() => impressions.clear())
    expect([impressions.count(), ...impressions.keys()]).toEqual([0])
  })

  it('take the place of a row that was there, and are gone with the write that fails', async () => {
    const store = temporaryStore()
    const { impressions } = store.tables
    await store.write(() => impressions.append([1, 2, 3].map(rowOf)))
    await store.write(() => impressions.put(idOf(2), Buffer.from('new')))
    expect(impressions.get(idOf(2))?.toString()).toBe('new')
    expect([...impressions.keys()]).toEqual([1, 2, 3].map(idOf))
    const failing = store.write(() => {
      impressions.append([4, 5].map(rowOf))
      impressions.removeAll([1, 2].map(idOf))
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect([...impressions.keys()]).toEqual([1, 2, 3].map(idOf))
    expect(impressions.count()).toBe(3)
    await store.write(() => impressions.append([4, 5].map(rowOf)))
    expect([...impressions.keys()]).toEqual([1, 2, 3, 4, 5].map(idOf))
  })

  it('are the same for another thread, newest first', async () => {
    const dataDir = temporaryFolder()
    const { tables, write } = temporaryStore({ dataDir })
    const even = Array.from({ length: 100 }, (_, at) => 2 * at)
    await write(() => tables.impressions.append(even.map(rowOf)))
    await write(() => tables.impressions.append([rowOf(101)]))
    const reader = openReader(dataDir)
    const lengths = Array.from(reader.impressions(), ({ length }) => length)
    expect(lengths).toEqual([...even, 101].sort((a, b) => b - a))
    expect(reader.impression(idOf(154))).toEqual(bytesOf(154))
    expect(reader.impression(idOf(155))).toBeUndefined()
  })

  it('are not held beyond a newer commit by a thread whose event loop stands still', async () => {
    const dataDir = temporaryFolder()
    const { tables, write } = temporaryStore({ dataDir })
    await write(() => tables.impressions.append([1, 2].map(rowOf)))
    const still = vi
      .spyOn(globalThis, 'setImmediate')
      .mockImplementationOnce(() => undefined as never)
    expect(openReader(dataDir).impression(idOf(1))).toEqual(bytesOf(1))
    still.mockRestore()
    await write(() => tables.impressions.remove(idOf(1)))
    expect(openReader(dataDir).impression(idOf(1))).toBeUndefined()
    expect(openReader(dataDir).impression(idOf(2))).toEqual(bytesOf(2))
  })

  it('keep no walk open that was broken off', async () => {
    const dataDir = temporaryFolder()
    const { tables, write } = temporaryStore({ dataDir })
    await write(() => tables.impressions.append([1, 2, 3].map(rowOf)))
    for (let walk = 0; walk < READERS_MAX + 8; walk += 1) {
      for (const bytes of openReader(dataDir).impressions()) {
        expect(bytes).toEqual(bytesOf(3))
        break
      }
      await write(() => tables.impressions.put(idOf(0), bytesOf(walk)))
    }
  })

  it('go on after the next start', async () => {
    const dataDir = temporaryFolder()
    const first = openStore({ dataDir, bytesMax: 1 << 26, log: { warn() {}, error() {} } })
    await first.write(() => first.tables.impressions.append([1, 3, 5].map(rowOf)))
    await first.close()
    const { tables, write } = temporaryStore({ dataDir })
    const { impressions } = tables
    await write(() => impressions.append([4, 6].map(rowOf)))
    expect([...impressions.range()]).toEqual([1, 3, 4, 5, 6].map(rowOf))
    expect(impressions.count()).toBe(5)
  })
})
