import { open } from 'lmdb'
import type { RememberedRow } from '../schema/memory-record.ts'
import type { Judgement, TrialUnit } from '../schema/model-record.ts'
import { type MetaValue, openDatabases, wrapTables } from './databases.ts'
import { recordsDirectory } from './records-file.ts'
import { READERS_MAX, TABLES_MAX } from './tables.ts'

/** A stored record and its document number. */
export interface NumberedRecord {
  ord: number
  bytes: Buffer
}

/** What a worker thread reads of the store. Every read sees at least all that was committed before `openReader`. */
export interface Reader {
  /** The record's bytes, valid until the next read on this thread; undefined when there is none. */
  record(indexId: number, ord: number): Buffer | undefined
  /** A copy of the document's stored vector. */
  vector(indexId: number, ord: number): Float32Array | undefined
  /** The number that the document has now. */
  ordOf(indexId: number, id: string): number | undefined
  /** How many documents an index has; they are counted, a million in a second. */
  documentsOf(indexId: number): number
  /** All numbers that the document has in any view, newest first: at most one of them is in each. */
  ordsOf(indexId: number, id: string): readonly number[]
  /** A fact about the store, by its name in the table `meta`. */
  mark<Name extends string>(name: Name): MetaValue<Name> | undefined
  /** What the click memory has on the disk, by query. */
  remembered(): Iterable<RememberedRow>
  /** Records with a number above `sequence`, ascending. */
  recordsAfter(indexId: number, sequence: number): Iterable<NumberedRecord>
  /** Numbers removed by each write after `sequence`, ascending by write. */
  removalsAfter(indexId: number, sequence: number): Iterable<number[]>
  /** Sequence of the newest write that removed something. */
  lastRemoval(indexId: number): number | undefined
  /** What a search showed, newest first, as bytes that are valid until the next step. */
  impressions(): Iterable<Buffer>
  /** The impression of one search, valid until the next read on this thread. */
  impression(queryId: string): Buffer | undefined
  judgement(queryId: string): Judgement | undefined
  /** Searches with a gain, newest first. */
  judged(): Iterable<{ queryId: string; judgement: Judgement }>
  /** What every unit of a model's trial did. */
  trialUnits(trial: number): Iterable<TrialUnit>
  /** The stored state of a model as JSON, valid until the next read on this thread. */
  modelState(modelId: string, version: number): Buffer | undefined
}

interface OpenedReader {
  reader: Reader
  release: () => void
}

/**
 * The environments that this thread reads, by folder. A worker's job is a function without a place of its own
 * to keep one, and LMDB wants one per thread; the thread's end closes it.
 */
const opened = new Map<string, OpenedReader>()

/**
 * Reading access to the store under `dataDir`. Cheap after the first call on a thread; each call moves on to
 * the newest commit, so call it once a job, which lets go of it when it returns. The store must have been opened before.
 */
export function openReader(dataDir: string): Reader {
  let found = opened.get(dataDir)
  if (found === undefined) {
    found = buildReader(dataDir)
    opened.set(dataDir, found)
  }
  found.release()
  // LMDB's own timer comes later, behind the jobs that wait. What a thread goes on holding, no later write could reuse:
  // the file would grow with every commit.
  queueMicrotask(found.release)
  return found.reader
}

function buildReader(dataDir: string): OpenedReader {
  const root = open(recordsDirectory(dataDir), {
    noSubdir: false,
    readOnly: true,
    maxDbs: TABLES_MAX,
    maxReaders: READERS_MAX,
  })
  const tables = wrapTables(openDatabases(root))
  const { documents, earlierOrds, meta, records, removals, vectors } = tables
  const { clickMemory, impressions, judgements, modelStates, trialUnits } = tables
  const after = (indexId: number, sequence: number) => ({
    start: [indexId, sequence + 1] as [number, number],
    end: [indexId, Number.MAX_VALUE] as [number, number],
  })
  /** One for all: a new list of two numbers would be made into one of anything by the writer of keys, each time. */
  const recordKey: [indexId: number, ord: number] = [0, 0]
  const reader: Reader = {
    record: (indexId, ord) => {
      recordKey[0] = indexId
      recordKey[1] = ord
      return records.peek(recordKey)
    },
    vector: (indexId, ord) => {
      const bytes = vectors.peek([indexId, ord])
      return bytes && new Float32Array(Uint8Array.prototype.slice.call(bytes).buffer)
    },
    ordOf: (indexId, id) => documents.get([indexId, id]),
    documentsOf: (indexId) => {
      let count = 0
      for (const _ of documents.keys({ start: [indexId, ''], end: [indexId + 1, ''] })) count += 1
      return count
    },
    ordsOf: (indexId, id) => {
      const ord = documents.get([indexId, id])
      const earlier = earlierOrds.get([indexId, id]) ?? []
      return ord === undefined ? earlier : [ord, ...earlier]
    },
    mark: (name) => meta.get(name),
    *remembered() {
      for (const { value } of clickMemory.range()) yield value
    },
    *recordsAfter(indexId, sequence) {
      for (const { key, value } of records.range(after(indexId, sequence)))
        yield { ord: key[1], bytes: Buffer.from(value.buffer, value.byteOffset, value.length) }
    },
    *removalsAfter(indexId, sequence) {
      for (const { value } of removals.range(after(indexId, sequence))) yield value
    },
    lastRemoval: (indexId) => {
      const [last] = removals.keys({
        start: [indexId, Number.MAX_VALUE],
        end: [indexId, -1],
        reverse: true,
        limit: 1,
      })
      return last?.[1]
    },
    *impressions() {
      for (const { value } of impressions.range({ reverse: true }))
        yield Buffer.from(value.buffer, value.byteOffset, value.length)
    },
    impression: (queryId) => impressions.peek(queryId),
    judgement: (queryId) => judgements.get(queryId),
    *judged() {
      for (const { key, value } of judgements.range({ reverse: true }))
        yield { queryId: key, judgement: value }
    },
    *trialUnits(trial) {
      for (const { value } of trialUnits.range({ start: [trial, ''], end: [trial + 1, ''] }))
        yield value
    },
    modelState: (modelId, version) => modelStates.peek([modelId, version]),
  }
  return { reader, release: () => root.resetReadTxn() }
}
