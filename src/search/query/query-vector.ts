import { invalid } from '../../errors.ts'
import type { SearchRequest } from '../../schema/search.ts'
import type { IndexEntry } from '../indices/indices.ts'
import { checkDimensions, readVector } from '../vector.ts'
import type { CoreRequest } from './core-request.ts'
import { missingVector } from './warnings/missing-vector.ts'

/** The vector of a query from an endpoint. */
export type EmbedQuery = (text: string) => Promise<Float32Array>

interface QueryVector {
  vector?: Float32Array
  degraded?: string[]
  /** Warnings of indices that miss one. */
  missed?: string[]
}

const NOTHING: QueryVector = {}

/**
 * The query's vector when it comes from outside: the caller's, or an endpoint's, which is for the indices alone whose
 * vectors come from there. An endpoint that fails costs a hybrid search its vector leg, not its answer. No words have a
 * vector in indices that take theirs from the caller: that is told.
 */
export async function queryVector(
  { vector }: SearchRequest,
  request: CoreRequest,
  entries: readonly IndexEntry[],
  embedQuery: EmbedQuery,
): Promise<QueryVector> {
  if (request.mode === 'text') return NOTHING
  if (vector !== undefined) {
    const own = readVector(vector, 'vector')
    for (const { definition, record } of entries)
      checkDimensions(own, definition.embedder.dimensions, `the vectors of "${record.name}"`)
    return { vector: own }
  }
  if (request.query.trim() === '') return NOTHING
  const without = withoutGiven(request, entries)
  if (!entries.some(isHttp)) return without
  try {
    const found = await embedQuery(request.query)
    if (!entries.every(isHttp)) request.vectorIn = placesOf(entries)
    return { ...without, vector: found }
  } catch (cause) {
    if (request.mode === 'vector') throw cause
    request.mode = 'text'
    return { ...without, degraded: ['vector'] }
  }
}

function isHttp({ definition }: IndexEntry): boolean {
  return definition.embedder.kind === 'http'
}

function placesOf(entries: readonly IndexEntry[]): number[] {
  return entries.flatMap((entry, place) => (isHttp(entry) ? [place] : []))
}

/**
 * What is missed by indices that take their vectors from the caller, who has sent none: where all do, the leg is missing.
 * Throws VALIDATION_FAILED where nothing is left to search by.
 */
function withoutGiven({ mode }: CoreRequest, entries: readonly IndexEntry[]): QueryVector {
  const given = entries.filter(({ definition }) => definition.embedder.kind === 'given')
  if (given.length === 0) return NOTHING
  const isAll = given.length === entries.length
  if (isAll && mode === 'vector')
    throw invalid(
      'vector',
      'must be sent for a vector search: this index takes its vectors from you',
    )
  const missed = missingVector(given, mode)
  return isAll ? { missed, degraded: ['vector'] } : { missed }
}
