import type { QueryPattern } from '../../schema/pattern-record.ts'

/** Which documents were clicked under a query in one period, and how far down; not to be changed by others. */
export type ClickedDocuments = QueryPattern['documents']

type Counts = [clicks: number, positions: number]

/** Documents of one query and period that are counted. */
const DOCUMENTS_MAX = 10

/**
 * The clicked documents of most queries: none. One map for all, because with many queries rows come and go with every
 * search.
 */
export const NO_DOCUMENTS: ClickedDocuments = new Map()

/** One more click on a document; one that has no room is not counted. */
export function countDocument(
  documents: ClickedDocuments,
  key: string,
  position: number,
): ClickedDocuments {
  const [clicks, positions] = documents.get(key) ?? [0, 0]
  if (clicks === 0 && documents.size >= DOCUMENTS_MAX) return documents
  return withDocuments(documents, [[key, [clicks + 1, positions + position]]])
}

/** The clicks of both, however many documents they are. */
export function addDocuments(sum: ClickedDocuments, more: ClickedDocuments): ClickedDocuments {
  const added = Array.from(more, ([key, [clicks, positions]]): [string, Counts] => {
    const [earlier, at] = sum.get(key) ?? [0, 0]
    return [key, [earlier + clicks, at + positions]]
  })
  return withDocuments(sum, added)
}

/** As many as are counted; of those with equal clicks the first by name. */
export function mostClicked(documents: ClickedDocuments): ClickedDocuments {
  if (documents.size <= DOCUMENTS_MAX) return documents
  const sorted = [...documents].sort(([a, [x]], [b, [y]]) => y - x || (a < b ? -1 : 1))
  return new Map(sorted.slice(0, DOCUMENTS_MAX))
}

/** Sets the counts of documents in place; only the common list of none stays as it is. */
export function withDocuments(
  documents: ClickedDocuments,
  set: Iterable<[string, Counts]>,
): ClickedDocuments {
  let own = documents as Map<string, Readonly<Counts>>
  for (const [key, counts] of set) {
    if (own === NO_DOCUMENTS) own = new Map()
    own.set(key, counts)
  }
  return own
}
