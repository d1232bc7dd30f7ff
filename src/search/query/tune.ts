import type { Tuning } from '../../schema/tuning.ts'
import type { CoreRequest } from './core-request.ts'

/**
 * Lays a ranking change under a search's own words: what the caller said himself stands. What
 * happens to the result leaves the request as it was asked.
 */
export function tune(request: CoreRequest, tuning: Tuning): CoreRequest {
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
