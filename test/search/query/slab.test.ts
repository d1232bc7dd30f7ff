import { expect, test, vi } from 'vitest'
import { bytesWriter } from '../../../src/search/query/bytes.ts'
import {
  type LentBytes,
  openLentSlabs,
  openSlabs,
  type Slabs,
} from '../../../src/search/query/slab.ts'

/** The main thread, for pages with nothing behind them. */
function openTaker(): (lent: LentBytes) => Uint8Array {
  const { take } = openLentSlabs()
  return (lent) => Buffer.concat([take(lent, lent.length).data].flat())
}

function grown(slabs: Slabs, used: number, bytes: number): Buffer {
  const larger = slabs.grow(used, bytes)
  if (larger === undefined) throw new Error(`No slab has room for ${bytes} bytes.`)
  return larger
}

test('a page that the main thread has not taken yet is never written over', () => {
  const slabs = openSlabs()
  const take = openTaker()
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
  const take = openTaker()
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
  const take = openTaker()
  const small = slabs.next()
  small.fill(7)
  const large = grown(slabs, small.length, 8_000_000)
  large.fill(8, small.length)
  const bytes = take(slabs.lend(8_000_000))
  expect([bytes[0], bytes[small.length - 1], bytes[small.length], bytes.at(-1)]).toEqual([
    7, 7, 8, 8,
  ])
  expect(slabs.next().length).toBe(8_000_000)
})

test('a page that no slab has room for is handed over in pieces, and leaves no shared memory behind', () => {
  const { take } = openLentSlabs()
  const piece = Buffer.alloc(700_000)
  const made = sharedBytesMade(() => {
    for (let page = 0; page < 10; page += 1) {
      const { text, bytes, again, length, finish } = bytesWriter()
      text('[')
      for (let at = 0; at < 20; at += 1) bytes(piece.fill(page + at))
      text(`]${page}`)
      const end = length()
      // Across the ends of pieces, of what is written just now, and of the first.
      for (const [from, to] of [
        [699_990, 700_020],
        [end - 2, end],
        [0, 3],
      ] as const)
        again(from, to)
      const lent = finish()
      const { data, appendix } = take(lent, end)
      expect([lent.slab, lent.memory, lent.length]).toEqual([undefined, undefined, end + 35])
      const sent = Buffer.concat([data].flat())
      expect([
        sent.length,
        String.fromCharCode(sent[0] ?? 0),
        sent.subarray(-2).toString(),
      ]).toEqual([14_000_003, '[', `]${page}`])
      for (let at = 0; at < 20; at += 1)
        expect(
          sent.compare(piece.fill(page + at), 0, 700_000, 1 + at * 700_000, 1 + (at + 1) * 700_000),
        ).toBe(0)
      expect(appendix).toEqual(
        Buffer.concat([sent.subarray(699_990, 700_020), sent.subarray(-2), sent.subarray(0, 3)]),
      )
    }
  })
  expect(made).toBeLessThan(17 << 20)
})

test('pieces have hardly more memory than what is in them', () => {
  const { bytes, finish } = bytesWriter()
  for (let at = 0; at < 30; at += 1) bytes(Buffer.alloc(700_000, at))
  const { pieces = [], length } = finish()
  const memory = pieces.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
  expect(memory - length).toBeLessThan(2 << 20)
})

test('the slab of a long page is used again, because nobody collects shared memory in time', () => {
  const slabs = openSlabs()
  const take = openTaker()
  const lendPages = (bytes: number, count: number) =>
    Array.from({ length: count }, (_, page) => {
      const room = slabs.next()
      const fits = room.length >= bytes ? room : grown(slabs, 0, bytes)
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
  const take = openTaker()
  const made = sharedBytesMade(() => {
    for (let round = 0; round < 20; round += 1) {
      const lent: LentBytes[] = []
      for (let page = 0; page < 8; page += 1) {
        const room = slabs.next()
        const fits = room.length >= 3_000_000 ? room : slabs.grow(0, 3_000_000)
        if (fits === undefined) continue
        fits.fill(page, 0, 3_000_000)
        lent.push(slabs.lend(3_000_000))
      }
      expect(lent.map((one) => take(one).at(-1))).toEqual([0, 1, 2, 3, 4])
    }
  })
  expect(made).toBeLessThan(17 << 20)
})

test('the slabs of a thread that ended are let go of, and no others', () => {
  const { take, threadEnded } = openLentSlabs()
  const lentBy = (slab: string, isKnown = false): LentBytes => ({
    ...{ slab, length: 1 },
    ...(isKnown ? {} : { memory: new SharedArrayBuffer(64) }),
  })
  for (const slab of ['1.0', '1.1', '11.0']) take(lentBy(slab), 1)
  threadEnded(1)
  for (const slab of ['1.0', '1.1']) expect(() => take(lentBy(slab, true), 1)).toThrow(slab)
  expect(take(lentBy('11.0', true), 1).data).toHaveLength(1)
  // One that is given its place in the pool has a number of its own.
  expect(take(lentBy('12.0'), 1).data).toHaveLength(1)
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
