import type { IndexRecord } from '../../schema/indices.ts'
import type { Definition, Under } from './definition.ts'

/** One index as the process knows it. The engine adds what is open; this is what was declared. */
export interface IndexEntry {
  record: IndexRecord
  definition: Definition
  /** What a client has declared since; the engine builds it from the records, then it takes this one's place. */
  next?: Declared
  /** The first generation of its files, where they took the place of others: those showed other lists. */
  replacedAt?: number
  /** What its documents have under names, as far as searches have asked for them; mapped ones stand in the definition. */
  seen?: Map<string, Under>
  /** Deleted: what still holds the entry must find nothing and write nothing. */
  dropped?: true
}

/** A declaration that is durable and stands for what documents may be from now on. */
export type Declared = Pick<IndexEntry, 'record' | 'definition'>

/** What the client declared last, whether or not searches use it already. */
export function latest(entry: IndexEntry): Declared {
  return entry.next ?? entry
}
