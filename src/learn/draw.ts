import { EXPLORED_MAX, explore, propensities } from './exploration.ts'
import type { Impression } from './facts.ts'
import { seeded } from './random.ts'
import { teamDraft } from './statistics/interleaving.ts'

/** How a page's order may be drawn. */
export interface DrawSettings {
  seed: number
  /** Share of the pages that are drawn. */
  epsilon: number
  /** In units of the fused score's span. */
  temperature: number
}

export interface Draw {
  /** Places in greedy order, as shown. */
  order: number[]
  logged: Omit<NonNullable<Impression['exploration']>, 'relative'>
}

/**
 * Decides whether a page is drawn, draws it, and gives P(hit at its place) for each hit either way, since both
 * outcomes are one random policy. `scores` are in greedy order; `span` is the span of the score (1 for the fused one).
 */
export function drawOrder(
  scores: ArrayLike<number>,
  { seed, epsilon, temperature }: DrawSettings,
  span: number,
): Draw {
  const scaled = Array.from({ length: scores.length }, (_, at) => (scores[at] ?? 0) / span)
  const explored = scaled.length > 1 && seeded(seed)() < epsilon
  const order = explored
    ? explore(scaled, (seed ^ 0x9e3779b9) >>> 0, temperature)
    : scaled.map((_, place) => place)
  const known = propensities({ scores: scaled, order, epsilon, temperature }).map(round)
  return {
    order,
    logged: {
      seed,
      epsilon,
      temperature,
      explored,
      propensities: known.slice(0, EXPLORED_MAX),
    },
  }
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
