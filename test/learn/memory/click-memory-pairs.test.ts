import { expect, it } from 'vitest'
import { openPairs } from '../../../src/learn/memory/click-memory-pairs.ts'
import { temporaryStore } from '../../store/open.ts'

const BOUNDS = { memoryPairsMax: 100, memoryHalfLifeMs: 30 * 86_400_000 }

it('what was evicted is not taken away again', () => {
  const pairs = openPairs(temporaryStore(), BOUNDS, () => {})
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

it('knows the same gain as a store opened again, also when days have joined others and faded', async () => {
  const store = temporaryStore()
  const pairs = openPairs(store, BOUNDS, () => {})
  const each = { document: '1/a', gain: 1_000_000, examination: 1, looks: 1, choices: 1_000_000 }
  for (let day = 0; day < 100; day += 1)
    pairs.add({ sequence: day + 1, queryHash: 'q', documents: [{ day, ...each }] })
  await store.write(() => pairs.save())
  const again = openPairs(store, BOUNDS, () => {})
  expect(pairs.find('q')?.gain).toBe(again.find('q')?.gain)
  expect(pairs.find('q')?.gain).toBeLessThan(75_000_000)
})
