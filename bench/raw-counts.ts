import type { Random } from '../src/learn/statistics/random.ts'
import type { JudgedQuery } from './beir.ts'
import { simulateClicks, type Taste } from './clicks.ts'

export interface ScoredHit {
  id: string
  score: number
}

/** Examinations that the expectation for an unknown document is worth, and the clicks that it expects of each. */
const PRIOR_WEIGHT = 2
const PRIOR_RATE = 0.05

/**
 * What counting clicks alone would do: click-through rates without regard to position, shrunk, on top of the scores of
 * the unlearned lists; people see the first `size` hits of what it makes of them.
 */
export function openRawCounts(
  unlearned: ReadonlyMap<string, ScoredHit[]>,
  size: number,
  tasteOf: (query: JudgedQuery) => Taste,
) {
  const counts = new Map<string, { clicks: number; shown: number }>()
  const of = (query: JudgedQuery, id: string) =>
    counts.get(`${query.id}/${id}`) ?? { clicks: 0, shown: 0 }
  const rank = (query: JudgedQuery): ScoredHit[] =>
    (unlearned.get(query.id) ?? [])
      .map(({ id, score }) => {
        const { clicks, shown } = of(query, id)
        const rate = (clicks + PRIOR_WEIGHT * PRIOR_RATE) / (shown + PRIOR_WEIGHT)
        return { id, score: score + rate - PRIOR_RATE }
      })
      .sort((a, b) => b.score - a.score)
  return {
    rank,
    visit: (query: JudgedQuery, random: Random) => {
      const shown = rank(query)
        .slice(0, size)
        .map(({ id }) => id)
      const clicked = new Set(simulateClicks(shown, tasteOf(query), random))
      shown.forEach((id, place) => {
        const before = of(query, id)
        const clicks = before.clicks + (clicked.has(place) ? 1 : 0)
        counts.set(`${query.id}/${id}`, { clicks, shown: before.shown + 1 })
      })
    },
  }
}
