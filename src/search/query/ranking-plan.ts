import { wellFormedJson } from '../../json/well-formed.ts'
import type { AddedScores } from '../../schema/plan.ts'
import type { Tuning } from '../../schema/tuning.ts'

/** What decides the order of a list besides the search's own words. */
export interface Ranking {
  tuning: Tuning
  /** Learned additions to scores. */
  added: AddedScores
  /** Which click rates of documents features are made from. */
  clickRates: { prior: number; edition?: number }
  /** The model that ranks the first `rerankSize` candidates. */
  model: { name: string; handle: number } | undefined
  rerankSize: number
}

/** What applies to this search besides its own words; the learning side fills it. */
export interface Plan extends Ranking {
  /** Number of the list, for its cursors. */
  list: number
  sessionId: string | undefined
  /** Who searches; undefined: nobody that is known. */
  unit: string | undefined
  /** A model that is only asked. */
  shadow: { name: string; handle: number } | undefined
  /** The page's order may be drawn. */
  exploration: { seed: number; epsilon: number; temperature: number; explored: boolean } | undefined
  /** Another ranking, all that applies to it, that is dealt into the first `depth` hits of the list. */
  interleaved: Dealt | undefined
  /** `id@version` */
  adaptations: readonly string[]
  experiments: readonly object[]
  /** Whether the hits' features are wanted; they cost a little. */
  featured: boolean
  /** The core's number of what the searcher holds, a feature. */
  device: number
  /** The hour, counted from 1970 on, for which features tell ages. */
  agesAt: number
  /** What the impression says of who searched; undefined: the search is not recorded. */
  recorded: object | undefined
}

interface Dealt {
  testId: string
  /** Whose the two rankings are. */
  variantIds: readonly [string, string]
  against: Ranking
  seed: number
  depth: number
}

/** What a search's context says besides its plan. */
interface Known {
  queryId: string
  queryHash: string
  searchType: string
  /** Names of the legs that are missing, if any are. */
  degraded: readonly string[] | undefined
}

/** JSON of a search's context without its last brace. Ids, hashes and words of our own need no escapes. */
export function contextOf(plan: Plan, { queryId, queryHash, searchType, degraded }: Known): string {
  const { sessionId, adaptations, experiments } = plan
  let json = `{"queryId":"${queryId}","queryHash":"${queryHash}","searchType":"${searchType}"`
  json += `,"sessionId":${wellFormedJson(sessionId ?? null)},"model":${wellFormedJson(modelOf(plan) ?? null)}`
  json += `,"adaptations":${listJson(adaptations)},"experiments":${listJson(experiments)}`
  return degraded === undefined ? json : `${json},"degraded":${wellFormedJson(degraded)}`
}

function listJson(list: readonly unknown[]): string {
  return list.length === 0 ? '[]' : wellFormedJson(list)
}

/** The model that ranks a list; one that is dealt from the rankings of two models, or of one and none, is neither's. */
export function modelOf({ model, interleaved }: Plan): string | undefined {
  const other = interleaved === undefined ? model : interleaved.against.model
  return other?.name === model?.name ? model?.name : undefined
}
