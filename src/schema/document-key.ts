/** A document by its name, whatever its number in the index is now: `indexId/id`. */
export type DocumentKey = string

export function documentKey(indexId: number, id: string): DocumentKey {
  return `${indexId}/${id}`
}

export function documentOf(key: DocumentKey): { indexId: number; id: string } {
  const slash = key.indexOf('/')
  return { indexId: Number(key.slice(0, slash)), id: key.slice(slash + 1) }
}
