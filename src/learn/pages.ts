import type { SearchRequest } from '../schema/search.ts'
import type { LearnedPlan } from './plan.ts'

/** Lists that somebody may be paging through; the least recently begun goes first. */
const LISTS_MAX = 10_000

/**
 * Keeps what applied to the first page of a list for the pages after it: what was learned in between must not move
 * a hit from one page to another. A list belongs to a session and a query.
 */
export function openPages(
  make: (search: SearchRequest, queryHash: string) => LearnedPlan,
): (search: SearchRequest, queryHash: string) => LearnedPlan {
  const begun = new Map<string, LearnedPlan>()

  return (search, queryHash) => {
    const key = `${search.sessionId ?? ''} ${queryHash}`
    const isFirst = (search.from ?? 0) === 0 && search.cursor === undefined
    const before = isFirst ? undefined : begun.get(key)
    if (before !== undefined)
      return { ...before, exploration: undefined, interleaved: undefined, shadow: undefined }
    const plan = make(search, queryHash)
    begun.delete(key)
    begun.set(key, plan)
    const [oldest] = begun.size > LISTS_MAX ? begun.keys() : []
    if (oldest !== undefined) begun.delete(oldest)
    return plan
  }
}
