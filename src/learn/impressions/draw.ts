import type { Impression } from '../facts.ts'
import { teamDraft } from '../statistics/interleaving.ts'
import { seeded } from '../statistics/random.ts'
import { EXPLORED_MAX, explore, propensities } from './exploration.ts'
import type { Found } from './found.ts'

/** How a page's order may be drawn. */
export interface DrawSettings {
  seed: number
  /** Share of the pages that are drawn. */
  epsilon: number
  /** In units of the fused score's span. */
  temperature: number
}

export interface Draw {
  /** Places in greedy order, as shown; undefined: the page stays as it is. */
  order: number[] | undefined
  logged: NonNullable<Found['draw']>
}

/**
 * Decides whether a page is drawn, and draws it. How likely each hit was at its place follows from what is logged;
 * `propensitiesOf` reckons it when somebody asks. `scores` are in greedy order; `span` tells the span of the score (1
 * for the fused one), and is asked for drawn pages only.
 */
export function drawOrder(
  scores: ArrayLike<number>,
  { seed, epsilon, temperature }: DrawSettings,
  span: () => number,
): Draw {
  const explored = scores.length > 1 && seeded(seed)() < epsilon
  if (!explored) return { order: undefined, logged: { explored } }
  const unit = span()
  const scaled = Array.from(scores, (score) => score / unit)
  const order = explore(scaled, (seed ^ 0x9e3779b9) >>> 0, temperature)
  return { order, logged: { explored, order: order.slice(0, EXPLORED_MAX) } }
}

/** The span of scores that have no common one: the highest. */
export function spanOf(scores: ArrayLike<number>): number {
  return Math.max(1e-9, ...Array.from(scores, Math.abs))
}

/** P(hit at its place) for each hit shown, drawn or not: both are outcomes of one random policy. */
export function propensitiesOf({ hits, exploration }: Impression): number[] {
  if (exploration === undefined) return hits.map(() => 1)
  const { propensities: logged, explored, epsilon, temperature, relative } = exploration
  // Until orders were logged, drawn pages came with their probabilities.
  if (explored && logged !== undefined) return hits.map((_, at) => logged[at] ?? 1)
  const shown = hits.map(({ score }) => score)
  const span = relative ? spanOf(shown) : 1
  const order = shown.map((_, at) => exploration.order?.[at] ?? at)
  const scores: number[] = []
  for (const [at, place] of order.entries()) scores[place] = (shown[at] ?? 0) / span
  return propensities({ scores, order, epsilon, temperature }).map(round)
}

export interface Deal {
  /** Where each shown hit comes from: ranking 0 (a) or 1 (b), and its place there. */
  places: [ranking: number, at: number][]
  /** 'a' or 'b' for each place. */
  teams: string
}

/** Deals two pages of one search into one as teams; `a` and `b` name their hits. */
export function dealTeams(a: readonly string[], b: readonly string[], seed: number): Deal {
  const { list, teams } = teamDraft(a, b, seeded(seed), Math.max(a.length, b.length))
  const places = list.map((name, place): [number, number] =>
    teams[place] === 'a' ? [0, a.indexOf(name)] : [1, b.indexOf(name)],
  )
  return { places, teams: teams.join('') }
}

/** Six figures are more than any estimate has. */
function round(probability: number): number {
  return Number(probability.toPrecision(6))
}
