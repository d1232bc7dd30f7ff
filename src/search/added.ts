import type { Reader } from '../store/reader.ts'
import { wellFormedJson } from './json.ts'
import type { PageIndex } from './page.ts'
import type { Plan } from './ranking-plan.ts'

/** A document's place in the store and what is added to its score; 1 is the span of the fused score. */
export type Added = [indexId: number, id: string, value: number]

/** Additions on their way to a worker: written once, however many searches get them. */
export interface PackedAdded {
  json: string
  count: number
}

/** Documents whose score one search may change; the core takes no more. */
const ADDED_MAX = 4096
/** Documents whose numbers a thread remembers. */
const NUMBERED_MAX = 50_000

export function packAdded(added: readonly Added[]): PackedAdded {
  const taken = added.slice(0, ADDED_MAX)
  return { json: wellFormedJson(taken), count: taken.length }
}

/** What was learned of a query stays the same list until more is learned. */
const packed = new WeakMap<Plan['added'], PackedAdded>()

export function packLearned(learned: Plan['added']): PackedAdded {
  const known = packed.get(learned) ?? packAdded(addedScores(learned))
  packed.set(learned, known)
  return known
}

export function addedScores(learned: Plan['added']): Added[] {
  return learned.map(({ indexId, id, value }) => [indexId, id, value])
}

/** Numbers of the documents of each index, by their ids, as they were looked up while this generation was the newest. */
const numbers = { generation: -1, count: 0, byIndex: new Map<number, Map<string, number>>() }

/**
 * Additions as the core takes them: triples of engine, document number and value; unknown documents are left out.
 * What is learned of a query moves with each click, the documents' numbers only with a new generation: read it before
 * the first look into the store, which then holds all that the generation shows.
 */
export function numberAdded(
  reader: Pick<Reader, 'ordOf'>,
  json: string,
  { indices, generation }: { indices: readonly PageIndex[]; generation: number },
): Float64Array {
  if (numbers.generation !== generation || numbers.count > NUMBERED_MAX) {
    numbers.byIndex.clear()
    numbers.generation = generation
    numbers.count = 0
  }
  const added = JSON.parse(json) as Added[]
  const triples = new Float64Array(3 * added.length)
  let length = 0
  for (const one of added) {
    const engineId = engineOf(indices, one[0])
    const ord = engineId === undefined ? undefined : numberOf(reader, one[0], one[1])
    if (engineId === undefined || ord === undefined) continue
    triples[length] = engineId
    triples[length + 1] = ord
    triples[length + 2] = one[2]
    length += 3
  }
  return triples.subarray(0, length)
}

function engineOf(indices: readonly PageIndex[], indexId: number): number | undefined {
  for (const index of indices) if (index.indexId === indexId) return index.engineId
  return undefined
}

function numberOf(reader: Pick<Reader, 'ordOf'>, indexId: number, id: string): number | undefined {
  let known = numbers.byIndex.get(indexId)
  if (known === undefined) {
    known = new Map()
    numbers.byIndex.set(indexId, known)
  }
  const remembered = known.get(id)
  if (remembered !== undefined) return remembered
  const ord = reader.ordOf(indexId, id)
  if (ord === undefined) return undefined
  known.set(id, ord)
  numbers.count += 1
  return ord
}
