import { documentKey, documentOf } from '../../schema/document-key.ts'
import { type AddedScores, NOTHING_ADDED, PIN } from '../../schema/plan.ts'
import type { Reader } from '../../store/reader.ts'
import type { PageIndex } from './page.ts'
import { readBase64 } from './short-base64.ts'

/** A document's place in the store and what is added to its score; 1 is the span of the fused score. */
export type Added = [indexId: number, id: string, value: number]

/** In place of an index: whichever of those that are searched holds the id. Numbers of indices begin at 1. */
export const ANY_INDEX = 0

/** Documents whose score one search may change; the core takes no more. */
const ADDED_MAX = 4096
/** Numbers of documents that a thread remembers, and those in the lists that it remembers. */
const NUMBERED_MAX = 50_000
/** How often a list has ids looked for in one of the searched indices: a thousand ids of any index may mean a million. */
const LOOKS_MAX = 16_384

/** Additions as they travel; the last are left out when they are too many. */
export function packAdded(added: readonly Added[]): AddedScores {
  const taken = added.slice(0, ADDED_MAX)
  if (taken.length === 0) return NOTHING_ADDED
  const documents = taken.map(([indexId, id]) => JSON.stringify(documentKey(indexId, id)))
  const values = Float64Array.from(taken, ([, , value]) => value)
  return {
    documents: documents.join(),
    values: Buffer.from(values.buffer).toString('base64'),
    count: values.length,
    pins: (values[0] ?? 0) >= PIN,
  }
}

/** What ranking changes add, in front of what was learned; of these the last are left out when they are too many. */
export function joinAdded(tuned: AddedScores, learned: AddedScores): AddedScores {
  if (tuned.count === 0) return learned
  if (learned.count === 0) return tuned
  const room = ADDED_MAX - learned.count
  if (tuned.count > room) return joinAdded(packAdded(unpackAdded(tuned).slice(0, room)), learned)
  const values = [tuned, learned].map((added) => Buffer.from(added.values, 'base64'))
  return {
    documents: `${tuned.documents},${learned.documents}`,
    values: Buffer.concat(values).toString('base64'),
    count: tuned.count + learned.count,
    pins: tuned.pins,
  }
}

/** What is added to each document, one by one. */
export function unpackAdded(added: AddedScores): Added[] {
  const values = valuesOf(added)
  return namesOf(added.documents).map((name, at) => {
    const { indexId, id } = documentOf(name)
    return [indexId, id, values[at] as number]
  })
}

const decoded = new Float64Array(ADDED_MAX)
const decodedBytes = Buffer.from(decoded.buffer)

/** In memory that the next call uses again. */
function valuesOf(added: AddedScores): Float64Array {
  readBase64(added.values, decodedBytes)
  return decoded.subarray(0, added.count)
}

function namesOf(documents: string): string[] {
  return JSON.parse(`[${documents}]`)
}

const triples = new Float64Array(3 * ADDED_MAX)

/** The numbers of a list's documents, with their index and the document's place in the list. */
interface Numbered {
  places: Int32Array
  indexIds: Int32Array
  ords: Float64Array
}

/**
 * What was looked up while this generation was the newest: the numbers of documents by their names, and of whole lists.
 * What is learned of a query moves with each look, its documents and their numbers seldom.
 */
const numbered = {
  generation: -1,
  count: 0,
  ords: new Map<string, readonly number[]>(),
  lists: new Map<string, Numbered>(),
}

/**
 * Additions as the core takes them: triples of engine, document number and value; unknown documents are left out. A
 * document that was written again comes with its earlier numbers too, since an older view has one of these; the core
 * passes over what its view has not. Read the generation before the first look into the store, which then holds all that
 * the generation shows. The triples stand in memory that the next call uses again.
 */
export function numberAdded(
  reader: Pick<Reader, 'ordsOf'>,
  added: AddedScores,
  { indices, generation }: { indices: readonly PageIndex[]; generation: number },
): Float64Array {
  const { places, indexIds, ords } = numbersOf(reader, added.documents, { indices, generation })
  const values = valuesOf(added)
  let length = 0
  for (let at = 0; at < ords.length; at++) {
    const engineId = engineOf(indices, indexIds[at] as number)
    if (engineId === undefined) continue
    triples[length] = engineId
    triples[length + 1] = ords[at] as number
    triples[length + 2] = values[places[at] as number] as number
    length += 3
  }
  return triples.subarray(0, length)
}

function engineOf(indices: readonly PageIndex[], indexId: number): number | undefined {
  for (const index of indices) if (index.indexId === indexId) return index.engineId
  return undefined
}

function numbersOf(
  reader: Pick<Reader, 'ordsOf'>,
  documents: string,
  { indices, generation }: { indices: readonly PageIndex[]; generation: number },
): Numbered {
  if (numbered.generation !== generation || numbered.count > NUMBERED_MAX) {
    numbered.ords.clear()
    numbered.lists.clear()
    numbered.generation = generation
    numbered.count = 0
  }
  const searched = namesAny(documents) ? indices.map(({ indexId }) => indexId) : []
  const name = searched.length === 0 ? documents : `${searched.join()} ${documents}`
  const known = numbered.lists.get(name)
  if (known !== undefined) return known
  const list = numberAll(reader, namesOf(documents), searched)
  numbered.lists.set(name, list)
  numbered.count += list.ords.length
  return list
}

/** The beginning of a document's name, as JSON, that says no index. */
const ANY = JSON.stringify(documentKey(ANY_INDEX, '')).slice(0, -1)

/** Whether a list may have documents of any index: what it asks for may also stand within an id. */
function namesAny(documents: string): boolean {
  return documents.includes(ANY)
}

function numberAll(
  reader: Pick<Reader, 'ordsOf'>,
  names: readonly string[],
  searched: readonly number[],
): Numbered {
  const places: number[] = []
  const indexIds: number[] = []
  const ords: number[] = []
  // Each document has room for its newest number; earlier ones, and those of further indices, share the rest.
  let room = ADDED_MAX - names.length
  let looks = LOOKS_MAX
  const indicesOf = (indexId: number) => {
    if (indexId !== ANY_INDEX) return [indexId]
    const taken = searched.slice(0, looks)
    looks -= taken.length
    return taken
  }
  names.forEach((name, place) => {
    const { indexId, id } = documentOf(name)
    let own = 1
    for (const index of indicesOf(indexId)) {
      const taken = ordsOf(reader, index, id).slice(0, own + room)
      room -= Math.max(0, taken.length - own)
      if (taken.length > 0) own = 0
      for (const ord of taken) {
        places.push(place)
        indexIds.push(index)
        ords.push(ord)
      }
    }
  })
  return {
    places: Int32Array.from(places),
    indexIds: Int32Array.from(indexIds),
    ords: Float64Array.from(ords),
  }
}

function ordsOf(reader: Pick<Reader, 'ordsOf'>, indexId: number, id: string): readonly number[] {
  const name = documentKey(indexId, id)
  const known = numbered.ords.get(name)
  if (known !== undefined) return known
  const ords = reader.ordsOf(indexId, id)
  numbered.ords.set(name, ords)
  numbered.count += Math.max(1, ords.length)
  return ords
}
