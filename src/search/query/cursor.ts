import { serviceError } from '../../errors.ts'

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
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch (cause) {
    throw invalid('cursor is not one that this service gave.', cause)
  }
  if (!Array.isArray(parts)) throw invalid('cursor is not one that this service gave.')
  const [generation, after, hash, shown, list] = parts as unknown[]
  const isOurs = isCount(generation) && typeof after === 'string'
  if (!isOurs || typeof hash !== 'string' || !isCount(shown) || !isCount(list ?? 0))
    throw invalid('cursor is not one that this service gave.')
  if (hash !== queryHash)
    throw invalid('cursor belongs to another query; send it with the query that it came from.')
  return { generation, after, queryHash, shown, list: isCount(list) ? list : undefined }
}

/** Cursors come back from outside, where anybody may have written them. */
function isCount(part: unknown): part is number {
  return Number.isSafeInteger(part) && (part as number) >= 0
}

function invalid(message: string, cause?: unknown): Error {
  return serviceError('INVALID_CURSOR', message, { details: [{ path: 'cursor', message }], cause })
}
