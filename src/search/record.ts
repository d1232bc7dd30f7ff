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

/**
 * What the core indexes of a record: the source, with the record's own times unless the source has its own.
 * A vector in the source (`vectorField`) goes to the core as numbers, not as text.
 */
export function indexedJson(bytes: Buffer, vectorField?: string): string {
  const times = `"created":${bytes.readDoubleLE(4)},"updated":${bytes.readDoubleLE(12)}`
  const stored = sourceJson(bytes).toString()
  const source = vectorField === undefined ? stored : without(stored, vectorField)
  const rest = source.slice(1)
  // A repeated key's last value wins in JSON, so a source's own times stand.
  return rest === '}' ? `{${times}}` : `{${times},${rest}`
}

function without(source: string, field: string): string {
  const { [field]: _vector, ...others } = JSON.parse(source) as Record<string, unknown>
  return JSON.stringify(others)
}
