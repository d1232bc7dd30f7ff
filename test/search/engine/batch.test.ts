import { expect, it } from 'vitest'
import { type BatchedWrite, isLarge, joinChanges } from '../../../src/search/engine/batch.ts'

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
