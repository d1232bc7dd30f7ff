import type { ServiceError } from '../../errors.ts'
import { wellFormedJson } from '../../json/well-formed.ts'
import { steadyMs } from '../../shared-clock.ts'
import type { Store } from '../../store/store.ts'
import type { BatchedWrite } from '../engine/batch.ts'
import { latest } from '../indices/index-entry.ts'
import { unknownIndex } from '../indices/unknown-index.ts'
import { type DocumentRecord, decodeRecord, encodeRecord } from '../record.ts'
import { unmet } from './conditions.ts'
import { gramsAtMost, gramsProblem } from './grams.ts'
import { hasText, IS_NEW, noText } from './needed-text.ts'
import type { WriteOp } from './operation.ts'
import { awaitVectorWithin, sentVector, takesVectorAway, vectorFor } from './outside-vector.ts'
import { merged, preparedFor } from './prepared.ts'
import { notInIndex } from './unknown-document.ts'

type Source = Record<string, unknown>

/** Earlier numbers by which older views find a document; one that is written more often is no longer found in the oldest. */
const EARLIER_MAX = 128

/** What became of a write; durable. */
export interface WriteOutcome {
  result: 'created' | 'updated' | 'unchanged' | 'deleted'
  record: DocumentRecord
  /** What the index has to do about it; undefined when nothing changed. */
  change?: BatchedWrite
  /** The document number that stands now. */
  ord: number
}

/** Decides every operation in order, inside the transaction under way, and numbers what changes. */
export function decideAllWithin(
  store: Store,
  ops: WriteOp[],
  nowMs: number,
): (WriteOutcome | ServiceError)[] {
  const { meta } = store.tables
  const first = meta.get('sequence')
  const counter = { last: typeof first === 'number' ? first : 0 }
  const outcomes = ops.map((op) => decideWithin(store, op, nowMs, counter))
  if (counter.last !== first) meta.put('sequence', counter.last)
  return outcomes
}

/** Runs inside the transaction: what it reads is what every earlier write left. */
function decideWithin(
  store: Store,
  op: WriteOp,
  nowMs: number,
  counter: { last: number },
): WriteOutcome | ServiceError {
  const { documents, records } = store.tables
  if (op.entry.dropped === true) return unknownIndex()
  const indexId = op.entry.record.id
  const ord = documents.get([indexId, op.id])
  const bytes = ord === undefined ? undefined : records.peek([indexId, ord])
  const old = bytes === undefined ? undefined : decodeRecord(bytes)
  const refusal = unmet(op, old?.version)
  if (refusal !== undefined) return refusal
  if (op.kind === 'delete') {
    if (old === undefined || ord === undefined) return notInIndex()
    return removeWithin(store, op, { old, ord, sequence: ++counter.last })
  }
  if (op.kind === 'vector') {
    if (old === undefined || sentVector(op, old) === undefined) return notInIndex()
    return save(store, op, { record: old, old, ord, sequence: ++counter.last })
  }
  const prepared = preparedFor(op, ord)
  const source = prepared?.source ?? (op.kind === 'put' ? op.source : merge(old, op.source))
  const { definition } = latest(op.entry)
  if (!hasText(source, definition))
    return noText(definition, op.kind === 'merge' && old === undefined ? IS_NEW : '')
  const tooMany = gramsProblem(source, definition.grams)
  if (tooMany !== undefined) return tooMany
  const json = prepared?.json ?? storedJson(source)
  const isSame = json === old?.source && hasItsVector(store, op, ord)
  if (isSame && old !== undefined && ord !== undefined)
    return { result: 'unchanged', record: old, ord }
  const record: DocumentRecord = {
    id: op.id,
    version: (old?.version ?? 0) + 1,
    createdMs: old?.createdMs ?? nowMs,
    updatedMs: nowMs,
    source: json,
  }
  const grams = gramsAtMost(source, definition.grams)
  return save(store, op, { record, old, ord, grams, sequence: ++counter.last })
}

/** Whether the stored version has the vector that a write gives it, or none where that takes it away. */
function hasItsVector({ tables }: Store, op: WriteOp, ord: number | undefined): boolean {
  const { vector, entry } = op
  // One that lies in a field is told by the fields.
  const isApart = entry.definition.embedder.field === undefined
  if (vector === undefined && !(isApart && takesVectorAway(op))) return true
  const stored = ord === undefined ? undefined : tables.vectors.get([entry.record.id, ord])
  if (vector === undefined || stored === undefined) return vector === stored
  return (
    Buffer.compare(Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength), stored) === 0
  )
}

interface Save {
  record: DocumentRecord
  old: DocumentRecord | undefined
  ord: number | undefined
  grams?: number
  sequence: number
}

function save(
  store: Store,
  op: WriteOp,
  { record, old, ord, grams = 0, sequence }: Save,
): WriteOutcome {
  const { documents, records, vectors } = store.tables
  const indexId = op.entry.record.id
  documents.put([indexId, op.id], sequence)
  records.put([indexId, sequence], encodeRecord(record))
  const vector = vectorFor(store, op, { old, ord, record })
  if (vector !== undefined)
    vectors.put(
      [indexId, sequence],
      Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
    )
  awaitVectorWithin(store, op, record, vector)
  if (ord !== undefined) retireWithin(store, { indexId, id: op.id, ord, sequence })
  return {
    result: old === undefined ? 'created' : 'updated',
    record,
    ord: sequence,
    change: {
      sequence,
      adds: true,
      characters: record.source.length,
      ...(vector === undefined ? {} : { vector }),
      ...(ord === undefined ? {} : { removed: ord }),
      ...(grams === 0 ? {} : { grams }),
    },
  }
}

interface Retire {
  indexId: number
  id: string
  ord: number
  /** The write that replaces or deletes it. */
  sequence: number
}

/**
 * The old record stays readable, and its number known, for searches under way and pages of an older view; a sweep clears
 * both later.
 */
function retireWithin({ tables }: Store, { indexId, id, ord, sequence }: Retire): void {
  const { removals, superseded, earlierOrds } = tables
  removals.put([indexId, sequence], [ord])
  superseded.put([steadyMs(), indexId, ord], true)
  const earlier = earlierOrds.get([indexId, id]) ?? []
  earlierOrds.put([indexId, id], [ord, ...earlier.slice(0, EARLIER_MAX - 1)])
}

function removeWithin(
  store: Store,
  op: WriteOp,
  { old, ord, sequence }: { old: DocumentRecord; ord: number; sequence: number },
): WriteOutcome {
  const indexId = op.entry.record.id
  store.tables.documents.remove([indexId, op.id])
  retireWithin(store, { indexId, id: op.id, ord, sequence })
  return { result: 'deleted', record: old, ord, change: { sequence, adds: false, removed: ord } }
}

function merge(old: DocumentRecord | undefined, changes: Source): Source {
  const before = old === undefined ? {} : (JSON.parse(old.source) as Source)
  return merged(before, changes)
}

/** null stands for "no value" and is not stored. */
function storedJson(source: Source): string {
  const json = wellFormedJson(source)
  if (!json.includes(':null')) return json
  return wellFormedJson(
    Object.fromEntries(Object.entries(source).filter(([, value]) => value !== null)),
  )
}
