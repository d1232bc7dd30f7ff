import { native } from '../native.ts'
import type { Reader } from '../store/reader.ts'
import { decodeRecord, indexedJson } from './record.ts'

/** What opening an index in the core needs. */
export interface OpenInput {
  dataDir: string
  indexId: number
  engineId: number
  directory: string
  definition: string
  /** Set when the index is open already and holds this sequence: only what came since is applied. */
  sequence?: number
}

export interface Replayed {
  sequence: number
  documents: number
  replayed: number
  fitWanted: boolean
}

const BATCH_DOCUMENTS = 1000

/**
 * Applies to the open index every write of the record store after `sequence`: documents that still
 * stand are added, ords that went are deleted. Doing it again changes nothing.
 */
export function replayIndex(
  reader: Reader,
  { indexId, engineId }: Pick<OpenInput, 'indexId' | 'engineId'>,
  sequence: number,
): Replayed {
  const deletes = removedOrds(reader, indexId, sequence)
  let last = sequence
  let replayed = 0
  let ords: number[] = []
  let documents: string[] = []
  const vectors = collectVectors()

  function flush(): void {
    native.apply(
      engineId,
      Float64Array.from(ords),
      documents,
      Float64Array.from(deletes.splice(0)),
      ...vectors.take(),
    )
    replayed += ords.length
    ords = []
    documents = []
  }

  for (const { ord, bytes } of reader.recordsAfter(indexId, sequence)) {
    last = Math.max(last, ord)
    const record = decodeRecord(bytes)
    // A superseded record lies there for searches under way; only the current one counts.
    if (reader.ordOf(indexId, record.id) !== ord) continue
    ords.push(ord)
    documents.push(indexedJson(record))
    vectors.add(ord, reader.vector(indexId, ord))
    if (ords.length >= BATCH_DOCUMENTS) flush()
  }
  last = Math.max(last, reader.lastRemoval(indexId) ?? 0)
  if (ords.length > 0 || deletes.length > 0) flush()
  const { documents: live, fitWanted } = native.commit(engineId, last)
  return { sequence: last, documents: live, replayed, fitWanted }
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
