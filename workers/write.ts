import { type CommitReport, native } from '../src/native.ts'
import type { Batch } from '../src/search/batch.ts'

// Searches and the main thread go first.
native.giveWay(5)

/** One batch for one index. */
export interface WriteInput extends Batch {
  engineId: number
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
