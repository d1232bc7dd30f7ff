import type { IndexEntry } from '../indices/index-entry.ts'
import type { Conditions } from './conditions.ts'

/** One write of one document, checked by itself; the writer decides it against what is stored. */
export interface WriteOp extends Conditions {
  /**
   * put replaces the document, merge changes the sent fields (and creates it when unknown), vector gives
   * the stored version the vector that it waits for.
   */
  kind: 'put' | 'merge' | 'delete' | 'vector'
  entry: IndexEntry
  id: string
  source: Record<string, unknown>
  vector?: Float32Array
  /** The vector that a caller gave it before is taken away. */
  withoutVector?: true
  /** The text that the vector was made from; another write may have changed it meanwhile. */
  vectorOf?: string
  prepared?: PreparedWrite
}

/** What a write of a large document comes to, made before its transaction, in which nobody else has a turn. */
export interface PreparedWrite {
  /** The number of the document that the changes were laid over; nothing if there was none. */
  over: number | undefined
  /** The whole document. */
  source: Record<string, unknown>
  /** The source as it is stored: null stands for "no value". */
  json: string
}
