import type { SearchRequest } from '../schema/search.ts'
import { type LearnedPlan, NOTHING_ADDED, variantNames } from './plan.ts'

/**
 * So many lists that were begun last are kept, and up to twice as many: they are dropped by the generation, because a
 * map from which the oldest is taken out one by one is rehashed all the time.
 */
const LISTS_MIN = 10_000

/** What a plan says of the ranking: as little as possible, because so many are kept. */
type Ranking = Pick<
  LearnedPlan,
  'tuning' | 'added' | 'model' | 'rerankSize' | 'adaptations' | 'experiments'
> &
  // Click rates rank through models only.
  Partial<Pick<LearnedPlan, 'clickRates'>>

/** The ranking of most lists: nothing applies to them. */
const PLAIN: Ranking = Object.freeze({
  ...{ tuning: {}, added: NOTHING_ADDED, model: undefined, adaptations: [], experiments: [] },
  // No model ranks.
  rerankSize: 0,
})

/**
 * Keeps what applied to the first page of a list for the pages after it: what was learned in between must not move
 * a hit from one page to another. A list belongs to a session and a query.
 */
export function openPages(
  make: (search: SearchRequest, queryHash: string) => LearnedPlan,
): (search: SearchRequest, queryHash: string) => LearnedPlan {
  let young = new Map<string, Ranking>()
  let old: ReadonlyMap<string, Ranking> = new Map()

  return (search, queryHash) => {
    const plan = make(search, queryHash)
    const key = `${search.sessionId ?? ''} ${queryHash}`
    const isFirst = (search.from ?? 0) === 0 && search.cursor === undefined
    const before = isFirst ? undefined : (young.get(key) ?? old.get(key))
    if (before !== undefined) return laterPage(plan, before)
    young.set(key, rankingOf(plan))
    if (young.size >= LISTS_MIN) {
      old = young
      young = new Map()
    }
    return plan
  }
}

function rankingOf(plan: LearnedPlan): Ranking {
  const { tuning, added, model, rerankSize, adaptations, experiments, clickRates } = plan
  const isPlain =
    Object.keys(tuning).length === 0 &&
    added.count === 0 &&
    model === undefined &&
    adaptations.length === 0 &&
    experiments.length === 0
  if (isPlain) return PLAIN
  return { tuning, added, model, rerankSize, adaptations, experiments, clickRates }
}

/** Only first pages are drawn or dealt, and only they are judged. */
function laterPage(plan: LearnedPlan, before: Ranking): LearnedPlan {
  const later = { ...plan, ...before }
  later.exploration = later.interleaved = later.shadow = undefined
  if (plan.recorded !== undefined)
    later.recorded = { ...plan.recorded, variants: variantNames(before.experiments) }
  return later
}
