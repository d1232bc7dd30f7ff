import type { QueryPattern } from '../../schema/pattern-record.ts'

/** Which documents were clicked under a query in one period, and how far down; changed here alone. */
export type ClickedDocuments = QueryPattern['documents']

type Entry = ClickedDocuments extends Map<infer Key, infer Counts> ? [Key, Counts] : never

/** Documents of one query and period that are counted. */
const DOCUMENTS_MAX = 10

/**
 * The clicked documents of most queries: none. One map for all, because with many queries rows come and go with every
 * search, so it is never added to.
 */
export const NO_DOCUMENTS: ClickedDocuments = new Map()

/** One more click on a document, in place but for the common map of none; one that has no room is not counted. */
export function countDocument(
  documents: ClickedDocuments,
  key: string,
  position: number,
): ClickedDocuments {
  const [clicks, positions] = documents.get(key) ?? [0, 0]
  if (clicks === 0 && documents.size >= DOCUMENTS_MAX) return documents
  return setDocumentsIn(documents, [[key, [clicks + 1, positions + position]]])
}

/** Adds clicks to a sum in place but for the common map of none, however many documents they are; gives the sum. */
export function addDocumentsTo(sum: ClickedDocuments, more: ClickedDocuments): ClickedDocuments {
  const added = Array.from(more, ([key, [clicks, positions]]): Entry => {
    const [earlier, at] = sum.get(key) ?? [0, 0]
    return [key, [earlier + clicks, at + positions]]
  })
  return setDocumentsIn(sum, added)
}

/** As many as are counted; of those with equal clicks the first by name. */
export function mostClicked(documents: ClickedDocuments): ClickedDocuments {
  if (documents.size <= DOCUMENTS_MAX) return documents
  const sorted = [...documents].sort(([a, [x]], [b, [y]]) => y - x || (a < b ? -1 : 1))
  return new Map(sorted.slice(0, DOCUMENTS_MAX))
}

/** Sets the counts of documents in place; for the common map of none, in one of its own, which it gives. */
export function setDocumentsIn(
  documents: ClickedDocuments,
  set: Iterable<Entry>,
): ClickedDocuments {
  let own = documents
  for (const [key, counts] of set) {
    if (own === NO_DOCUMENTS) own = new Map()
    own.set(key, counts)
  }
  return own
}
