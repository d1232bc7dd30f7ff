/** Written records on their way into one index, by number: ords ascend, vectors are rows for `vectorOrds`. */
export interface Batch {
  /** The record store's sequence that the index contains after this batch. */
  sequence: number
  ords: Float64Array
  deletes: Float64Array
  vectorOrds: Float64Array
  vectors: Float32Array
  /** See `BatchedWrite`; of all documents together. */
  characters: number
  grams: number
}

/** One document's part of a batch. */
export interface BatchedWrite {
  /** The sequence of this write. */
  sequence: number
  /** Whether there is a new document, whose number is the sequence. */
  adds: boolean
  vector?: Float32Array
  /** The document number that this write replaced or deleted. */
  removed?: number
  /** Characters of the document's JSON; absent where there is no new document. */
  characters?: number
  /** Ngrams that the document has at most; absent where its index has none. */
  grams?: number
}

/** Ngrams of one batch: they wait in memory until all are in the index, some 15 to 40 bytes each. */
export const BATCH_GRAMS = 16_000_000
/** Characters of JSON of one batch: the documents are in memory together until all are in the index. */
export const BATCH_CHARACTERS = 16 << 20
/**
 * A batch with more of any of these takes the core a quarter of a second and longer, which the batches of other indices
 * do not wait for. Below that, a thread that has to be started first (a tenth of a second) would be the longer wait.
 */
const SMALL = {
  documents: 1000,
  characters: 1 << 20,
  grams: 250_000,
}

/** Whether others would wait long behind the batch. */
export function isLarge({ ords, characters, grams }: Batch): boolean {
  return ords.length > SMALL.documents || characters > SMALL.characters || grams > SMALL.grams
}

/** A document that a later change of the same batch replaces never needs to be indexed. */
export function outlived(changes: BatchedWrite[]): Set<number> {
  return new Set(changes.flatMap(({ removed }) => (removed === undefined ? [] : [removed])))
}

/** The changes as one batch: what is outlived is only deleted. */
export function joinChanges(changes: BatchedWrite[]): Batch {
  const removed = outlived(changes)
  const added = changes.filter(({ adds, sequence }) => adds && !removed.has(sequence))
  const given = added.filter(({ vector }) => vector !== undefined)
  const dimensions = given[0]?.vector?.length ?? 0
  const vectors = new Float32Array(given.length * dimensions)
  given.forEach(({ vector }, row) => {
    if (vector !== undefined) vectors.set(vector, row * dimensions)
  })
  return {
    sequence: changes.reduce((last, { sequence }) => Math.max(last, sequence), 0),
    ords: Float64Array.from(added, ({ sequence }) => sequence),
    deletes: Float64Array.from(removed),
    vectorOrds: Float64Array.from(given, ({ sequence }) => sequence),
    vectors,
    characters: charactersOf(added),
    grams: gramsOf(added),
  }
}

export function charactersOf(changes: readonly BatchedWrite[]): number {
  return changes.reduce((sum, { characters = 0 }) => sum + characters, 0)
}

export function gramsOf(changes: readonly BatchedWrite[]): number {
  return changes.reduce((sum, { grams = 0 }) => sum + grams, 0)
}

/** The batch without the documents up to `sequence`, which the index has from the records already. */
export function batchAfter(batch: Batch, sequence: number): Batch {
  if (batch.ords.every((ord) => ord > sequence)) return batch
  const dimensions = batch.vectors.length / Math.max(1, batch.vectorOrds.length)
  const known = batch.ords.filter((ord) => ord <= sequence).length
  const knownRows = batch.vectorOrds.filter((ord) => ord <= sequence).length
  return {
    ...batch,
    ords: batch.ords.slice(known),
    vectorOrds: batch.vectorOrds.slice(knownRows),
    vectors: batch.vectors.slice(knownRows * dimensions),
  }
}
