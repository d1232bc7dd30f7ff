import { isObject } from '../../object.ts'
import { BULK_OPS, type BulkOp, bulkOpOf, changesFields } from '../../schema/bulk-ops.ts'
import { commandError } from '../terminal.ts'
import { htmlText } from './html.ts'
import { placeId } from './place-id.ts'

/** A document as it goes to the server, and where it came from. */
export interface FoundDocument {
  file: string
  /** 1-based line of a text file, or position of an item in a JSON list. */
  line: number
  id: string
  /** The id says where in its file the document stands: when others come before it, it gets another one. */
  isPlaced?: true
  /** The index that the line itself names, if any. */
  index?: string
  /** What the line asks for, where that is not to put its document in the place of an older one. */
  op?: Exclude<BulkOp, 'index' | 'put'>
  /** Undefined when the line asks for its document to be deleted. */
  document?: Record<string, unknown>
  /** A vector that the line brings along, passed on as it is. */
  vector?: unknown
  /** What to say behind the reason, if it is refused. */
  advice?: string
}

/** Where a record stands in its file. */
export interface FilePlace {
  file: string
  line: number
  /** What its id is made of where it has none and that is not the line. */
  position?: number
}

/** A place in a file that could not be read as a document. */
export interface Unreadable {
  file: string
  line: number
  reason: string
}

/** How fields of a file become fields of a document. */
export interface Mapping {
  /** Field that holds the id; without it `id` or `_id`. */
  idField?: string
  /** The index that was asked for: it wins over the one that a document was exported from. */
  index?: string
  /** Field of the file → field of the document. */
  rename: ReadonlyMap<string, string>
  /** Fields of the file that hold HTML. */
  html?: ReadonlySet<string>
  /** Field of the document → its type in the mapping of the index, which cells of a table go by. */
  types?: ReadonlyMap<string, string>
  /** Names that options say and no record has had so far: reading takes out those that it meets. */
  unmet?: Set<string>
}

/**
 * What options say of fields: one that is to be called `id` holds the id, unless another is named for that. A field that holds
 * the id, and is renamed, too, is one of the document as well.
 */
export function mappingOf(
  rename: ReadonlyMap<string, string>,
  idField: string | undefined,
  index: string | undefined,
): Mapping {
  const called = [...rename].filter(([, to]) => to === 'id' || to === '_id').map(([from]) => from)
  const [first, second] = idField === undefined ? called : [idField]
  if (second !== undefined)
    throw commandError(`--map makes the id of "${first}" and of "${second}": a document has one.`)
  return {
    rename:
      idField === undefined ? new Map([...rename].filter(([from]) => from !== first)) : rename,
    ...(first !== undefined && { idField: first }),
    ...(index !== undefined && { index }),
  }
}

const LISTS = ['authors', 'tags']

/**
 * Makes a document of one record of a file: a document, one with what is said of it around it, or one as others export it.
 * `_id` and `id` become the id, `text` becomes `content` where there is none (as BEIR files have it), `authors` and `tags`
 * become lists. A record without an id gets one from its file and position, so that loading the same file again replaces it.
 */
export function toFound(
  raw: unknown,
  place: FilePlace,
  mapping: Mapping,
): FoundDocument | Unreadable {
  const { file, line } = place
  if (!isObject(raw)) return { file, line, reason: 'is not a JSON object' }
  const parts = exported(raw, mapping) ?? unwrapped(raw, mapping)
  if (typeof parts === 'string') return { file, line, reason: parts }
  return foundIn({ raw, ...parts }, place, mapping)
}

/** As `toFound`, of a row of a table: cells are fields, whatever they are called. An `op` of `delete` there deletes nothing. */
export function rowToFound(
  fields: Record<string, unknown>,
  place: FilePlace,
  mapping: Mapping,
): FoundDocument | Unreadable {
  return foundIn({ raw: fields, fields, more: {}, deletes: false }, place, mapping)
}

/** The document in a record, and what the record says around it. */
interface DocumentParts {
  fields: Record<string, unknown>
  more: LineParts
  deletes: boolean
}

type RecordParts = DocumentParts & { raw: Record<string, unknown> }

function foundIn(
  { raw, fields, more, deletes }: RecordParts,
  { position, ...place }: FilePlace,
  mapping: Mapping,
): FoundDocument | Unreadable {
  const { idField } = mapping
  const { id, holdsId } = idOf(raw, fields, idField)
  if (id === undefined && idField !== undefined)
    return { ...place, reason: `has no text or number in "${idField}" for the id` }
  const { op } = more
  if ((deletes || op === 'update') && id === undefined)
    return { ...place, reason: `asks for ${deletes ? 'a deletion' : 'an update'} but names no id` }
  const own =
    id === undefined
      ? { id: placeId(place.file, position ?? place.line), isPlaced: true as const }
      : { id }
  const named = { ...place, ...more, ...own }
  if (deletes) return named
  const document = shaped(fields, mapping, { keepsNull: changesFields(op), holdsId })
  if (typeof document === 'string') return { ...place, reason: document }
  return { ...named, document }
}

/** The id of a record, and whether an `id` in its document is that. */
function idOf(
  raw: Record<string, unknown>,
  fields: Record<string, unknown>,
  idField: string | undefined,
): { id: string | undefined; holdsId: boolean } {
  if (idField !== undefined) return { id: asId(fields[idField] ?? raw[idField]), holdsId: false }
  // Beside an id around it, `id` in a document is a field like any other.
  const around = fields === raw ? undefined : idIn(raw)
  return { id: around ?? idIn(fields), holdsId: around === undefined }
}

/** What Elasticsearch and OpenSearch say of a document that they found, beside names that begin with `_`. */
const OF_HITS = new Set(['fields', 'found', 'highlight', 'inner_hits', 'matched_queries', 'sort'])

/** A line as these export it: a document within `_source`, and around it nothing but what they say of it. */
function exported(raw: Record<string, unknown>, { index }: Mapping): DocumentParts | undefined {
  const { _source: fields, _index: from } = raw
  if (!isObject(fields)) return undefined
  if (!Object.keys(raw).every((name) => name.startsWith('_') || OF_HITS.has(name))) return undefined
  const more: LineParts = index === undefined && typeof from === 'string' ? { index: from } : {}
  return { fields, more, deletes: false }
}

/** What a line says beside its document. */
type LineParts = Pick<FoundDocument, 'index' | 'op' | 'vector'>

/** What stands around a document; a line of nothing else has none. */
const AROUND = new Set(['op', 'index', 'id', '_id', 'vector'])

/**
 * Reads both forms of a line: the document itself, or `{op?, index?, id?, document, vector?}` around it; or says what is
 * wrong with that. An `op` that is renamed is a field.
 */
function unwrapped(raw: Record<string, unknown>, { rename }: Mapping): DocumentParts | string {
  const { document, index, vector } = raw
  const op = rename.has('op') ? undefined : raw.op
  const asked = bulkOpOf(op)
  const wraps = isObject(document) && raw.title === undefined && raw.content === undefined
  const deletes = asked === 'delete' && (document === undefined || wraps)
  const isBare = op !== undefined && Object.keys(raw).every((name) => AROUND.has(name))
  if ((wraps || isBare) && asked === undefined)
    return `has an op that is none of ${BULK_OPS.join(', ')}`
  if (isBare && !deletes) return 'has an op but no document'
  const field = Object.keys(raw).find((name) => !AROUND.has(name) && !name.startsWith('_'))
  // Rows of a log of changes may be meant either way, and what is deleted does not come back.
  if (deletes && !wraps && field !== undefined)
    return `asks for a deletion and has a field "${field}": leave out all but the id to delete it, or name op another field with --map op=…`
  const named = (wraps || deletes) && typeof index === 'string' ? { index } : {}
  const isPut = asked === undefined || asked === 'index' || asked === 'put'
  const more = {
    ...named,
    ...(deletes || (wraps && !isPut) ? { op: asked } : {}),
    ...(wraps && vector !== undefined ? { vector } : {}),
  } as LineParts
  return { fields: wraps ? document : raw, more, deletes }
}

function idIn(fields: Record<string, unknown>): string | undefined {
  return asId(fields.id ?? fields._id)
}

function asId(sent: unknown): string | undefined {
  return isIdLike(sent) && sent !== '' ? String(sent) : undefined
}

function isIdLike(value: unknown): value is string | number | bigint {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
}

/**
 * A null is no value, or takes one away where a document is changed; what can't be an id is a field like any other.
 * Or says what is wrong: of two fields that get one name, either would be lost.
 */
function shaped(
  fields: Record<string, unknown>,
  mapping: Mapping,
  { keepsNull, holdsId }: { keepsNull: boolean; holdsId: boolean },
): Record<string, unknown> | string {
  const { idField, rename } = mapping
  const document: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    mapping.unmet?.delete(name)
    const mayBeId = holdsId && (name === 'id' || name === '_id')
    const isOnlyId = (name === idField && !rename.has(name)) || (mayBeId && isIdLike(value))
    if (isOnlyId) continue
    if (value === undefined || (value === null && !keepsNull)) continue
    const target = rename.get(name) ?? name
    if (Object.hasOwn(document, target))
      return `has more than one field for "${target}": --map each to a name of its own`
    const plain = mapping.html?.has(name) ? shown(value) : value
    document[target] = LISTS.includes(target) && typeof plain === 'string' ? [plain] : plain
  }
  if (document.content === undefined && typeof document.text === 'string' && !rename.has('text')) {
    document.content = document.text
    delete document.text
  }
  return document
}

/** The text of HTML, also of each in a list. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown)
  return typeof value === 'string' ? htmlText(value) : value
}
