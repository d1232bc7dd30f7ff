import { expect, it } from 'vitest'
import {
  type BatchedWrite,
  batchAfter,
  isLarge,
  joinChanges,
} from '../../../src/search/engine/batch.ts'

const write = (sequence: number, size: Partial<BatchedWrite> = {}): BatchedWrite => {
  return { sequence, adds: true, characters: 100, ...size }
}
const many = (count: number) => Array.from({ length: count }, (_, at) => write(at + 1))

it.each([
  ['of one giant', [write(1, { characters: 2 << 20 })]],
  ['of much text together', [1, 2, 3].map((n) => write(n, { characters: 400_000 }))],
  ['of many ngrams', [write(1, { grams: 300_000 })]],
  ['of very many documents', many(1001)],
])('a batch %s is large', (_, changes) => {
  expect(isLarge(joinChanges(changes))).toBe(true)
})

it.each([
  ['of a hundred documents', many(100)],
  ['of deletes', many(4096).map(({ sequence }) => ({ sequence, adds: false, removed: sequence }))],
  ['of a giant that is replaced', [write(1, { characters: 2 << 20 }), write(2, { removed: 1 })]],
])('a batch %s is small', (_, changes) => {
  expect(isLarge(joinChanges(changes))).toBe(false)
})

it('a batch says up to where the records are in it, and leaves out what the index has', () => {
  const batch = joinChanges([
    write(7, { vector: Float32Array.of(1, 2) }),
    write(8),
    write(9, { removed: 7 }),
    write(10, { adds: false, removed: 3 }),
    write(11, { vector: Float32Array.of(3, 4) }),
    write(12, { vector: Float32Array.of(5, 6) }),
  ])
  expect(batch).toMatchObject({
    ...{ sequence: 12, ords: Float64Array.of(8, 9, 11, 12), deletes: Float64Array.of(7, 3) },
    ...{ vectorOrds: Float64Array.of(11, 12), vectors: Float32Array.of(3, 4, 5, 6) },
  })
  expect(batchAfter(batch, 7)).toBe(batch)
  expect(batchAfter(batch, 11)).toMatchObject({
    ...{ sequence: 12, ords: Float64Array.of(12), deletes: Float64Array.of(7, 3) },
    ...{ vectorOrds: Float64Array.of(12), vectors: Float32Array.of(5, 6) },
  })
})
