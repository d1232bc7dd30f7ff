import {
  addSearches,
  comparePolicies,
  NO_SEARCHES,
  type PolicySums,
  type PolicyVerdict,
  policyValue,
  positionBased,
} from '../statistics/off-policy.ts'
import { orderBy, type Page } from './pages.ts'

/** The scores that a ranker gives the hits of a page, in shown order. */
export type Ranker = (page: Page, at: number) => ArrayLike<number>

/** The same data give the same interval. */
const SEED = 20_170_206

/** Candidate against baseline on pages that neither may have ranked, by users. */
export function compareRankers(
  pages: readonly Page[],
  { candidate, baseline }: { candidate: Ranker; baseline: Ranker },
  effectiveUnitsMin: number,
): PolicyVerdict {
  const units = new Map<string, { candidate: PolicySums; baseline: PolicySums }>()
  pages.forEach((page, at) => {
    const sums = units.get(page.unit) ?? { candidate: NO_SEARCHES, baseline: NO_SEARCHES }
    units.set(page.unit, {
      candidate: addSearches(sums.candidate, sumsOf(page, candidate(page, at))),
      baseline: addSearches(sums.baseline, sumsOf(page, baseline(page, at))),
    })
  })
  return comparePolicies([...units.values()], { seed: SEED, effectiveUnitsMin })
}

/** Estimated gain per search of a ranker; 0 without pages. */
export function gainPerSearch(pages: readonly Page[], ranker: Ranker): number {
  return policyValue(pages.map((page, at) => sumsOf(page, ranker(page, at))))
}

/** The order as it was logged, exploration apart. */
export const loggedRanker: Ranker = ({ scores }) => scores

/** A ranker from the scores of all rows of all pages, one page after the other. */
export function rankerOf(pages: readonly Page[], scores: Float32Array): Ranker {
  const starts: number[] = []
  let start = 0
  for (const { gains } of pages) {
    starts.push(start)
    start += gains.length
  }
  return ({ gains }, at) => {
    const from = starts[at] ?? 0
    return scores.subarray(from, from + gains.length)
  }
}

/** A ranker that leaves hits behind the first so many of a list where they are, as one that serves it would. */
export function upTo(depth: number, ranker: Ranker): Ranker {
  return (page, at) => {
    const says = ranker(page, at)
    const left = orderBy(page.scores, page.pinned).slice(Math.max(0, depth - page.from))
    if (left.length === 0) return says
    const scores = Float64Array.from(says)
    for (const hit of left) scores[hit] = -Number.MAX_VALUE
    return scores
  }
}

function sumsOf(page: Page, scores: ArrayLike<number>): PolicySums {
  const target = new Array<number>(page.gains.length)
  orderBy(scores, page.pinned).forEach((hit, place) => {
    target[hit] = page.examination[place] ?? 0
  })
  return positionBased({
    rewards: page.gains,
    shown: page.shown,
    expected: page.expected,
    target,
  })
}

/** The columns of rows that a model uses, in its own order. */
export function columnsFor(
  pages: readonly Page[],
  known: readonly string[],
  features: readonly string[],
): Float32Array {
  const width = known.length
  const places = features.map((name) => known.indexOf(name))
  const rows = pages.reduce((sum, { gains }) => sum + gains.length, 0)
  const picked = new Float32Array(rows * places.length)
  let at = 0
  for (const { features: block, gains } of pages)
    for (let row = 0; row < gains.length; row += 1)
      for (const place of places) {
        picked[at] = block[row * width + place] ?? 0
        at += 1
      }
  return picked
}
