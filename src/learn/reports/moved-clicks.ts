import type { HourReport } from '../../schema/analytics-record.ts'
import type { Impression, StoredImpression } from '../facts.ts'
import type { Log } from '../loop/log.ts'

/** Where a hit that was clicked stood, and where it would have stood had nothing been learned or set; from 1. */
export type MovedClick = readonly [place: number, without: number]

/** What is further down counts as if it stood here: a row keeps so many places of either kind. */
const PLACES_MAX = 20

/** Counts clicks by both places. */
export function openMovedClicks(from: HourReport['moved'] = []) {
  const counts = new Map(from.map(([place, without, clicks]) => [keyOf([place, without]), clicks]))
  return {
    add: (places: MovedClick | undefined) => {
      if (places === undefined) return
      const key = keyOf(places)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    record: () =>
      [...counts].map(([key, clicks]): [number, number, number] => [
        Math.floor(key / PLACES_MAX) + 1,
        (key % PLACES_MAX) + 1,
        clicks,
      ]),
  }
}

function keyOf([place, without]: MovedClick): number {
  const bounded = (each: number) => Math.min(each, PLACES_MAX) - 1
  return bounded(place) * PLACES_MAX + bounded(without)
}

/** Where a hit that was clicked stood with and without learning; undefined where learning moved nothing on its page. */
export type MovedOf = (impression: Impression, hit: number | undefined) => MovedClick | undefined

/** By the scores before anything was learned, which are among the features that are kept of a search. */
export function openMovedOf(
  log: Pick<Log, 'find'>,
  featureNames: () => readonly string[],
): MovedOf {
  const column = featureNames().indexOf('fusedScore')
  return (impression, hit) => {
    if (hit === undefined || !showsLearning(impression)) return undefined
    const found = log.find(impression.queryId)
    return found && placesOf(found, hit, column)
  }
}

/**
 * Whether a click on this page can tell what learning does: somebody's first page, in the order of its scores, neither
 * drawn nor dealt, on which something learned or set had a say.
 */
function showsLearning(impression: Impression): boolean {
  const { unit, from, exploration, interleaved, scores } = impression
  const { addedScores = 0, model, adaptations } = impression
  if (unit === undefined || from > 0 || interleaved !== undefined) return false
  if (addedScores === 0 && model === undefined && adaptations.length === 0) return false
  // Other orders are those of a field.
  return exploration?.explored !== true && isFalling(scores)
}

function placesOf(
  { impression, features }: StoredImpression,
  hit: number,
  column: number,
): MovedClick | undefined {
  const { scores, features: width } = impression
  if (column < 0 || column >= width) return undefined
  const rows = features()
  const before = scores.map((_, at) => rows[at * width + column] ?? 0)
  if (isFalling(before)) return undefined
  const own = before[hit] ?? 0
  const above = before.filter((score, at) => score > own || (score === own && at < hit))
  return [hit + 1, above.length + 1]
}

function isFalling(scores: readonly number[]): boolean {
  return scores.every((score, at) => at === 0 || score <= (scores[at - 1] ?? 0))
}
