import type { Impression } from '../facts.ts'
import { teamDraft } from '../statistics/interleaving.ts'
import { seeded } from '../statistics/random.ts'
import { explore, propensities } from './exploration.ts'

/** Whether a page is drawn: a share `epsilon` of them is. */
export function isDrawn({ seed, epsilon }: { seed: number; epsilon: number }): boolean {
  return seeded(seed)() < epsilon
}

/** How a page is drawn. */
export interface DrawSettings {
  seed: number
  /** In units of the score's span. */
  temperature: number
}

/**
 * Draws a page's order: its places in greedy order, as shown. How likely each hit was at its place follows from what is
 * logged; `propensitiesOf` reckons it when somebody asks. `scores` are in greedy order; `span` is that of the score (1
 * for the fused one).
 */
export function drawOrder(
  scores: ArrayLike<number>,
  { seed, temperature }: DrawSettings,
  span: number,
): number[] {
  const scaled = Array.from(scores, (score) => score / span)
  return explore(scaled, (seed ^ 0x9e3779b9) >>> 0, temperature)
}

/** The span of scores, in which temperatures are told: 1 for fused ones, the highest where there is no common one. */
export function spanOf(scores: ArrayLike<number>, { relative }: { relative: boolean }): number {
  if (!relative) return 1
  return Math.max(1e-9, ...Array.from(scores, Math.abs))
}

/** P(hit at its place) for each hit shown, drawn or not: both are outcomes of one random policy. */
export function propensitiesOf({ scores: shown, exploration }: Impression): number[] {
  if (exploration === undefined) return shown.map(() => 1)
  const { propensities: logged, explored, epsilon, temperature } = exploration
  // Until orders were logged, drawn pages came with their probabilities.
  if (explored && logged !== undefined) return shown.map((_, at) => logged[at] ?? 1)
  const span = spanOf(shown, exploration)
  const order = shown.map((_, at) => exploration.order?.[at] ?? at)
  const scores: number[] = []
  for (const [at, place] of order.entries()) scores[place] = (shown[at] ?? 0) / span
  return propensities({ scores, order, epsilon, temperature }).map(round)
}

export interface Deal {
  /** Where each hit comes from: ranking 0 (a) or 1 (b), and its place there. */
  places: [ranking: number, at: number][]
  /** 'a' or 'b' for each place, '-' where neither was credited. */
  teams: string
}

/**
 * Deals the first `depth` hits of ranking a as teams: b orders them too, as far as it has them among its own. Nothing
 * comes in and nothing goes out, so that the list goes on, and has the totals and facets, as a has it. `a` and `b` name
 * their hits.
 */
export function dealTeams(
  a: readonly string[],
  b: readonly string[],
  { seed, depth }: { seed: number; depth: number },
): Deal {
  const placesInA = new Map(a.map((name, at) => [name, at]))
  const placesInB = new Map(b.map((name, at) => [name, at]))
  const first = a.slice(0, depth)
  const known = b.filter((name) => (placesInA.get(name) ?? depth) < depth)
  const { list, teams, credited } = teamDraft(first, known, seeded(seed), first.length)
  const dealt = new Set(list)
  const rest = a.filter((name) => !dealt.has(name))
  const places = [...list, ...rest].map((name, place): [number, number] =>
    teams[place] === 'b' ? [1, placesInB.get(name) ?? 0] : [0, placesInA.get(name) ?? 0],
  )
  return { places, teams: teams.slice(0, credited).join('').padEnd(a.length, '-') }
}

/** Six figures are more than any estimate has. */
function round(probability: number): number {
  return Number(probability.toPrecision(6))
}
