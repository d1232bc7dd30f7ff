import { invalid } from '../../errors.ts'
import { ownValue } from '../../object.ts'
import type { CallerVector } from '../../schema/document.ts'
import type { Store } from '../../store/store.ts'
import { shownName } from '../../word.ts'
import type { Definition } from '../indices/definition.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import type { DocumentRecord } from '../record.ts'
import { readVector, refuseOtherDimensions } from '../vector.ts'
import type { WriteOp } from './operation.ts'
import { valuesAt } from './source.ts'

type Source = Record<string, unknown>

/** The versions of a document that a write stands between. */
interface Versions {
  record: DocumentRecord
  old: DocumentRecord | undefined
  /** Number of the old one. */
  ord: number | undefined
}

/** The vector of this version from outside: sent beside it, in its own field, or kept from the one before. */
export function vectorFor(store: Store, op: WriteOp, versions: Versions): Float32Array | undefined {
  const sent = sentVector(op, versions.record)
  const { field } = op.entry.definition.embedder
  if (sent !== undefined) return sent
  const own = fieldVector(versions.record, field)
  if (own !== undefined) return own
  // Taken out of its field: it is not the one that was sent beside the document.
  if (fieldVector(versions.old, field) !== undefined) return undefined
  return takesVectorAway(op) ? undefined : keptVector(store, op.entry, versions)
}

/** Whether a write that brings no vector leaves the document none: who replaces the whole document replaces its vector, too. */
export function takesVectorAway({ kind, withoutVector, entry }: WriteOp): boolean {
  return withoutVector === true || (kind === 'put' && entry.definition.embedder.kind === 'given')
}

/** Throws VALIDATION_FAILED for what is no vector, or where an index makes its own; VECTOR_DIMENSIONS. */
export function givenVector(
  vector: CallerVector,
  { embedder: { kind, dimensions } }: Definition,
): Float32Array {
  const values = readVector(vector, 'vector')
  if (kind === 'learned')
    throw invalid(
      'vector',
      'is given, but this index makes its own vectors; create one with settings.embedder.kind "given"',
    )
  refuseOtherDimensions(values, dimensions)
  return values
}

/**
 * Where a document is the whole body, its vector stands among the fields. It is one where an index takes vectors and its
 * mapping has no field of that name; null takes away the one that it has. Throws as `givenVector` does.
 */
export function apartFromVector(
  source: Source,
  definition: Definition,
): { fields: Source; vector: Pick<WriteOp, 'vector' | 'withoutVector'> } {
  const sent = ownValue(source, 'vector')
  if (sent === undefined || !takesVector(definition)) return { fields: source, vector: {} }
  const { vector: _, ...fields } = source
  if (sent === null) return { fields, vector: mayLose(definition) ? { withoutVector: true } : {} }
  if (!isVector(sent))
    throw invalid('vector', 'must be a list of numbers, or base64 of little-endian float32 numbers')
  return { fields, vector: { vector: givenVector(sent, definition) } }
}

/**
 * Where a field of an index holds the vectors, one that is sent beside a document is that field. Throws VALIDATION_FAILED
 * when both are sent and are not the same.
 */
export function inItsField(
  sent: Pick<WriteOp, 'source' | 'vector' | 'withoutVector'>,
  { embedder: { field } }: Definition,
): Pick<WriteOp, 'source' | 'vector' | 'withoutVector'> {
  const { vector, source } = sent
  if (vector === undefined || field === undefined) return sent
  const own: unknown = ownValue(source, field)
  if (Array.isArray(own) && !isSame(own, vector))
    throw invalid('vector', `is another one than that of ${shownName(field)}; send one of both`)
  return { source: { ...source, [field]: own ?? Array.from(vector) } }
}

function isSame(values: unknown[], vector: Float32Array): boolean {
  const isEqual = (value: unknown, at: number) => Math.fround(Number(value)) === vector[at]
  return values.length === vector.length && values.every(isEqual)
}

/** A vector that lies in a field, or is made by an endpoint from the text, stays while they do. */
export function mayLose({ embedder: { kind, field } }: Definition): boolean {
  return kind === 'given' && field === undefined
}

/** Whether `vector` among the fields of a document is its vector. */
export function takesVector({ embedder, fields, objects }: Definition): boolean {
  if (embedder.kind === 'learned' || embedder.field === 'vector') return false
  const isMapped = (name: string) => name === 'vector' || name.startsWith('vector.')
  return (
    !fields.some(({ source }) => isMapped(source)) && !objects.some(({ name }) => isMapped(name))
  )
}

export function isVector(sent: unknown): sent is CallerVector {
  return (
    typeof sent === 'string' ||
    (Array.isArray(sent) && sent.every((one) => typeof one === 'number'))
  )
}

function fieldVector(
  record: DocumentRecord | undefined,
  field: string | undefined,
): Float32Array | undefined {
  if (record === undefined || field === undefined) return undefined
  const values = ownValue(JSON.parse(record.source) as Source, field)
  return Array.isArray(values) ? Float32Array.from(values as number[]) : undefined
}

/** The vector sent with the write, unless it was made from a text that has changed since. */
export function sentVector(
  { vector, vectorOf, entry }: WriteOp,
  record: DocumentRecord,
): Float32Array | undefined {
  return vectorOf === undefined || vectorOf === vectorText(entry, record.source)
    ? vector
    : undefined
}

/** A vector from outside costs much: it stays as long as the text that it was made from. */
function keptVector(
  store: Store,
  entry: IndexEntry,
  { old, ord, record }: Versions,
): Float32Array | undefined {
  if (entry.definition.embedder.kind === 'learned' || old === undefined || ord === undefined)
    return undefined
  const { kind } = entry.definition.embedder
  if (kind === 'http' && vectorText(entry, old.source) !== vectorText(entry, record.source))
    return undefined
  const bytes = store.tables.vectors.get([entry.record.id, ord])
  return bytes === undefined ? undefined : new Float32Array(new Uint8Array(bytes).buffer)
}

/** A document whose endpoint gave no vector is remembered until it has one. */
export function awaitVectorWithin(
  store: Store,
  { entry, id }: WriteOp,
  record: DocumentRecord,
  vector: Float32Array | undefined,
): void {
  if (entry.definition.embedder.kind !== 'http') return
  const { unvectorized } = store.tables
  const key: [number, string] = [entry.record.id, id]
  if (vector === undefined && vectorText(entry, record.source).trim() !== '')
    unvectorized.put(key, true)
  else unvectorized.remove(key)
}

/** The text that a document's vector stands for: its vectorised fields, in the mapping's order. */
export function vectorText({ definition }: IndexEntry, source: string | Source): string {
  const values = typeof source === 'string' ? (JSON.parse(source) as Source) : source
  return definition.fields
    .filter((field) => field.vectorized === true)
    .flatMap((field) => valuesAt(values, field.source))
    .join('\n')
}
