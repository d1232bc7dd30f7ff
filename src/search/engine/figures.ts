import { native } from '../../native.ts'
import type { IndexEntry } from '../indices/index-entry.ts'

/** What the core says about one open index; sizes in bytes. */
export interface IndexFigures {
  documents: number
  deleted: number
  segments: number
  vectors: number
  bytes: number
  memoryBytes: number
  generation: number
  sequence: number
  /** The vector space, and how many documents it was learned from. */
  space: {
    id: number
    kind: 'hashed' | 'learned' | 'given'
    dimensions: number
    cut: number
    documents: number
  }
  graph: boolean
  writer: boolean
}

/** Reads the figures of an index that is open. */
export function readIndexFigures({ record }: IndexEntry): IndexFigures {
  return JSON.parse(native.stats(record.engineId)) as IndexFigures
}
