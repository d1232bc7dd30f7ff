import { expect, test, vi } from 'vitest'
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

test('a page that no slab has room for comes as a copy, and leaves no shared memory behind', () => {
  const slabs = openSlabs()
  const take = openLentBytes()
  const made = sharedBytesMade(() => {
    for (let page = 0; page < 10; page += 1) {
      const room = slabs.next()
      slabs.grow(0, 9_000_000).fill(page)
      const lent = slabs.lend(8_500_000)
      expect([lent.slab, lent.memory, take(lent).length]).toEqual([undefined, undefined, 8_500_000])
      expect(new Set(take(lent).subarray(8_400_000))).toEqual(new Set([page]))
      expect(room.length).toBeLessThan(100_000)
    }
  })
  expect(made).toBeLessThan(100_000)
})

test('a page that was refused when it had outgrown its slab leaves the next one a slab', () => {
  const slabs = openSlabs()
  const take = openLentBytes()
  slabs.next()
  slabs.grow(0, 9_000_000)
  slabs.next().fill(5, 0, 10)
  const small = slabs.lend(10)
  expect(small.memory?.byteLength).toBeLessThan(100_000)
  expect(new Set(take(small))).toEqual(new Set([5]))
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

test('a thread keeps so much shared memory in all, and lets none of it lie', () => {
  const slabs = openSlabs()
  const take = openLentBytes()
  const made = sharedBytesMade(() => {
    for (let round = 0; round < 20; round += 1) {
      const lent = Array.from({ length: 8 }, (_, page) => {
        const room = slabs.next()
        const fits = room.length >= 3_000_000 ? room : slabs.grow(0, 3_000_000)
        fits.fill(page, 0, 3_000_000)
        return slabs.lend(3_000_000)
      })
      expect(lent.map((one) => take(one).at(-1))).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    }
  })
  expect(made).toBeLessThan(17 << 20)
})

/** Bytes of all memory that threads could share which is made meanwhile. */
function sharedBytesMade(work: () => void): number {
  let bytes = 0
  const made = vi.spyOn(globalThis, 'SharedArrayBuffer').mockImplementation(function (
    this: unknown,
    length: number,
  ) {
    bytes += length
    return new Shared(length)
  } as never)
  try {
    work()
  } finally {
    made.mockRestore()
  }
  return bytes
}

const Shared = SharedArrayBuffer
