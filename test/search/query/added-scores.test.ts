import { expect, it } from 'vitest'
import { NOTHING_ADDED } from '../../../src/schema/plan.ts'
import {
  ANY_INDEX,
  joinAdded,
  numberAdded,
  packAdded,
  unpackAdded,
} from '../../../src/search/query/added-scores.ts'
import { openReader } from '../../../src/store/reader.ts'
import { temporaryStore } from '../../store/open.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

it('numbers documents as they stand, whatever was written since the last time', async () => {
  const dataDir = temporaryFolder()
  const store = temporaryStore({ dataDir })
  const { documents } = store.tables
  let generation = 0
  const stand = async (sequence: number, id: string) => {
    await store.write(() => documents.put([1, id], sequence))
    generation = sequence
  }
  const added = packAdded([
    [1, 'a', 0.5],
    [1, 'b', -0.25],
    [2, 'a', 1],
  ])
  const indices = (engineId: number) => [{ indexId: 1, engineId, name: 'stones' }]
  const triples = (engineId: number, list = added) =>
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
  const later = packAdded([
    [1, 'b', 0.75],
    [1, 'a', 1],
    [1, 'none', 1],
  ])
  expect(triples(8, later)).toEqual([8, 2, 0.75, 8, 3, 1])
  await stand(4, 'b')
  expect(triples(8, later)).toEqual([8, 4, 0.75, 8, 3, 1])
})

it('comes with earlier numbers as far as there is room', async () => {
  const dataDir = temporaryFolder()
  const store = temporaryStore({ dataDir })
  const { documents, earlierOrds } = store.tables
  await store.write(() => {
    documents.put([1, 'kept'], 9)
    earlierOrds.put([1, 'kept'], [7, 3])
    earlierOrds.put([1, 'deleted'], [8, 4])
    for (let ord = 10; ord < 4104; ord++) documents.put([1, `${ord}`], ord)
  })
  const indices = [{ indexId: 1, engineId: 7, name: 'stones' }]
  const two = packAdded([
    [1, 'kept', 0.5],
    [1, 'deleted', 1],
  ])
  expect(Array.from(numberAdded(openReader(dataDir), two, { indices, generation: 100 }))).toEqual([
    7, 9, 0.5, 7, 7, 0.5, 7, 3, 0.5, 7, 8, 1, 7, 4, 1,
  ])
  const many = Array.from({ length: 4094 }, (_, at): [number, string, number] => [
    1,
    `${at + 10}`,
    2,
  ])
  const full = joinAdded(packAdded(many), two)
  const triples = numberAdded(openReader(dataDir), full, { indices, generation: 100 })
  expect(triples).toHaveLength(3 * 4096)
  expect(Array.from(triples.slice(-6))).toEqual([7, 9, 0.5, 7, 8, 1])
})

it('looks for a document of any index in each that is searched', async () => {
  const dataDir = temporaryFolder()
  const store = temporaryStore({ dataDir })
  const { documents, earlierOrds } = store.tables
  await store.write(() => {
    for (const [indexId, ord] of [
      [1, 5],
      [2, 6],
      [3, 7],
    ] as const)
      documents.put([indexId, 'a'], ord)
    earlierOrds.put([2, 'a'], [3])
    documents.put([2, 'b'], 8)
  })
  const index = (indexId: number) => ({ indexId, engineId: 10 * indexId, name: `${indexId}` })
  const added = packAdded([
    [ANY_INDEX, 'a', 0.5],
    [ANY_INDEX, 'b', 2],
    [1, 'a', 1],
  ])
  const triples = (...searched: number[]) => {
    const view = { indices: searched.map(index), generation: 300 }
    return Array.from(numberAdded(openReader(dataDir), added, view))
  }
  expect(triples(1, 2)).toEqual([10, 5, 0.5, 20, 6, 0.5, 20, 3, 0.5, 20, 8, 2, 10, 5, 1])
  expect(triples(3)).toEqual([30, 7, 0.5])
  expect(triples(2, 3)).toEqual([20, 6, 0.5, 20, 3, 0.5, 30, 7, 0.5, 20, 8, 2])
})

it('looks for the first documents of a list only where there are very many indices', () => {
  const asked: string[] = []
  const reader = {
    ordsOf: (indexId: number, id: string) => [asked.push(`${indexId}/${id}`)],
  }
  const indices = Array.from({ length: 10_000 }, (_, at) => {
    return { indexId: at + 1, engineId: at + 1, name: `${at}` }
  })
  const added = packAdded([
    [ANY_INDEX, 'first', 1],
    [ANY_INDEX, 'second', 1],
    [ANY_INDEX, 'third', 1],
    [9, 'own', 1],
  ])
  const triples = numberAdded(reader, added, { indices, generation: 400 })
  expect(asked).toHaveLength(16_384 + 1)
  expect(asked.at(-1)).toBe('9/own')
  // Room for the third stays free.
  expect(triples).toHaveLength(3 * 4095)
  expect(Array.from(triples.slice(-3))).toEqual([9, 16_385, 1])
})

it('is read as it was written, behind what ranking changes add', () => {
  const learned = packAdded([[1, 'a "quoted" id/with', 0.1 + 0.2]])
  expect(unpackAdded(learned)).toEqual([[1, 'a "quoted" id/with', 0.1 + 0.2]])
  expect(unpackAdded(joinAdded(packAdded([[2, 'pinned', 1e-7]]), learned))).toEqual([
    [2, 'pinned', 1e-7],
    [1, 'a "quoted" id/with', 0.1 + 0.2],
  ])
  expect(joinAdded(packAdded([]), learned)).toBe(learned)
  expect(joinAdded(learned, NOTHING_ADDED)).toBe(learned)
  expect(unpackAdded(NOTHING_ADDED)).toEqual([])
})

it('changes no more scores than the core takes', () => {
  const learned = packAdded([[1, 'learned', 1]])
  const many = Array.from({ length: 5000 }, (_, at): [number, string, number] => [1, `${at}`, 1])
  const packed = joinAdded(packAdded(many), learned)
  expect(packed.count).toBe(4096)
  expect(unpackAdded(packed)).toHaveLength(4096)
  expect(unpackAdded(packed).at(-1)).toEqual([1, 'learned', 1])
})

it('remembers so many numbers, and looks up anew once there are more', () => {
  const asked: string[] = []
  const reader = { ordsOf: (_indexId: number, id: string) => [asked.push(id)] }
  const lookUp = (...ids: string[]) =>
    numberAdded(reader, packAdded(ids.map((id) => [1, id, 1])), { indices: [], generation: 200 })
  const timesAsked = () => asked.filter((id) => id === 'first').length
  lookUp('first')
  lookUp('first')
  expect(timesAsked()).toBe(1)
  for (let list = 0; list < 8; list += 1)
    lookUp(...Array.from({ length: 4000 }, (_, at) => `${list} ${at}`))
  lookUp('first')
  expect(timesAsked()).toBe(2)
})
