import { LARGE_BYTES, readGradually } from '../../json/gradual.ts'
import { isHeavy, jsonGradually } from '../../json/gradual-text.ts'
import type { Store } from '../../store/store.ts'
import { sourceJson } from '../record.ts'
import type { PreparedWrite, WriteOp } from './operation.ts'

type Source = Record<string, unknown>

/** Deeper than whatever was taken; in stores of earlier versions, objects may have any number of names. */
const DEPTH_MAX = 1024

/** Prepares those of some writes that are large, or change what is. */
export async function prepareLarge(ops: readonly WriteOp[], store: Store): Promise<void> {
  for (const op of ops) {
    if (op.kind !== 'put' && op.kind !== 'merge') continue
    const stored = op.kind === 'merge' ? storedOf(op, store) : undefined
    if (stored === undefined && !isHeavy(op.source)) continue
    const before = stored === undefined ? {} : await readStored(stored.json)
    const source = merged(before, op.source)
    op.prepared = { over: stored?.ord, source, json: await jsonGradually(source, isNull) }
  }
}

function isNull(value: unknown): boolean {
  return value === null
}

/** What was prepared of a write, if that still stands where it was laid over what was stored. */
export function preparedFor(
  { kind, prepared }: WriteOp,
  ord: number | undefined,
): PreparedWrite | undefined {
  return kind === 'put' || prepared?.over === ord ? prepared : undefined
}

/** A document with some fields changed: the first of the two, which is nobody else's. */
export function merged(before: Source, changes: Source): Source {
  // Not `{...before, ...changes}`: to copy hundreds of thousands of fields takes seconds.
  return Object.assign(before, changes)
}

/** The stored document that a write changes, if one of the two is large. */
function storedOf({ entry, id, source }: WriteOp, { tables }: Store) {
  const indexId = entry.record.id
  const ord = tables.documents.get([indexId, id])
  const bytes = ord === undefined ? undefined : tables.records.peek([indexId, ord])
  if (bytes === undefined || (bytes.length < LARGE_BYTES && !isHeavy(source))) return undefined
  // The bytes are there until the next read only.
  return { ord, json: Buffer.from(sourceJson(bytes)) }
}

async function readStored(json: Buffer): Promise<Source> {
  const limits = { namesMax: Number.POSITIVE_INFINITY }
  return (await readGradually(json, DEPTH_MAX, limits)).value as Source
}
