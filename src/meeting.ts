import type { LearningOptions } from './learn/learners.ts'
import type { Learning } from './learn/learning.ts'
import type { LearnedPlan } from './learn/plan/plan.ts'
import type { Sessions } from './learn/sessions/sessions.ts'
import { native } from './native.ts'
import { isFirstPage, type ListPlace } from './schema/plan.ts'
import type { SearchRequest } from './schema/search.ts'
import type { Engine } from './search/engine/engine.ts'
import type { Indices } from './search/indices/indices.ts'
import type { Search } from './search/query/search.ts'
import { isSearched } from './search/query/warnings/unsearched-fields.ts'

/* Where search and learning meet, which do not know each other: what each is told of the other. */

/** What the search side tells learning, which is opened first and asks later. */
export function toldToLearning(
  indices: Indices,
  engine: Engine,
  search: () => Search,
): LearningOptions['engine'] {
  return {
    featureNames: () => native.featureNames(),
    liveIndex: (indexId) => indices.byId(indexId)?.record.name,
    indexName: (indexId) => indices.byId(indexId)?.record.name ?? deletedIndex(indexId),
    run: (impression) => search().replay(impression),
    opened: engine.openings,
    isSearched: (field) => mayBeSearched(field, indices),
  }
}

/** Where there is no index yet, any field may still come that a weight is for. */
function mayBeSearched(field: string, indices: Indices): boolean {
  const all = indices.all()
  return all.length === 0 || isSearched(field, all)
}

/** A name that no index can have: hits from two deleted indices stay apart. */
function deletedIndex(indexId: number): string {
  return `#${indexId} (deleted)`
}

/** What applies to a search besides its own words; its session was seen. */
export function planFor(
  search: SearchRequest,
  queryHash: string,
  place: ListPlace,
  { sessions, learning }: { sessions: Sessions; learning: Learning },
): LearnedPlan {
  const plan = learning.plan(search, queryHash, place)
  if (search.sessionId !== undefined && plan.unit !== undefined) sessions.touch(search.sessionId)
  return plan
}

/** One that expired did what it did; one that was forgotten while it was answered has nothing more. */
export function countForSession(search: SearchRequest, { totals, peek }: Sessions): void {
  const { sessionId } = search
  if (sessionId !== undefined && isFirstPage(search) && peek(sessionId)?.active === true)
    totals.add(sessionId, { searches: 1 })
}
