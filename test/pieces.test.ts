import { expect, it } from 'vitest'
import { openPieces } from '../src/pieces.ts'

const LENGTHS = [1, 1, 3, 70_000, 5, 65_000, 600, 1, 0, 200_000, 2]

function filled(bytes: number, first: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, at) => (first + at) % 251)
}

it('gives back what was added, in its order, also where it is taken out in between', () => {
  const sent = LENGTHS.map(filled)
  const pieces = openPieces()
  const got: Uint8Array[] = []
  for (const [at, piece] of sent.entries()) {
    pieces.add(piece)
    // What is added lies in memory that its owner uses again.
    const before = Buffer.from(piece)
    piece.fill(0)
    sent[at] = before
    if (at % 3 === 2) got.push(...[pieces.take()].filter((taken) => taken !== undefined))
  }
  got.push(...pieces.takeAll())
  expect(Buffer.concat(got).equals(Buffer.concat(sent))).toBe(true)
  expect(pieces.take()).toBeUndefined()
})

it('puts small pieces together, and takes no more than twice the memory of what was added', () => {
  const pieces = openPieces()
  for (let at = 0; at < 300_000; at += 1) pieces.add(filled(1, at))
  const all = pieces.takeAll()
  expect(all.length).toBeLessThan(10)
  const memory = all.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
  expect(memory).toBeLessThanOrEqual(600_000)
  expect(Buffer.concat(all).equals(filled(300_000, 0))).toBe(true)
})
