import { invalid, serviceError } from '../../errors.ts'
import type { CallerVector } from '../../schema/document.ts'
import type { SearchRequest } from '../../schema/search.ts'
import type { Unserved } from '../indices/embedder.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import { readVector, refuseOtherDimensions } from '../vector.ts'
import type { CoreRequest } from './core-request.ts'
import { type MissingVector, missingVector } from './warnings/missing-vector.ts'

/** Vectors of queries from an endpoint. */
export interface QueryVectors {
  embedQuery: (text: string) => Promise<Float32Array>
  unserved: Unserved
}

interface QueryVector {
  vector?: Float32Array
  degraded?: string[]
  /** Warnings of indices that miss one. */
  missed?: string[]
}

const NOTHING: QueryVector = {}

/**
 * The query's vector when it comes from outside: the caller's, which is for indices whose vectors do, if there are any; or an
 * endpoint's, which is for the indices alone whose vectors come from there. An endpoint that fails costs a hybrid search
 * its vector leg, not its answer; further pages are then without it, too, and those of a list that has it are refused. No
 * words have a vector in indices that take theirs from the caller, or from an endpoint that this server has not: that is told.
 * Changes `request`: which indices the vector is for (`vectorIn`), and to `text` where a leg is missing that was not asked
 * for alone.
 */
export async function queryVector(
  { vector }: SearchRequest,
  request: CoreRequest,
  { entries, lacksVector }: { entries: readonly IndexEntry[]; lacksVector: boolean | undefined },
  { embedQuery, unserved }: QueryVectors,
): Promise<QueryVector> {
  if (request.mode === 'text') return NOTHING
  if (vector !== undefined) return callersVector(vector, request, entries)
  if (request.query.trim() === '') return NOTHING
  const without = withoutVector(request, entries, unserved)
  const served = placesOf(entries, unserved)
  if (served.length === 0) return without
  try {
    if (lacksVector !== true) {
      const found = await embedQuery(request.query)
      if (served.length < entries.length) request.vectorIn = served
      return { ...without, vector: found }
    }
  } catch (cause) {
    if (request.mode === 'vector' || lacksVector === false) throw cause
  }
  request.mode = 'text'
  return { ...without, degraded: ['vector'] }
}

/** Throws VALIDATION_FAILED, or VECTOR_DIMENSIONS about the first index whose vectors are of another length. */
function callersVector(
  vector: CallerVector,
  request: CoreRequest,
  entries: readonly IndexEntry[],
): QueryVector {
  const own = readVector(vector, 'vector')
  const places = [...entries.keys()].filter((place) => !isLearned(entries[place]))
  const isShared = places.length > 0 && places.length < entries.length
  entries.forEach((entry, place) => {
    if (isShared && !places.includes(place)) return
    const { dimensions } = entry.definition.embedder
    refuseOtherDimensions(own, dimensions, `the vectors of "${entry.record.name}"`)
  })
  if (!isShared) return { vector: own }
  request.vectorIn = places
  if (request.mode !== 'vector' || request.query.trim() !== '') return { vector: own }
  const missing = entries
    .filter(isLearned)
    .map(({ record }) => ({ index: record.name, why: WITHOUT_WORDS }))
  return { vector: own, missed: missingVector(missing, request.mode) }
}

const WITHOUT_WORDS = 'makes vectors of words, and there are none in "query"'

function isLearned(entry: IndexEntry | undefined): boolean {
  return entry?.definition.embedder.kind === 'learned'
}

function isHttp({ definition }: IndexEntry): boolean {
  return definition.embedder.kind === 'http'
}

/** The places of the indices that the endpoint serves. */
function placesOf(entries: readonly IndexEntry[], unserved: Unserved): number[] {
  const places: number[] = []
  for (const [place, entry] of entries.entries())
    if (isHttp(entry) && unserved(entry.definition.embedder) === undefined) places.push(place)
  return places
}

/**
 * What is missed by indices for which there is no vector: where that is so for all, the leg is missing. Throws
 * VALIDATION_FAILED, or EMBEDDER_UNAVAILABLE, where nothing is left to search by.
 */
function withoutVector(
  { mode }: CoreRequest,
  entries: readonly IndexEntry[],
  unserved: Unserved,
): QueryVector {
  const missing = missingIn(entries, unserved)
  const [first] = missing
  if (first === undefined) return NOTHING
  const isAll = missing.length === entries.length
  if (isAll && mode === 'vector') {
    if (entries.every(isHttp))
      throw serviceError('EMBEDDER_UNAVAILABLE', `"${first.index}" ${first.why}.`)
    throw invalid(
      'vector',
      'must be sent for a vector search: this index takes its vectors from you',
    )
  }
  const missed = missingVector(missing, mode)
  return isAll ? { missed, degraded: ['vector'] } : { missed }
}

function missingIn(entries: readonly IndexEntry[], unserved: Unserved): MissingVector[] {
  const missing: MissingVector[] = []
  for (const { definition, record } of entries) {
    const { embedder } = definition
    const why =
      embedder.kind === 'given'
        ? 'takes its vectors from you, and no "vector" was sent'
        : unserved(embedder)
    if (why !== undefined) missing.push({ index: record.name, why })
  }
  return missing
}
