import { nearestName } from '../../nearest-name.ts'
import { bulkOpOf, changesFields } from '../../schema/bulk-ops.ts'
import { shownName, TOLD_MAX } from '../../word.ts'
import type { Definition } from '../indices/definition.ts'
import { isVector, mayLose, takesVector } from './outside-vector.ts'

/** What is read of an item, or of the body that creates one document. */
const READ: ReadonlySet<string> = new Set(['op', 'index', 'id', 'document', 'vector'])

const KEPT_ID = '_id is kept as a field: to choose what the document is called, send id.'
const KEPT_INDEX =
  'index is kept as a field: to choose the index of the document, send it beside "document", or as ?index= in the address.'
const INNER_ID =
  'document.id is kept as a field: to choose what the document is called, send id beside document.'
const INNER_VECTOR =
  'document.vector is kept as a field: to give the document its vector, send vector beside document.'
const INNER_NULL =
  'document.vector is a field, which null takes away: to take the vector of the document away, PATCH it with {"vector": null}.'

interface Sent {
  op?: unknown
  id?: string | undefined
  document?: Record<string, unknown> | undefined
  vector?: unknown
}

/** What was sent beside `document`, or in it, where nobody reads it: the id, the index or the vector that it was meant to be. */
export function unreadBeside(sent: Sent, definition: Definition | undefined): string[] {
  const told: string[] = []
  for (const name in sent) if (!READ.has(name) && told.length < TOLD_MAX) told.push(unread(name))
  const { id, document = {}, vector } = sent
  if (id === undefined && 'id' in document) told.push(INNER_ID)
  if (vector !== undefined || definition === undefined || !takesVector(definition)) return told
  const takesAway = document.vector === null && changesFields(bulkOpOf(sent.op))
  if (takesAway && mayLose(definition)) told.push(INNER_NULL)
  return isVector(document.vector) ? [...told, INNER_VECTOR] : told
}

/**
 * As `unreadBeside`, of a document that is the whole item of a bulk; a client that names the index in the address
 * means the field by `index`.
 */
export function keptInWhole(
  document: Record<string, unknown>,
  definition: Definition,
  addressed: string | undefined,
): string[] {
  const told = '_id' in document ? [KEPT_ID] : []
  if (addressed !== undefined || typeof document.index !== 'string') return told
  return definition.names.has('index') ? told : [...told, KEPT_INDEX]
}

function unread(name: string): string {
  const meant = nearestName(shownName(name), READ)
  return `"${shownName(name)}" is not read and was ignored${meant === undefined ? '' : `; "${meant}" is`}.`
}
