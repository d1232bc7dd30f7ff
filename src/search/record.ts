import type { Definition } from './indices/definition.ts'

/**
 * A document as it lies in the record store: a fixed header, the id as JSON, then the source's JSON
 * exactly as it will be sent, so that a search copies bytes and parses nothing.
 *
 * | offset | bytes | what |
 * |---|---|---|
 * | 0 | 4 | version of the document, unsigned |
 * | 4 | 8 | created, epoch ms, float64 |
 * | 12 | 8 | updated, epoch ms, float64 |
 * | 20 | 4 | length of the id's JSON |
 * | 24 | … | the id's JSON, then the source's JSON |
 */
const HEADER_BYTES = 24

export interface DocumentRecord {
  id: string
  version: number
  createdMs: number
  updatedMs: number
  /** The source as JSON text. */
  source: string
}

export function encodeRecord(record: DocumentRecord): Buffer {
  const id = JSON.stringify(record.id)
  const idBytes = Buffer.byteLength(id)
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + idBytes + Buffer.byteLength(record.source))
  bytes.writeUInt32LE(record.version, 0)
  bytes.writeDoubleLE(record.createdMs, 4)
  bytes.writeDoubleLE(record.updatedMs, 12)
  bytes.writeUInt32LE(idBytes, 20)
  bytes.write(id, HEADER_BYTES)
  bytes.write(record.source, HEADER_BYTES + idBytes)
  return bytes
}

export function decodeRecord(bytes: Buffer): DocumentRecord {
  return { ...decodeHead(bytes), source: sourceJson(bytes).toString() }
}

/** What is known of a document without its source. */
export function decodeHead(bytes: Buffer): Omit<DocumentRecord, 'source'> {
  return {
    id: decodeId(bytes),
    version: bytes.readUInt32LE(0),
    createdMs: bytes.readDoubleLE(4),
    updatedMs: bytes.readDoubleLE(12),
  }
}

export function decodeId(bytes: Buffer): string {
  return JSON.parse(idJson(bytes).toString()) as string
}

/** The id as JSON, a view into the record. */
export function idJson(bytes: Buffer): Buffer {
  return bytes.subarray(HEADER_BYTES, HEADER_BYTES + bytes.readUInt32LE(20))
}

/** The source as JSON, a view into the record. */
export function sourceJson(bytes: Buffer): Buffer {
  return bytes.subarray(HEADER_BYTES + bytes.readUInt32LE(20))
}

/** Fields of a document that tell its record's times, unless it has its own. */
const TIMES = { created: 4, updated: 12 } as const
type TimeField = keyof typeof TIMES

/** What an index makes of the sources of its records. */
export interface IndexedAs {
  /** Field of the documents that holds their vector: it goes to the core as numbers, not as text. */
  vectorField?: string
  times: TimeField[]
}

/** A mapping may have other things under the names of the times: years, or how a work was made. */
export function indexedAs({ embedder: { field }, types }: Definition): IndexedAs {
  const names = Object.keys(TIMES) as TimeField[]
  const times = names.filter((name) => types.get(name) === 'date')
  return field === undefined ? { times } : { vectorField: field, times }
}

/** What the core indexes of a record: the source, with the record's times unless the source has its own. */
export function indexedJson(bytes: Buffer, { vectorField, times }: IndexedAs): string {
  const stored = sourceJson(bytes).toString()
  const lists = times.filter((name) => stored.includes(`"${name}":[`))
  const isWhole = vectorField === undefined && lists.length === 0
  const source = isWhole ? stored : without(stored, vectorField, lists)
  const rest = source.slice(1)
  // A repeated key's last value wins in JSON, so a source's own times stand.
  const parts = times.map((name) => `"${name}":${bytes.readDoubleLE(TIMES[name])}`)
  return `{${(rest === '}' ? parts : [...parts, rest.slice(0, -1)]).join()}}`
}

/** Without its vector, and without those lists of times that hold none. */
function without(source: string, vectorField: string | undefined, lists: TimeField[]): string {
  const fields = JSON.parse(source) as Record<string, unknown>
  const isEmpty = (name: TimeField) => [fields[name]].flat().every((value) => value === null)
  const dropped: string[] = lists.filter(isEmpty)
  // Its own text where all of it stays: numbers are as they were sent.
  if (vectorField === undefined && dropped.length === 0) return source
  const kept = Object.entries(fields).filter(
    ([name]) => name !== vectorField && !dropped.includes(name),
  )
  return JSON.stringify(Object.fromEntries(kept))
}
