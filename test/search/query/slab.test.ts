import { expect, test } from 'vitest'
import { openLentBytes, openSlabs } from '../../../src/search/query/slab.ts'

test('a page that the main thread has not taken yet is never written over', () => {
  const slabs = openSlabs()
  const take = openLentBytes()
  const lent = Array.from({ length: 20 }, (_, page) => {
    slabs.next().fill(page, 0, 100)
    return slabs.lend(100)
  })
  lent.forEach((one, page) => {
    expect(new Set(take(one))).toEqual(new Set([page]))
  })
})

test('a slab is used again once it was taken, and only then', () => {
  const slabs = openSlabs()
  const take = openLentBytes()
  slabs.next()
  const first = slabs.lend(1)
  slabs.next()
  const second = slabs.lend(1)
  expect(second.slab).not.toBe(first.slab)
  take(first)
  slabs.next()
  const third = slabs.lend(1)
  expect(third.slab).toBe(first.slab)
  expect(third.memory).toBeUndefined()
})

test('a page larger than its slab keeps what was written, also in the slab that follows', () => {
  const slabs = openSlabs()
  const take = openLentBytes()
  const small = slabs.next()
  small.fill(7)
  const large = slabs.grow(small.length, 9_000_000)
  large.fill(8, small.length)
  const bytes = take(slabs.lend(9_000_000))
  expect([bytes[0], bytes[small.length - 1], bytes[small.length], bytes.at(-1)]).toEqual([
    7, 7, 8, 8,
  ])
  expect(slabs.next().length).toBe(small.length)
})

test('memory of a large page is used once, and held by nobody after that', () => {
  const slabs = openSlabs()
  const take = openLentBytes()
  slabs.next()
  slabs.grow(0, 9_000_000).fill(9)
  const large = slabs.lend(9_000_000)
  expect(take(large).at(-1)).toBe(9)
  slabs.next().fill(5, 0, 10)
  const small = slabs.lend(10)
  expect(small.slab).toBe(large.slab)
  expect(small.memory?.byteLength).toBeLessThan(100_000)
  expect(take(small).at(-1)).toBe(5)
  // Without memory of its own the small one is meant: the large one was not kept under its name.
  slabs.next().fill(6, 0, 10)
  expect(take(slabs.lend(10)).at(-1)).toBe(6)
})

test('the slab of a long page is used again, because nobody collects shared memory in time', () => {
  const slabs = openSlabs()
  const take = openLentBytes()
  const lendPages = (bytes: number, count: number) =>
    Array.from({ length: count }, (_, page) => {
      const room = slabs.next()
      const fits = room.length >= bytes ? room : slabs.grow(0, bytes)
      fits.fill(page, 0, bytes)
      return slabs.lend(bytes)
    })
  const first = lendPages(3_000_000, 4)
  expect(first.every(({ memory }) => memory !== undefined)).toBe(true)
  first.forEach(take)
  const again = lendPages(3_000_000, 4)
  expect(again.map(({ memory }) => memory)).toEqual(Array(4).fill(undefined))
  again.forEach((one, page) => {
    expect(new Set(take(one))).toEqual(new Set([page]))
  })
})

test('a thread whose slabs are too large in all makes them small again', () => {
  const slabs = openSlabs()
  const take = openLentBytes()
  const lent = Array.from({ length: 8 }, () => {
    slabs.next()
    slabs.grow(0, 3_000_000)
    return slabs.lend(3_000_000)
  })
  lent.forEach(take)
  const sizes = Array.from({ length: 8 }, () => {
    const { length } = slabs.next()
    slabs.lend(1)
    return length
  })
  const all = sizes.reduce((sum, bytes) => sum + bytes, 0)
  expect(all).toBeLessThan(16 << 20)
  expect(sizes.filter((bytes) => bytes >= 3_000_000)).toHaveLength(5)
})
