import type { Store } from '../../store/store.ts'
import type { Unserved } from '../indices/embedder.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import { decodeRecord } from '../record.ts'
import type { WriteOp } from './operation.ts'
import { vectorText } from './outside-vector.ts'

/** Vectors of texts from an endpoint, row by row; undefined for one that could not be made. */
type EmbedDocuments = (texts: string[]) => Promise<(Float32Array | undefined)[]>

export interface EmbedParts {
  store: Store
  embed: EmbedDocuments
  unserved: Unserved
}

/** Texts of indices whose vectors come from an endpoint are sent there before the write is decided. */
export async function embedOps(
  ops: WriteOp[],
  { store, embed, unserved }: EmbedParts,
): Promise<void> {
  const wanted = ops
    .filter(({ kind, vector }) => (kind === 'put' || kind === 'merge') && vector === undefined)
    .filter(({ entry }) => isServed(entry, unserved))
    .map((op) => ({ op, text: changedText(store, op) }))
    .filter(({ text }) => text !== undefined && text.trim() !== '')
  if (wanted.length === 0) return
  const vectors = await embed(wanted.map(({ text = '' }) => text))
  wanted.forEach(({ op, text }, at) => {
    const vector = vectors[at]
    if (vector !== undefined) Object.assign(op, { vector, vectorOf: text })
  })
}

/** Whether the endpoint gives its vectors; the index of another one goes without. */
export function isServed({ definition: { embedder } }: IndexEntry, unserved: Unserved): boolean {
  return embedder.kind === 'http' && unserved(embedder) === undefined
}

/** The text to vectorise; undefined when the stored vector was made from the same one. */
function changedText(store: Store, { kind, entry, id, source }: WriteOp): string | undefined {
  const { documents, records, vectors } = store.tables
  const ord = documents.get([entry.record.id, id])
  const bytes = ord === undefined ? undefined : records.peek([entry.record.id, ord])
  if (ord === undefined || bytes === undefined) return vectorText(entry, source)
  const old = JSON.parse(decodeRecord(bytes).source) as Record<string, unknown>
  const text = vectorText(entry, kind === 'put' ? source : { ...old, ...source })
  const isSame = text === vectorText(entry, old) && vectors.has([entry.record.id, ord])
  return isSame ? undefined : text
}
