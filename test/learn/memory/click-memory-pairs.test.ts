import { expect, it } from 'vitest'
import { openPairs } from '../../../src/learn/memory/click-memory-pairs.ts'
import { temporaryStore } from '../../store/open.ts'

it('what was evicted is not taken away again', () => {
  const pairs = openPairs(temporaryStore(), 100, () => {})
  const teach = (sequence: number, document: string, millionths: number) => {
    const change = {
      document,
      day: 1,
      gain: millionths,
      examination: millionths,
      looks: millionths,
      choices: millionths,
    }
    pairs.add({ sequence, queryHash: 'q', documents: [change] })
  }
  teach(1, '1/a', 1_000_000)
  teach(2, '1/evicted', -1_000_000)
  expect(pairs.find('q')?.gain).toBe(1_000_000)
  expect([...(pairs.find('q')?.documents.keys() ?? [])]).toEqual(['1/a'])
  expect(pairs.figures()).toMatchObject({ pairs: 1, queries: 1, gained: 1 })
})
