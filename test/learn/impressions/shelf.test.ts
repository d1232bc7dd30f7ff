import { expect, it } from 'vitest'
import { openShelf } from '../../../src/learn/impressions/shelf.ts'

it('what lies on a shelf stays as it was, however much comes after it', () => {
  const shelf = openShelf()
  const lengths = Array.from({ length: 3000 }, (_, at) =>
    at % 500 === 250 ? 300_000 : (at * 7919) % 6000,
  )
  for (let round = 0; round < 3; round += 1) {
    for (const [at, length] of lengths.entries())
      shelf.room(`${round}/${at}`, length).fill((at + round) % 251)
    for (const [at, length] of lengths.entries()) {
      const bytes = shelf.find(`${round}/${at}`)
      expect(bytes?.length).toBe(length)
      if (bytes?.some((byte) => byte !== (at + round) % 251)) expect.fail(`${round}/${at}`)
    }
    expect(shelf.size()).toBe(lengths.length)
    shelf.clear()
  }
})

it('what was removed is not found, and still known to have been there', () => {
  const shelf = openShelf()
  shelf.room('a', 3)
  shelf.remove('a')
  shelf.remove('b')
  expect([shelf.find('a'), shelf.has('a'), shelf.has('b')]).toEqual([undefined, true, false])
  shelf.clear()
  expect(shelf.has('a')).toBe(false)
})

it('the memory of a shelf that was cleared is used again', () => {
  const shelf = openShelf()
  const memories = new Set<ArrayBufferLike>()
  for (let round = 0; round < 50; round += 1) {
    for (let at = 0; at < 300; at += 1) memories.add(shelf.room(`${at}`, 3000).buffer)
    shelf.clear()
  }
  expect(memories.size).toBeLessThanOrEqual(5)
})

it('of many pieces of memory eight are held for the next bytes, and the others let go', () => {
  const shelf = openShelf()
  const fill = () =>
    new Set(Array.from({ length: 20 }, (_, at) => shelf.room(`${at}`, 200_000).buffer))
  const before = fill()
  shelf.clear()
  expect([...fill()].filter((memory) => before.has(memory))).toHaveLength(8)
})
