import { ServiceError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import { decodeRecord } from '../record.ts'
import { type WriteParts, writeDocuments } from './document-writes.ts'
import { isServed } from './embed-ops.ts'
import type { WriteOp } from './operation.ts'
import { vectorText } from './outside-vector.ts'

type Key = [indexId: number, id: string]

/** Documents that are asked for at once. */
const STEP_MAX = 256
/** By so much fewer after a refusal, and more after an answer. */
const STEP_FACTOR = 4

/**
 * Asks again for vectors that an endpoint has not given yet, one round at a time: until it gives none, or all had their
 * turn. It refuses a call for one of its texts: then the next round asks for fewer, down to that one, and passes over it.
 */
export function openWaitingVectors(
  entryOf: (indexId: number) => IndexEntry | undefined,
  parts: WriteParts,
): () => Promise<void> {
  const { store } = parts
  /** The last one that had its turn. */
  let after: Key | undefined
  let step = STEP_MAX

  /** Whether to go on at once. */
  async function ask(): Promise<boolean> {
    const keys = keysAfter(store, after, step)
    const last = keys.at(-1)
    if (last === undefined) {
      after = undefined
      return false
    }
    const { ops, gone } = readWaiting(parts, keys, entryOf)
    if (gone.length > 0) await forgetGone(store, gone)
    if (ops.length > 0 && (await vectorize(ops, parts)) === 0) {
      if (step === 1) after = last
      step = Math.ceil(step / STEP_FACTOR)
      return false
    }
    after = last
    step = Math.min(STEP_MAX, step * STEP_FACTOR)
    return true
  }
  return async () => {
    while (await ask());
  }
}

/** The keys that come next; a walk begins with the key that it is told. */
function keysAfter(
  { tables: { unvectorized } }: Store,
  after: Key | undefined,
  limit: number,
): Key[] {
  if (after === undefined) return [...unvectorized.keys({ limit })]
  const keys = [...unvectorized.keys({ start: after, limit: limit + 1 })]
  const isAfter = ([indexId, id]: Key) => indexId !== after[0] || id !== after[1]
  return keys.filter(isAfter).slice(0, limit)
}

function readWaiting(
  { store, unserved }: WriteParts,
  keys: readonly Key[],
  entryOf: (indexId: number) => IndexEntry | undefined,
): { ops: WriteOp[]; gone: Key[] } {
  const { documents, records } = store.tables
  const ops: WriteOp[] = []
  const gone: Key[] = []
  for (const key of keys) {
    const [indexId, id] = key
    const entry = entryOf(indexId)
    // What a deleted index leaves goes with it.
    if (entry === undefined) continue
    const ord = documents.get(key)
    const bytes = ord === undefined ? undefined : records.peek([indexId, ord])
    if (bytes === undefined) gone.push(key)
    else if (isServed(entry, unserved)) {
      const source = JSON.parse(decodeRecord(bytes).source) as Record<string, unknown>
      ops.push({ kind: 'vector', entry, id, source })
    }
  }
  return { ops, gone }
}

/** Documents that were deleted wait no longer, unless they have come again meanwhile. */
async function forgetGone(store: Store, gone: readonly Key[]): Promise<void> {
  const { documents, unvectorized } = store.tables
  await store.release(() => {
    unvectorized.removeAll(gone.filter((key) => !documents.has(key)))
  })
}

/** Answers how many got their vectors. */
async function vectorize(ops: readonly WriteOp[], parts: WriteParts): Promise<number> {
  const vectors = await parts.embed(ops.map(({ entry, source }) => vectorText(entry, source)))
  const ready = ops.flatMap((op, at) => {
    const vector = vectors[at]
    return vector === undefined
      ? []
      : [{ ...op, vector, vectorOf: vectorText(op.entry, op.source) }]
  })
  if (ready.length === 0) return 0
  const written = await writeDocuments(ready, { refresh: true }, parts)
  return written.filter((outcome) => !(outcome instanceof ServiceError)).length
}
