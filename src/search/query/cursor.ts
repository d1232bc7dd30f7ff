import { invalid, unknownCursor } from '../../errors.ts'
import type { SearchResult } from '../../native.ts'
import type { PageIndex } from './page.ts'
import { cursorHash } from './query-hash.ts'

/** Where a list goes on: the view it was made from, the position in it, and the query it belongs to. */
export interface Cursor {
  generation: number
  /** The core's own position; empty among hits that were dealt, which are counted alone. */
  after: string
  queryHash: string
  /** Hits on the pages so far. */
  shown: number
  /** Number of the list, under which what applied to its first page is kept; undefined in cursors of earlier versions. */
  list?: number | undefined
  /** The indices that the list was begun in; undefined in cursors of earlier versions. */
  indices?: ListIndices | undefined
  /** The list was begun by words alone, as the endpoint of its vectors failed. */
  lacksVector?: boolean
}

/** Indices count up and no id comes twice, so a list's are all of them up to the newest, as long as none was deleted. */
interface ListIndices {
  /** Id of the newest one. */
  newest: number
  count: number
}

/** A list as whoever makes its page is told of it. */
interface ListShown {
  indices: readonly PageIndex[]
  listText: string
  list: number
  shownBefore: number
  lacksVector: boolean
}

/** The cursor with which a list goes on behind a page, from the core's position there. */
export function cursorAfter(
  { generation, ords }: SearchResult,
  after: string,
  { indices, listText, list, shownBefore, lacksVector }: ListShown,
): string {
  return encodeCursor({
    generation,
    after,
    queryHash: cursorHash(listText),
    shown: shownBefore + ords.length,
    list,
    indices: begunIn(indices),
    lacksVector,
  })
}

/** The indices of a list: those of its first page are those of all. */
function begunIn(indices: readonly PageIndex[]): ListIndices {
  const newest = indices.reduce((last, { indexId }) => Math.max(last, indexId), 0)
  return { newest, count: indices.length }
}

export function encodeCursor(cursor: Cursor): string {
  const { generation, after, queryHash, shown, list, indices, lacksVector = false } = cursor
  const { newest, count } = indices ?? {}
  const parts = [generation, after, queryHash, shown, list, newest, count, lacksVector]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** Throws INVALID_CURSOR when the text is no cursor, or one of another query. */
export function decodeCursor(text: string, queryHash: string): Cursor {
  const [generation, after, hash, shown, list, , , lacks] = partsOf(text)
  const indices = indicesOfList(text)
  const isOurs = isCount(generation) && typeof after === 'string'
  if (!isOurs || typeof hash !== 'string' || !isCount(shown) || !isCount(list ?? 0))
    throw unknownCursor()
  if (hash !== queryHash) throw invalid('cursor', OTHER_QUERY, 'INVALID_CURSOR')
  return {
    generation,
    after,
    queryHash,
    shown,
    list: isCount(list) ? list : undefined,
    indices,
    lacksVector: lacks === true,
  }
}

/** Which indices a cursor's list was begun in, without a look at whether it is ours. */
export function indicesOfList(cursor: string): ListIndices | undefined {
  const [, , , , , newest, count] = partsOf(cursor)
  return isCount(newest) && isCount(count) ? { newest, count } : undefined
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
