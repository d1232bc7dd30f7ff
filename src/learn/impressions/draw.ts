import type { Impression } from '../facts.ts'
import { teamDraft } from '../statistics/interleaving.ts'
import { seeded } from '../statistics/random.ts'
import { explore, LOGIT_GAP_MAX, propensities } from './exploration.ts'

/** Whether a page is drawn: a share `epsilon` of them is. */
export function isDrawn({ seed, epsilon }: { seed: number; epsilon: number }): boolean {
  return seeded(seed)() < epsilon
}

/** How scores are read where orders are drawn. */
export interface DrawnBy {
  /** In units of the score's span. */
  temperature: number
  /** Scores have no common span: it is the highest of them. */
  relative: boolean
  /** So many hits, the first ones, are pinned. */
  pinned?: number | undefined
}

/** How a page is drawn. */
export interface DrawSettings extends DrawnBy {
  seed: number
}

/**
 * Draws a page's order: its places in greedy order, as shown. How likely each hit was at its place follows from what is
 * logged; `propensitiesOf` reckons it when somebody asks. `scores` are in greedy order.
 */
export function drawOrder(scores: ArrayLike<number>, settings: DrawSettings): number[] {
  const { seed, temperature } = settings
  return explore(drawnScores(scores, settings), (seed ^ 0x9e3779b9) >>> 0, temperature)
}

/**
 * Scores, in greedy order or as shown, as draws take them: in units of their span, which is 1 for fused ones. Pinned hits
 * stand so far above the others, in their order, that no draw moves them. What pins add is no part of the span: next to
 * it the others would be all the same.
 */
export function drawnScores(
  scores: ArrayLike<number>,
  { temperature, relative, pinned = 0 }: DrawnBy,
): number[] {
  const own = Array.from(scores).slice(pinned)
  const span = relative ? Math.max(1e-9, ...own.map(Math.abs)) : 1
  const scaled = own.map((score) => score / span)
  const highest = scaled.length === 0 ? 0 : Math.max(...scaled)
  const above = (place: number) => highest + (pinned - place) * LOGIT_GAP_MAX * temperature
  return Array.from(scores, (_, place) =>
    place < pinned ? above(place) : (scaled[place - pinned] ?? 0),
  )
}

/** P(hit at its place) for each hit shown, drawn or not: both are outcomes of one random policy. */
export function propensitiesOf({ scores: shown, exploration }: Impression): number[] {
  if (exploration === undefined) return shown.map(() => 1)
  const { propensities: logged, explored, epsilon, temperature } = exploration
  // Until orders were logged, drawn pages came with their probabilities.
  if (explored && logged !== undefined) return shown.map((_, at) => logged[at] ?? 1)
  const order = shown.map((_, at) => exploration.order?.[at] ?? at)
  const scores: number[] = []
  for (const [at, place] of order.entries()) scores[place] = shown[at] ?? 0
  const drawn = drawnScores(scores, exploration)
  return propensities({ scores: drawn, order, epsilon, temperature }).map(round)
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
