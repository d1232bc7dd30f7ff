import { type CommitReport, native } from '../src/native.ts'
import type { Batch } from '../src/search/engine/batch.ts'
import { cutOf, HAS_VECTOR } from '../src/search/engine/document-flags.ts'
import { type IndexedAs, indexedJson } from '../src/search/record.ts'
import { openReader } from '../src/store/reader.ts'

// Searches and the main thread go first.
native.giveWay(5)

/** One batch for one index. */
export interface WriteInput extends Batch {
  dataDir: string
  indexId: number
  engineId: number
  indexedAs: IndexedAs
}

export interface WriteReport extends CommitReport {
  /** Per document: 1 when it can be found by vector now. */
  vectorized: Uint8Array
  /** Numbers of the documents that have more ngrams than are indexed. */
  cut: number[]
}

/**
 * Adds, deletes and publishes; searches on every thread see the whole batch at once. The documents are read from their
 * records, so that the main thread holds none of them for as long as they wait.
 */
export function write(input: WriteInput): WriteReport {
  const { dataDir, indexId, engineId, ords, deletes, vectorOrds, vectors, sequence } = input
  const reader = openReader(dataDir)
  const documents: string[] = []
  // A record that was replaced long ago may have been swept: what replaced it comes next.
  const found = ords.filter((ord) => {
    const record = reader.record(indexId, ord)
    if (record !== undefined) documents.push(indexedJson(record, input.indexedAs))
    return record !== undefined
  })
  const flags = native.apply(engineId, found, documents, deletes, vectorOrds, vectors)
  const cut = cutOf(found, flags)
  const hasVector = flags.map((bits) => bits & HAS_VECTOR)
  return { ...native.commit(engineId, sequence), vectorized: spread(hasVector, found, ords), cut }
}

/** The flags of what was found as flags of all. */
function spread(flags: Uint8Array, found: Float64Array, ords: Float64Array): Uint8Array {
  if (found.length === ords.length) return flags
  let at = 0
  return Uint8Array.from(ords, (ord) => (found[at] === ord ? (flags[at++] ?? 0) : 0))
}
