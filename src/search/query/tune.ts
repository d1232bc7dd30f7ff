import { BOOST_MAX, type DocumentName, type Tuning } from '../../schema/tuning.ts'
import type { Added } from './added-scores.ts'
import type { CoreRequest } from './core-request.ts'

/** A pinned document stands above all others, the first pin highest; from here on neither a model nor a draw moves it. */
export const PIN = 1000

/** Lays a ranking change under a search's own words: what the caller said himself stands. Without a change, the request itself. */
export function tune(request: CoreRequest, tuning: Tuning): CoreRequest {
  if (Object.keys(tuning).length === 0) return request
  const tuned: CoreRequest = { ...request }
  const { fieldWeights, legWeights } = tuning
  if (fieldWeights !== undefined) tuned.boost = { ...fieldWeights, ...request.boost }
  if (legWeights !== undefined) tuned.weights = request.weights ?? legWeights
  if (tuning.fusion !== undefined) tuned.fusion = request.fusion ?? tuning.fusion
  if (tuning.neighbors !== undefined) tuned.neighbors = request.neighbors ?? tuning.neighbors
  if (tuning.similarity !== undefined) tuned.cut = request.cut ?? tuning.similarity
  if (tuning.minScore !== undefined) tuned.minScore = request.minScore ?? tuning.minScore
  if (tuning.operator !== undefined) tuned.operator = request.operator ?? tuning.operator
  if (tuning.fuzziness !== undefined) tuned.fuzziness = request.fuzziness ?? tuning.fuzziness
  if (tuning.feedback !== undefined) tuned.feedback = request.feedback ?? tuning.feedback
  if (tuning.synonyms !== undefined) tuned.synonyms = tuning.synonyms
  return tuned
}

/**
 * Pins and boosts as additions to scores; `indicesOf` tells which indices a name may mean. Lists of several changes are
 * joined: a document is pinned where it comes first, its boosts are added, and together stay below a pin.
 */
export function tunedScores({ pins = [], boosts = [] }: Tuning, indicesOf: IndicesOf): Added[] {
  const pinned = pins.map((pin, place) => ({ ...pin, value: PIN * (1 + pins.length - place) }))
  const added = joined(boosts, indicesOf, (sum, { value }) => sum + limited(value))
  return [
    ...joined(pinned, indicesOf, (first, { value }) => (first === 0 ? value : first)),
    ...added.map(([indexId, id, sum]): Added => [indexId, id, limited(sum)]),
  ]
}

type IndicesOf = (document: DocumentName) => number[]

/** One addition for each document, in the order in which they come; a value begins at 0. */
function joined<Valued extends DocumentName>(
  documents: readonly Valued[],
  indicesOf: IndicesOf,
  join: (value: number, document: Valued) => number,
): Added[] {
  const byPlace = new Map<string, Added>()
  for (const document of documents)
    for (const indexId of indicesOf(document)) {
      const place = `${indexId}/${document.id}`
      const [, , value] = byPlace.get(place) ?? [indexId, document.id, 0]
      byPlace.set(place, [indexId, document.id, join(value, document)])
    }
  return [...byPlace.values()]
}

function limited(boost: number): number {
  return Math.max(-BOOST_MAX, Math.min(BOOST_MAX, boost))
}
