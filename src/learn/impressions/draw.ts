import type { Impression } from '../facts.ts'
import { teamDraft } from '../statistics/interleaving.ts'
import { seeded } from '../statistics/random.ts'
import { EXPLORED_MAX, explore, propensities } from './exploration.ts'

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
 * Decides whether a page is drawn, and draws it, with P(hit at its place) for each hit. For a page that is not drawn
 * they follow from its scores; `propensitiesOf` reckons them when somebody asks. `scores` are in greedy order; `span` is the span of the score (1 for the fused one).
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
  const logged = { seed, epsilon, temperature, explored }
  if (!explored) return { order, logged }
  const known = propensities({ scores: scaled, order, epsilon, temperature }).slice(0, EXPLORED_MAX)
  return { order, logged: { ...logged, propensities: known.map(round) } }
}

/** P(hit at its place) for each hit shown, drawn or not: both are outcomes of one random policy. */
export function propensitiesOf({ hits, exploration }: Impression): number[] {
  if (exploration === undefined) return hits.map(() => 1)
  const { propensities: logged = [], explored, epsilon, temperature, relative } = exploration
  if (explored) return hits.map((_, at) => logged[at] ?? 1)
  const span = relative ? Math.max(1e-9, ...hits.map(({ score }) => Math.abs(score))) : 1
  const scores = hits.map(({ score }) => score / span)
  return propensities({ scores, order: scores.map((_, at) => at), epsilon, temperature }).map(round)
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
