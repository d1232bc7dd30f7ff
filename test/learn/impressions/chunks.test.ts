import { expect, it } from 'vitest'
import { openChunks } from '../../../src/learn/impressions/chunks.ts'

it('what is kept stays as it was, whatever comes and goes beside it', () => {
  const chunks = openChunks()
  let state = 5
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  const kept = new Map<Buffer, number>()
  for (let step = 0; step < 20_000; step += 1) {
    const length = step % 500 === 0 ? 300_000 : random(6000)
    kept.set(chunks.keep(new Uint8Array(length).fill(step % 251)), step % 251)
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
    const kept = Array.from({ length: 300 }, () => chunks.keep(new Uint8Array(3000)))
    for (const bytes of kept) {
      memories.add(bytes.buffer)
      chunks.release(bytes)
    }
  }
  expect(memories.size).toBeLessThanOrEqual(5)
})

it('bytes that are too long for a chunk, and none at all, are kept too', () => {
  const chunks = openChunks()
  const long = chunks.keep(new Uint8Array(1 << 20).fill(7))
  const none = chunks.keep(new Uint8Array(0))
  const short = chunks.keep(Uint8Array.of(1, 2, 3))
  expect([long.length, none.length, [...short]]).toEqual([1 << 20, 0, [1, 2, 3]])
  for (const bytes of [none, long, short]) chunks.release(bytes)
  expect([...chunks.keep(Uint8Array.of(4))]).toEqual([4])
})
