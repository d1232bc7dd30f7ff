import { documentKey, documentOf } from '../../schema/document-key.ts'
import { type AddedScores, NOTHING_ADDED } from '../../schema/plan.ts'
import type { Reader } from '../../store/reader.ts'
import type { PageIndex } from './page.ts'

/** A document's place in the store and what is added to its score; 1 is the span of the fused score. */
export type Added = [indexId: number, id: string, value: number]

/** Documents whose score one search may change; the core takes no more. */
const ADDED_MAX = 4096
/** Numbers of documents that a thread remembers, and those in the lists that it remembers. */
const NUMBERED_MAX = 50_000

/** Additions as they travel, in front of what was learned; of these the last are left out when they are too many. */
export function packAdded(added: readonly Added[], learned = NOTHING_ADDED): AddedScores {
  const taken = added.slice(0, ADDED_MAX - learned.count)
  if (taken.length === 0) return learned
  const documents = taken.map(([indexId, id]) => JSON.stringify(documentKey(indexId, id)))
  if (learned.count > 0) documents.push(learned.documents)
  const values = [...taken.map(([, , value]) => value), ...valuesOf(learned)]
  return {
    documents: documents.join(),
    values: Buffer.from(Float64Array.from(values).buffer).toString('base64'),
    count: values.length,
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
  decodedBytes.write(added.values, 'base64')
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
  const { places, indexIds, ords } = numbersOf(reader, added.documents, generation)
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
  generation: number,
): Numbered {
  if (numbered.generation !== generation || numbered.count > NUMBERED_MAX) {
    numbered.ords.clear()
    numbered.lists.clear()
    numbered.generation = generation
    numbered.count = 0
  }
  const known = numbered.lists.get(documents)
  if (known !== undefined) return known
  const list = numberAll(reader, namesOf(documents))
  numbered.lists.set(documents, list)
  numbered.count += list.ords.length
  return list
}

function numberAll(reader: Pick<Reader, 'ordsOf'>, names: readonly string[]): Numbered {
  const places: number[] = []
  const ords: number[] = []
  // Each document has room for its newest number; earlier ones share the rest.
  let room = ADDED_MAX - names.length
  names.forEach((name, place) => {
    const taken = ordsOf(reader, name).slice(0, 1 + room)
    room -= Math.max(0, taken.length - 1)
    for (const ord of taken) {
      places.push(place)
      ords.push(ord)
    }
  })
  return {
    places: Int32Array.from(places),
    indexIds: Int32Array.from(places, (place) => documentOf(names[place] as string).indexId),
    ords: Float64Array.from(ords),
  }
}

function ordsOf(reader: Pick<Reader, 'ordsOf'>, name: string): readonly number[] {
  const known = numbered.ords.get(name)
  if (known !== undefined) return known
  const { indexId, id } = documentOf(name)
  const ords = reader.ordsOf(indexId, id)
  numbered.ords.set(name, ords)
  numbered.count += Math.max(1, ords.length)
  return ords
}
