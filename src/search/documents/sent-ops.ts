import type { Config } from '../../config.ts'
import { invalid, ServiceError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { BULK_OPS, bulkOpOf, changesFields } from '../../schema/bulk-ops.ts'
import { type BulkItem, type CallerVector, UNWRAPPED } from '../../schema/document.ts'
import { mustBeId } from '../document-id.ts'
import type { Definition } from '../indices/definition.ts'
import { type IndexEntry, latest } from '../indices/index-entry.ts'
import type { Indices } from '../indices/indices.ts'
import type { Conditions } from './conditions.ts'
import { hasText, noText } from './needed-text.ts'
import type { WriteOp } from './operation.ts'
import { apartFromVector, givenVector, inItsField } from './outside-vector.ts'
import { type SourcePlace, sourceProblem } from './source.ts'
import { unfoundValues } from './unfound-values.ts'
import { keptInWhole, unreadBeside } from './unread-names.ts'

/* What a request sends of a document, as the operation that it asks for. */

type Source = Record<string, unknown>

/** A document as it is sent, for whichever index. */
export interface SentDocument {
  /** A new one by default. */
  id?: string | undefined
  document: Source
  vector?: CallerVector | undefined
  /** Its vector stands among the fields. */
  isWhole?: boolean
}

export interface CreateItem extends Conditions, Omit<SentDocument, 'isWhole'> {
  index: string
}

/** An item of a bulk, or what is wrong with it. */
export interface SentItem {
  item: BulkItem | ServiceError
  /** The document was the whole item. */
  isWhole: boolean
}

export function under({ ifVersion, unlessVersion }: Conditions, op: WriteOp): WriteOp {
  if (ifVersion === undefined && unlessVersion === undefined) return op
  return { ...op, ifVersion, unlessVersion }
}

export function putOp(entry: IndexEntry, sent: SentDocument): WriteOp {
  return { kind: 'put', entry, ...takenBy(latest(entry).definition, sent) }
}

/** What a document comes to in an index of this definition; throws what is wrong with it there. */
export function takenBy(
  definition: Definition,
  { id, document, vector, isWhole = false }: SentDocument,
  place: SourcePlace = 'document.',
): Pick<WriteOp, 'id' | 'source' | 'vector' | 'withoutVector'> {
  const apart = isWhole ? apartFromVector(document, definition) : { fields: document, vector: {} }
  const problem = sourceProblem(apart.fields, definition, place)
  if (problem !== undefined) throw problem
  const beside = vector === undefined ? apart.vector : { vector: givenVector(vector, definition) }
  return {
    id: id === undefined ? newId() : mustBeId(id),
    ...inItsField({ source: apart.fields, ...beside }, definition),
  }
}

/** One item of a bulk, checked by itself. */
export async function bulkOp(
  { item, isWhole }: SentItem,
  defaultIndex: string | undefined,
  { indices, config }: { indices: Indices; config: Pick<Config, 'defaultIndex'> },
): Promise<WriteOp | ServiceError> {
  if (item instanceof ServiceError) return item
  const { id, document, vector } = item
  try {
    const name = item.index ?? defaultIndex ?? config.defaultIndex
    const asked = bulkOpOf(item.op)
    if (asked === undefined) throw invalid('op', `must be one of ${BULK_OPS.join(', ')}`)
    if (id === undefined && (asked === 'delete' || asked === 'update'))
      throw invalid('id', `is required to ${asked}`)
    if (asked === 'delete')
      return { kind: 'delete', entry: indices.get(name), id: id ?? '', source: {} }
    if (document === undefined) throw invalid('document', UNWRAPPED)
    const sent = { id, document, vector, isWhole }
    const op = putOp(await entryFor(indices, name, sent), sent)
    if (asked === 'create') return under({ ifVersion: 'none' }, op)
    return changesFields(asked) ? { ...op, kind: 'merge' } : op
  } catch (cause) {
    if (cause instanceof ServiceError) return cause
    throw cause
  }
}

/** The index that a document goes to; one that is refused creates none. */
export async function entryFor(
  indices: Indices,
  name: string,
  sent: SentDocument,
  place?: SourcePlace,
): Promise<IndexEntry> {
  const known = indices.find(name)
  if (known !== undefined) return known
  const definition = indices.defaults()
  const { source } = takenBy(definition, sent, place)
  if (!hasText(source, definition)) throw noText(definition)
  return indices.ensure(name)
}

/** What an item says in vain. */
export function unreadOf(
  { item, isWhole }: SentItem,
  { entry }: WriteOp,
  defaultIndex: string | undefined,
): string[] {
  if (item instanceof ServiceError) return []
  const { definition } = latest(entry)
  const { document = {} } = item
  const unread = isWhole
    ? keptInWhole(document, definition, defaultIndex)
    : unreadBeside(item, definition)
  return [...unread, ...unfoundValues(document, definition, 'document.')]
}
