import { type CommitReport, native } from '../src/native.ts'

// Searches and the main thread go first.
native.giveWay(5)

/** One batch for one index. Documents are JSON; ords ascend; vectors are rows for `vectorOrds`. */
export interface WriteInput {
  engineId: number
  /** The record store's sequence that the index contains after this batch. */
  sequence: number
  ords: Float64Array
  documents: string[]
  deletes: Float64Array
  vectorOrds: Float64Array
  vectors: Float32Array
}

export interface WriteReport extends CommitReport {
  /** Per document: 1 when it can be found by vector now. */
  vectorized: Uint8Array
}

/** Adds, deletes and publishes; searches on every thread see the whole batch at once. */
export function write(input: WriteInput): WriteReport {
  const { engineId, ords, documents, deletes, vectorOrds, vectors, sequence } = input
  const vectorized = native.apply(engineId, ords, documents, deletes, vectorOrds, vectors)
  return { ...native.commit(engineId, sequence), vectorized }
}
