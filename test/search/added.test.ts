import { expect, it } from 'vitest'
import { numberAdded, packAdded, packLearned } from '../../src/search/added.ts'
import { openReader } from '../../src/store/reader.ts'
import { temporaryFolder, temporaryStore } from '../store/open.ts'

it('numbers documents as they stand, whatever was written since the last time', async () => {
  const dataDir = temporaryFolder()
  const store = temporaryStore({ dataDir })
  const { documents } = store.tables
  let generation = 0
  const stand = async (sequence: number, id: string) => {
    await store.write(() => documents.put([1, id], sequence))
    generation = sequence
  }
  const { json } = packAdded([
    [1, 'a', 0.5],
    [1, 'b', -0.25],
    [2, 'a', 1],
  ])
  const indices = (engineId: number) => [{ indexId: 1, engineId, name: 'stones' }]
  const triples = (engineId: number, list = json) =>
    Array.from(numberAdded(openReader(dataDir), list, { indices: indices(engineId), generation }))

  await stand(1, 'a')
  expect(triples(7)).toEqual([7, 1, 0.5])
  expect(triples(7)).toEqual([7, 1, 0.5])
  await stand(2, 'b')
  expect(triples(7)).toEqual([7, 1, 0.5, 7, 2, -0.25])
  await stand(3, 'a')
  expect(triples(7)).toEqual([7, 3, 0.5, 7, 2, -0.25])
  // The same index with other files.
  expect(triples(8)).toEqual([8, 3, 0.5, 8, 2, -0.25])
  // The same documents with other values, before and after one of them is written again.
  const { json: later } = packAdded([
    [1, 'b', 0.75],
    [1, 'a', 1],
    [1, 'none', 1],
  ])
  expect(triples(8, later)).toEqual([8, 2, 0.75, 8, 3, 1])
  await stand(4, 'b')
  expect(triples(8, later)).toEqual([8, 4, 0.75, 8, 3, 1])
})

it('writes what was learned once, and not more than a search may change', () => {
  const learned = Object.freeze([{ indexId: 1, id: 'a "quoted" id', value: 0.1 + 0.2 }])
  const packed = packLearned(learned)
  expect(JSON.parse(packed.json)).toEqual([[1, 'a "quoted" id', 0.1 + 0.2]])
  expect(packLearned(learned)).toBe(packed)
  const many = Array.from({ length: 5000 }, (_, at): [number, string, number] => [1, `${at}`, 1])
  expect(packAdded(many).count).toBe(4096)
  expect(JSON.parse(packAdded(many).json)).toHaveLength(4096)
})
