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
  const large = slabs.grow(small.length, 3_000_000)
  large.fill(8, small.length)
  const bytes = take(slabs.lend(3_000_000))
  expect([bytes[0], bytes[small.length - 1], bytes[small.length], bytes.at(-1)]).toEqual([
    7, 7, 8, 8,
  ])
  expect(slabs.next().length).toBe(small.length)
})

test('memory of a large page is used once, and held by nobody after that', () => {
  const slabs = openSlabs()
  const take = openLentBytes()
  slabs.next()
  slabs.grow(0, 3_000_000).fill(9)
  const large = slabs.lend(3_000_000)
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
