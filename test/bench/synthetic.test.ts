import { expect, it } from 'vitest'
import { openSynthetic } from '../../bench/synthetic.ts'

it('makes the same documents and queries from the same seed, and others from another', () => {
  const [one, two, other] = [openSynthetic(7), openSynthetic(7), openSynthetic(8)]
  expect(one.document(123)).toEqual(two.document(123))
  expect(one.query(5)).toBe(two.query(5))
  expect(one.document(123)).not.toEqual(other.document(123))
  expect(one.document(123).content).not.toBe(one.document(124).content)
})

it('has Zipf word frequencies and a uniform number', () => {
  const synthetic = openSynthetic(7)
  const counts = new Map<string, number>()
  const numbers: number[] = []
  for (let number = 0; number < 500; number++) {
    const document = synthetic.document(number)
    numbers.push(document.r)
    for (const word of document.content.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const ranked = [...counts.values()].sort((a, b) => b - a)
  expect(ranked[0] ?? 0).toBeGreaterThan(5 * (ranked[20] ?? Number.POSITIVE_INFINITY))
  expect(numbers.filter((number) => number < 0.5).length).toBeGreaterThan(200)
  expect(numbers.filter((number) => number < 0.5).length).toBeLessThan(300)
})
