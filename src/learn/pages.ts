import type { SearchRequest } from '../schema/search.ts'
import type { LearnedPlan } from './plan.ts'

/**
 * So many lists that were begun last are kept, and up to twice as many: they are dropped by the generation, because a
 * map from which the oldest is taken out one by one is rehashed all the time.
 */
const LISTS_MIN = 10_000

/**
 * Keeps what applied to the first page of a list for the pages after it: what was learned in between must not move
 * a hit from one page to another. A list belongs to a session and a query.
 */
export function openPages(
  make: (search: SearchRequest, queryHash: string) => LearnedPlan,
): (search: SearchRequest, queryHash: string) => LearnedPlan {
  let young = new Map<string, LearnedPlan>()
  let old: ReadonlyMap<string, LearnedPlan> = new Map()

  return (search, queryHash) => {
    const key = `${search.sessionId ?? ''} ${queryHash}`
    const isFirst = (search.from ?? 0) === 0 && search.cursor === undefined
    const before = isFirst ? undefined : (young.get(key) ?? old.get(key))
    if (before !== undefined)
      return { ...before, exploration: undefined, interleaved: undefined, shadow: undefined }
    const plan = make(search, queryHash)
    young.set(key, plan)
    if (young.size >= LISTS_MIN) {
      old = young
      young = new Map()
    }
    return plan
  }
}
