import type { AdaptationValidation } from '../../schema/adaptation-record.ts'
import { isFirstPage } from '../../schema/plan.ts'
import type { DocumentName, Tuning } from '../../schema/tuning.ts'
import type { StoredImpression } from '../facts.ts'
import type { Clicks } from '../patterns/clicks.ts'
import type { LiveIndex } from '../patterns/evidence.ts'
import { chanceAt, type PlaceChances } from '../statistics/place-chances.ts'
import { reciprocalRank } from '../statistics/reciprocal-rank.ts'
import { keysOf } from './ranking-content.ts'

export interface ReplayParts {
  clicks: Clicks
  find: (queryId: string) => StoredImpression | undefined
  /** Names of an impression's features, in their order. */
  featureNames: readonly string[]
  chances: PlaceChances
  liveIndex: LiveIndex
}

type Replayed = Pick<AdaptationValidation, 'samples' | 'estimates' | 'note'>

/** Clicked searches that are ranked anew; each takes a tenth of a millisecond. */
const SAMPLES_MAX = 200
const REPLAYABLE = new Set(['boosts', 'pins', 'legWeights'])
/** What other weights of the legs are reckoned from. */
const OF_LEGS = ['textScore', 'vectorScore', 'fusedScore']

/**
 * Ranks the pages of the newest clicked searches of a scope anew, as the change would have, and estimates what
 * their clicks would have become: a click at position p counts at position q as often as that is looked at when
 * p is once (position-based model; Richardson, Dominowska, Ragno 2007). Only what the pages hold
 * can move, so changes that find other documents can't be replayed.
 */
export function replay(tuning: Tuning, scope: string, parts: ReplayParts): Replayed {
  const keys = keysOf(tuning)
  const other = keys.find((key) => !REPLAYABLE.has(key))
  if (keys.length === 0) return nothing('The change sets nothing that ranks.')
  if (other !== undefined)
    return nothing(`A change of ${other} can't be replayed on logged searches.`)
  const lastOfLegs = Math.max(...OF_LEGS.map((name) => parts.featureNames.indexOf(name)))
  const moves: [from: number, to: number][] = []
  for (const { queryId, search } of parts.clicks.newest(scope, SAMPLES_MAX)) {
    const [first] = search.clicked
    const shown = parts.find(queryId)
    if (shown === undefined || first === undefined || !isFirstPage(shown.impression)) continue
    // Searches without a session keep the first features only.
    if (tuning.legWeights !== undefined && shown.impression.features <= lastOfLegs) continue
    const order = rank(shown, tuning, parts)
    moves.push([first + 1, order.indexOf(first) + 1])
  }
  if (moves.length === 0) return nothing('No clicked searches are logged to replay.')
  return {
    samples: moves.length,
    estimates: estimate(moves, parts.chances),
    note:
      moves.length === 1
        ? 'One clicked search was ranked anew.'
        : `${moves.length} clicked searches were ranked anew.`,
  }
}

function nothing(note: string): Replayed {
  return { samples: 0, estimates: {}, note }
}

/** The hits' places, from 0, in the order that the change gives them. */
function rank(
  shown: StoredImpression,
  { boosts = [], pins = [], legWeights }: Tuning,
  { featureNames: names, liveIndex }: Pick<ReplayParts, 'featureNames' | 'liveIndex'>,
): number[] {
  const { impression } = shown
  const features = shown.features()
  const at = (hit: number, name: string) => {
    const column = names.indexOf(name)
    return column < 0 ? 0 : (features[hit * impression.features + column] ?? 0)
  }
  const { hits } = impression.page
  const indices = hits.map(({ indexId }) => liveIndex(indexId))
  const isNamed = ({ id, index }: DocumentName, hit: number) =>
    id === hits[hit]?.id && (index ?? indices[hit]) === indices[hit]
  const scores = impression.scores.map((score, hit) => {
    const added = boosts.filter((boost) => isNamed(boost, hit))
    const sum = added.reduce((total, { value }) => total + value, score)
    if (legWeights === undefined) return sum
    const fused =
      legWeights.text * at(hit, 'textScore') + legWeights.vector * at(hit, 'vectorScore')
    return sum - at(hit, 'fusedScore') + fused
  })
  const pinOf = (hit: number) => {
    const place = pins.findIndex((pin) => isNamed(pin, hit))
    return place < 0 ? pins.length : place
  }
  return scores
    .map((_, hit) => hit)
    .sort((a, b) => pinOf(a) - pinOf(b) || (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
}

/**
 * Relative changes of clicks and of the mean reciprocal rank of what was clicked (none beside 0: all of it stood beyond
 * the tenth place), and its mean position.
 */
function estimate(
  moves: readonly [number, number][],
  chances: PlaceChances,
): Record<string, number> {
  const mean = (of: (from: number, to: number) => number) =>
    moves.reduce((sum, [from, to]) => sum + of(from, to), 0) / moves.length
  const change = (value: number) => Number((value - 1).toFixed(6))
  const before = mean(reciprocalRank)
  return {
    ctrChange: change(mean((from, to) => chanceAt(chances, to) / chanceAt(chances, from))),
    ...(before > 0 ? { mrrChange: change(mean((_, to) => reciprocalRank(to)) / before) } : {}),
    clickPosition: Number(mean((_, to) => to).toFixed(6)),
  }
}
