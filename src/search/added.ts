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
/** Lists that a thread remembers the documents' numbers of. */
const NUMBERED_MAX = 512

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

interface Numbered {
  /** The store's sequence: as long as nothing is written, documents keep their numbers. */
  sequence: number
  triples: Float64Array
}

const numbered = new Map<string, Numbered>()

/** Additions as the core takes them: triples of engine, document number and value; unknown documents are left out. */
export function numberAdded(
  reader: Pick<Reader, 'ordOf' | 'sequence'>,
  json: string,
  indices: readonly PageIndex[],
): Float64Array {
  const sequence = reader.sequence()
  const key = `${indices.map(({ engineId }) => engineId)} ${json}`
  const known = numbered.get(key)
  if (known?.sequence === sequence) return known.triples
  const engines = new Map(indices.map(({ indexId, engineId }) => [indexId, engineId]))
  const triples = (JSON.parse(json) as Added[]).flatMap(([indexId, id, value]) => {
    const engineId = engines.get(indexId)
    const ord = engineId === undefined ? undefined : reader.ordOf(indexId, id)
    return engineId === undefined || ord === undefined ? [] : [engineId, ord, value]
  })
  if (numbered.size >= NUMBERED_MAX) numbered.clear()
  const found = { sequence, triples: Float64Array.from(triples) }
  numbered.set(key, found)
  return found.triples
}
