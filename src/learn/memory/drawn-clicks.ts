import type { HeldClick } from '../../schema/meta-record.ts'
import { isFirstPage } from '../../schema/plan.ts'
import type { FeedbackFact, Impression } from '../facts.ts'
import { isOthers } from '../feedback/feedback-entries.ts'
import { drawnScores } from '../impressions/draw.ts'
import { EXPLORED_MAX, marginalRows } from '../impressions/exploration.ts'
import { murmur3 } from '../statistics/murmur3.ts'
import { dayOf } from '../wire/duration.ts'

/** Units that can count on one day. */
const UNITS_MAX = 4096

/** Two numbers for each unit that can count on a day: the hash of its page, and a bit for each hit that it clicked. */
export function noPages(): Int32Array {
  return new Int32Array(2 * UNITS_MAX)
}

/** The click of which a fact tells, if it says how people look; notes it among the pages of its day. */
export function drawnClickOf(
  fact: FeedbackFact,
  pagesOf: (day: number) => Int32Array,
): HeldClick | undefined {
  const { sessionId, receivedMs, entry, impression, hit = EXPLORED_MAX } = fact
  if (isOthers(fact) || entry.status !== 'learned' || entry.action !== 'click') return undefined
  const { unit, exploration } = impression ?? {}
  if (impression === undefined || unit === undefined || exploration === undefined) return undefined
  if (hit >= EXPLORED_MAX || !isFirstPage(impression)) return undefined
  const day = dayOf(receivedMs)
  if (!isFirst(pagesOf(day), { unit, queryId: impression.queryId, hit })) return undefined
  const chances = chancesOf(impression, exploration, hit)
  if (chances === undefined) return undefined
  return { sessionId, day, place: hit, own: exploration.order?.[hit] ?? hit, chances }
}

interface Clicked {
  unit: string
  queryId: string
  hit: number
}

/** Whether it is the first click on this hit, on the page with which this unit counts; notes it. */
function isFirst(pages: Int32Array, { unit, queryId, hit }: Clicked): boolean {
  const at = 2 * (murmur3(unit, 0) % UNITS_MAX)
  const page = murmur3(queryId, 0) | 0 || 1
  pages[at] ||= page
  const clicked = pages[at + 1] as number
  if (pages[at] !== page || (clicked & (1 << hit)) !== 0) return false
  pages[at + 1] = clicked | (1 << hit)
  return true
}

/** How likely the hit was put at each of the first places; undefined where that was not logged. */
function chancesOf(
  { scores: shown }: Impression,
  exploration: NonNullable<Impression['exploration']>,
  hit: number,
): number[] | undefined {
  const { explored, order, epsilon, temperature } = exploration
  if (explored && order === undefined) return undefined
  const places = shown.map((_, at) => order?.[at] ?? at)
  const scores: number[] = []
  for (const [at, place] of places.entries()) scores[place] = shown[at] as number
  const rows = marginalRows(drawnScores(scores, exploration), temperature)
  const own = places[hit] as number
  const length = Math.min(scores.length, EXPLORED_MAX)
  return Array.from({ length }, (_, at) => {
    return (at === own ? 1 - epsilon : 0) + epsilon * (rows[at * length + own] as number)
  })
}
