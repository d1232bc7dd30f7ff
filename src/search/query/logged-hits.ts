import type { SearchResult } from '../../native.ts'
import type { PageIndex } from './page.ts'

/* What learning is given of each hit beside what every page has. */

/** The index of each hit by the id that the store knows it by; -1 for one that is none of them. */
export function indexIdsOf(
  engineIds: SearchResult['ids'],
  indices: readonly PageIndex[],
): Int32Array {
  const indexIds = new Int32Array(engineIds.length)
  for (let hit = 0; hit < engineIds.length; hit++)
    indexIds[hit] = indexIdOf(indices, engineIds[hit])
  return indexIds
}

function indexIdOf(indices: readonly PageIndex[], engineId: number | undefined): number {
  for (const index of indices) if (index.engineId === engineId) return index.indexId
  return -1
}

/**
 * The first features, which every search has at hand: normalised text and vector score, BM25, cosine. A hit that the core
 * found by one of the two alone has 0 in the other, as in the rows that it writes itself.
 */
export function scoreParts({ parts = new Float32Array(), ords }: SearchResult): Float32Array {
  const rows = new Float32Array(4 * ords.length)
  for (let at = 0; at < ords.length; at++) {
    const [bm25 = 0, cosine = 0, text = 0, vector = 0] = parts.subarray(4 * at, 4 * at + 4)
    rows.set([text, vector, bm25 || 0, cosine || 0], 4 * at)
  }
  return rows
}
