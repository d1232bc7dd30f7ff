import { native } from '../../native.ts'
import type { Reader } from '../../store/reader.ts'
import { decodeId, type IndexedAs, indexedJson } from '../record.ts'
import { BATCH_CHARACTERS } from './batch.ts'
import { cutOf } from './document-flags.ts'
import type { OpeningProgress } from './opening-progress.ts'

/** What opening an index in the core needs. */
export interface OpenInput {
  dataDir: string
  indexId: number
  engineId: number
  directory: string
  definition: string
  /** Marks that its files may carry; files with another mark are of other records. */
  marks: string[]
  /** Set when the index is open already and holds this sequence: only what came since is applied. */
  sequence?: number
  indexedAs: IndexedAs
  /** Where it is told how far this is. */
  progress?: OpeningProgress
}

export interface CaughtUp {
  sequence: number
  documents: number
  replayed: number
  /** Documents that the core would not take; all others are there. */
  refused: number[]
  /** Documents with more ngrams than are indexed: those beyond are not found. */
  cut: number[]
  fitWanted: boolean
}

type Rows = Parameters<typeof native.apply>

/** Documents that wait in memory until they are in the index, unless they have `BATCH_CHARACTERS` earlier. */
const BATCH_DOCUMENTS = 1000

/**
 * Applies to the open index every write of the record store after `sequence`: documents that still
 * stand are added, ords that went are deleted. Doing it again changes nothing.
 */
export function catchUp(
  reader: Reader,
  {
    indexId,
    engineId,
    indexedAs,
    progress = new Int32Array(2),
  }: Pick<OpenInput, 'indexId' | 'engineId' | 'indexedAs' | 'progress'>,
  sequence: number,
): CaughtUp {
  const deletes = removedOrds(reader, indexId, sequence)
  let last = sequence
  let replayed = 0
  const refused: number[] = []
  const cut: number[] = []
  let characters = 0
  let ords: number[] = []
  let documents: string[] = []
  const vectors = collectVectors()
  if (sequence === 0) progress[1] = reader.documentsOf(indexId)

  function flush(): void {
    const removed = Float64Array.from(deletes.splice(0))
    const rows = [Float64Array.from(ords), documents, removed, ...vectors.take()] as const
    const outcome = applyAll(engineId, ...rows)
    refused.push(...outcome.refused)
    cut.push(...outcome.cut)
    replayed += ords.length
    progress[0] = replayed
    characters = 0
    ords = []
    documents = []
  }

  for (const { ord, bytes } of reader.recordsAfter(indexId, sequence)) {
    last = Math.max(last, ord)
    // Both at once: the next read takes the bytes' place.
    const id = decodeId(bytes)
    const json = indexedJson(bytes, indexedAs)
    // A superseded record lies there for searches under way; only the current one counts.
    if (reader.ordOf(indexId, id) !== ord) continue
    ords.push(ord)
    documents.push(json)
    vectors.add(ord, reader.vector(indexId, ord))
    characters += json.length
    if (ords.length >= BATCH_DOCUMENTS || characters >= BATCH_CHARACTERS) flush()
  }
  last = Math.max(last, reader.lastRemoval(indexId) ?? 0)
  if (ords.length > 0 || deletes.length > 0) flush()
  const { documents: live, fitWanted } = native.commit(engineId, last)
  return { sequence: last, documents: live, replayed, refused, cut, fitWanted }
}

/** One document that the core refuses must not keep the others out. */
function applyAll(...rows: Rows): Pick<CaughtUp, 'refused' | 'cut'> {
  const [engineId, ords, documents, deletes, vectorOrds, vectors] = rows
  try {
    return { refused: [], cut: cutOf(ords, native.apply(...rows)) }
  } catch (cause) {
    if (!isRefusal(cause)) throw cause
  }
  native.apply(engineId, new Float64Array(), [], deletes, new Float64Array(), new Float32Array())
  const dimensions = vectors.length / Math.max(1, vectorOrds.length)
  const outcome: Pick<CaughtUp, 'refused' | 'cut'> = { refused: [], cut: [] }
  ords.forEach((ord, at) => {
    const row = vectorOrds.indexOf(ord)
    const own =
      row < 0 ? new Float32Array() : vectors.subarray(row * dimensions).slice(0, dimensions)
    const one = documents.slice(at, at + 1)
    const ownOrds = row < 0 ? new Float64Array() : Float64Array.of(ord)
    const alone = Float64Array.of(ord)
    try {
      const flags = native.apply(engineId, alone, one, new Float64Array(), ownOrds, own)
      outcome.cut.push(...cutOf(alone, flags))
    } catch (cause) {
      if (!isRefusal(cause)) throw cause
      outcome.refused.push(ord)
    }
  })
  return outcome
}

function isRefusal(cause: unknown): boolean {
  return cause instanceof Error && cause.message.startsWith('BAD_REQUEST')
}

function removedOrds(reader: Reader, indexId: number, sequence: number): number[] {
  const ords: number[] = []
  for (const removed of reader.removalsAfter(indexId, sequence)) ords.push(...removed)
  return ords
}

/** Rows of stored vectors (from a caller or an endpoint), gathered batch by batch. */
function collectVectors(): {
  add: (ord: number, vector: Float32Array | undefined) => void
  take: () => [Float64Array, Float32Array]
} {
  let ords: number[] = []
  let rows: Float32Array[] = []
  return {
    add: (ord, vector) => {
      if (vector === undefined) return
      ords.push(ord)
      rows.push(vector)
    },
    take: () => {
      const dimensions = rows[0]?.length ?? 0
      const flat = new Float32Array(rows.length * dimensions)
      rows.forEach((row, at) => {
        flat.set(row, at * dimensions)
      })
      const taken: [Float64Array, Float32Array] = [Float64Array.from(ords), flat]
      ords = []
      rows = []
      return taken
    },
  }
}
