import { invalid } from '../../errors.ts'

/** Where a list goes on: the view it was made from, the position in it, and the query it belongs to. */
export interface Cursor {
  generation: number
  /** The core's own position; empty among hits that were dealt, which are counted alone. */
  after: string
  queryHash: string
  /** Hits on the pages so far. */
  shown: number
  /** Number of the list, under which what applied to its first page is kept; undefined in cursors of before. */
  list?: number | undefined
}

export function encodeCursor({ generation, after, queryHash, shown, list }: Cursor): string {
  const parts = [generation, after, queryHash, shown, list]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** Throws INVALID_CURSOR when the text is no cursor, or one of another query. */
export function decodeCursor(text: string, queryHash: string): Cursor {
  const [generation, after, hash, shown, list] = partsOf(text)
  const isOurs = isCount(generation) && typeof after === 'string'
  if (!isOurs || typeof hash !== 'string' || !isCount(shown) || !isCount(list ?? 0))
    throw invalid('cursor', 'is not one that this service gave', 'INVALID_CURSOR')
  if (hash !== queryHash) throw invalid('cursor', OTHER_QUERY, 'INVALID_CURSOR')
  return { generation, after, queryHash, shown, list: isCount(list) ? list : undefined }
}

const OTHER_QUERY = 'belongs to another query; send it with the query that it came from'

function partsOf(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

/** Cursors come back from outside, where anybody may have written them. */
function isCount(part: unknown): part is number {
  return Number.isSafeInteger(part) && (part as number) >= 0
}
