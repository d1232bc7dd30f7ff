import type { ExaminationDay } from '../../schema/memory-record.ts'
import { isFirstPage } from '../../schema/plan.ts'
import type { Store } from '../../store/store.ts'
import type { Consumer, FeedbackFact, Impression } from '../facts.ts'
import { isOthers } from '../feedback/feedback-entries.ts'
import { drawnScores } from '../impressions/draw.ts'
import { EXPLORED_MAX } from '../impressions/exploration.ts'
import { GROUPS } from '../loop/fold.ts'
import { dayOf } from '../wire/duration.ts'

/**
 * How likely people look at a position, from what drawn orders showed: the chance falls as 1/pᵑ. Two neighbours that
 * the draw might as well have swapped are clicked as their places are looked at, whatever they are worth
 * (interventional harvesting: Joachims, Swaminathan, Schnabel 2017; Agarwal et al. 2019). Each click counts with the
 * share that the swapped order has in the probability of both orders, so that both are seen under the same weight;
 * such overlap weights (Li, Morgan, Zaslavsky 2018) are at most 1, however rare a draw is.
 */
export interface Examination extends Consumer {
  /** Over the days since a moment. */
  estimate: (sinceMs: number) => ExaminationEstimate
  /** Removes the days before a moment; returns how many. */
  sweep: (beforeMs: number) => Promise<number>
}

export interface ExaminationEstimate {
  /** η and its 95 % interval; undefined while too little is known. */
  eta: number | undefined
  low: number | undefined
  high: number | undefined
  /** Clicks that counted. */
  samples: number
}

const PAIRS = EXPLORED_MAX - 1
const CLICKS_MIN = 50
/** An interval wider than this on either side says nothing. */
const MARGIN_MAX = 1
const Z_95 = 1.96
const SWEEP_ROWS = 1000

export function openExamination(store: Store): Examination {
  const { examinations } = store.tables
  const changed = new Map<number, ExaminationDay>()

  function dayAt(timeMs: number): ExaminationDay {
    const day = dayOf(timeMs)
    const row = changed.get(day) ?? examinations.get(day) ?? newDay()
    changed.set(day, row)
    return row
  }
  function take(fact: FeedbackFact): void {
    const { receivedMs, entry, impression, hit } = fact
    if (isOthers(fact) || entry.status !== 'learned' || entry.action !== 'click') return
    if (impression?.exploration === undefined || hit === undefined) return
    if (!isFirstPage(impression)) return
    const weights = swapWeights(impression)
    if (hit > weights.length) return
    const day = dayAt(receivedMs)
    day.clicks += 1
    addTo(day.upper, day.upperSquares, hit, weights[hit])
    addTo(day.lower, day.lowerSquares, hit - 1, weights[hit - 1])
  }
  return {
    name: 'examination',
    group: GROUPS.reports,
    load: () => changed.clear(),
    take: (fact) => {
      if (fact.kind === 'feedback') take(fact)
    },
    save: () => {
      for (const [day, row] of changed) examinations.put(day, row)
      changed.clear()
    },
    reset: () => {
      changed.clear()
      examinations.clear()
    },
    estimate: (sinceMs) => {
      const sums = newDay()
      for (const { value } of examinations.range({ start: dayOf(sinceMs) })) addDay(sums, value)
      return estimateEta(sums)
    },
    sweep: async (beforeMs) => {
      const end = dayOf(beforeMs)
      const old = [...examinations.keys({ end, limit: SWEEP_ROWS })]
      if (old.length > 0)
        await store.release(() => {
          examinations.removeAll(old)
        })
      return old.length
    },
  }
}

/**
 * For each pair of neighbours of the page, from the top: the share of the order with the two swapped in the sum of
 * both orders' probabilities under the draw, (1 − ε)·[greedy] + ε · Plackett–Luce.
 */
export function swapWeights({ scores: all, exploration }: Impression): number[] {
  if (exploration === undefined) return []
  const { epsilon, temperature } = exploration
  const scores = drawnScores(all, exploration).slice(0, EXPLORED_MAX)
  const highest = Math.max(...scores)
  const odds = scores.map((score) => Math.exp((score - highest) / temperature))
  // Probability of the shown order, and of what is left to draw from at each place.
  const left: number[] = []
  for (let at = odds.length - 1, sum = 0; at >= 0; at -= 1) {
    sum += odds[at] as number
    left[at] = sum
  }
  const drawn = odds.reduce((product, own, at) => product * (own / (left[at] as number)), epsilon)
  const isGreedy = (order: readonly number[]): boolean =>
    order.every((score, at) => at === 0 || (order[at - 1] as number) >= score)
  const shown = drawn + (isGreedy(scores) ? 1 - epsilon : 0)
  return odds.slice(1).map((below, at) => {
    const above = odds[at] as number
    // Equal scores have no greedy order that could be told from here.
    if (above === below) return 0
    const ratio = ((left[at] as number) - above) / ((left[at] as number) - below)
    const order = scores.slice()
    order[at] = scores[at + 1] as number
    order[at + 1] = scores[at] as number
    const swapped = drawn * ratio + (isGreedy(order) ? 1 - epsilon : 0)
    const share = swapped / (shown + swapped)
    return Number.isFinite(share) ? share : 0
  })
}

/** Each pair says log(upper / lower) = η · log((k + 1) / k); least squares by the inverse of their variances. */
function estimateEta(sums: ExaminationDay): ExaminationEstimate {
  let information = 0
  let weighed = 0
  for (let at = 0; at < PAIRS; at += 1) {
    const upper = sums.upper[at] as number
    const lower = sums.lower[at] as number
    if (upper <= 0 || lower <= 0) continue
    const variance =
      (sums.upperSquares[at] as number) / upper ** 2 +
      (sums.lowerSquares[at] as number) / lower ** 2
    const step = Math.log((at + 2) / (at + 1))
    information += step ** 2 / variance
    weighed += (step * Math.log(upper / lower)) / variance
  }
  const { clicks: samples } = sums
  const margin = Z_95 / Math.sqrt(information)
  if (samples < CLICKS_MIN || !(margin <= MARGIN_MAX))
    return { eta: undefined, low: undefined, high: undefined, samples }
  const eta = weighed / information
  return { eta, low: eta - margin, high: eta + margin, samples }
}

function newDay(): ExaminationDay {
  const zeros = () => Array.from({ length: PAIRS }, () => 0)
  return {
    clicks: 0,
    upper: zeros(),
    upperSquares: zeros(),
    lower: zeros(),
    lowerSquares: zeros(),
  }
}

function addDay(sums: ExaminationDay, day: ExaminationDay): void {
  sums.clicks += day.clicks
  for (const list of ['upper', 'upperSquares', 'lower', 'lowerSquares'] as const)
    for (const [at, value] of day[list].entries())
      sums[list][at] = (sums[list][at] as number) + value
}

function addTo(sums: number[], squares: number[], at: number, weight: number | undefined): void {
  if (weight === undefined) return
  sums[at] = (sums[at] as number) + weight
  squares[at] = (squares[at] as number) + weight ** 2
}
