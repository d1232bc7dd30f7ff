import { expect, it } from 'vitest'
import { openChunks } from '../../../src/learn/impressions/chunks.ts'

it('what is written stays as it was, whatever comes and goes beside it', () => {
  const chunks = openChunks()
  let state = 5
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  const kept = new Map<Buffer, number>()
  for (let step = 0; step < 20_000; step += 1) {
    const length = step % 500 === 0 ? 300_000 : random(6000)
    kept.set(chunks.room(length).fill(step % 251), step % 251)
    if (kept.size < 400 && random(3) > 0) continue
    for (const [bytes, value] of kept) {
      if (random(2) === 0) continue
      if (bytes.some((byte) => byte !== value)) expect.fail(`step ${step}`)
      chunks.release(bytes)
      kept.delete(bytes)
    }
  }
})

it('memory that was released is used again', () => {
  const chunks = openChunks()
  const memories = new Set<ArrayBufferLike>()
  for (let round = 0; round < 50; round += 1) {
    const kept = Array.from({ length: 300 }, () => chunks.room(3000))
    for (const bytes of kept) {
      memories.add(bytes.buffer)
      chunks.release(bytes)
    }
  }
  expect(memories.size).toBeLessThanOrEqual(5)
})

it('there is room for more bytes than a chunk has, and for none', () => {
  const chunks = openChunks()
  const long = chunks.room(1 << 20)
  const none = chunks.room(0)
  const short = chunks.room(3)
  expect([long.length, none.length, short.length]).toEqual([1 << 20, 0, 3])
  for (const bytes of [none, long, short]) chunks.release(bytes)
  expect(chunks.room(1).length).toBe(1)
})
