import type { AdaptationValidation } from '../../schema/adaptation-record.ts'
import { isFirstPage, orderedBy } from '../../schema/plan.ts'
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

type Ranked = Pick<ReplayParts, 'featureNames' | 'liveIndex'>
type Replayed = Pick<AdaptationValidation, 'samples' | 'estimates' | 'note'>

/** Clicked searches that are ranked anew; each takes a tenth of a millisecond. */
const SAMPLES_MAX = 200
const REPLAYABLE = new Set(['boosts', 'pins', 'legWeights'])
/** What other weights of the legs are reckoned from. */
const OF_LEGS = ['textScore', 'vectorScore', 'fusedScore']

/** Places, from 1, of a hit that was clicked: as it was shown, and where it stands without and with the change. */
interface Move {
  shown: number
  without: number
  with: number
}

/**
 * Ranks the pages of the newest clicked searches of a scope anew, as the change would have, and estimates what
 * their clicks would have become: a click at position p counts at position q as often as that is looked at when
 * p is once (position-based model; Richardson, Dominowska, Ragno 2007). Only what the pages hold
 * can move, so changes that find other documents can't be replayed. What a draw moved, no change is credited with.
 */
export function replay(tuning: Tuning, scope: string, parts: ReplayParts): Replayed {
  const keys = keysOf(tuning)
  const other = keys.find((key) => !REPLAYABLE.has(key))
  if (keys.length === 0) return nothing('The change sets nothing that ranks.')
  if (other !== undefined)
    return nothing(`A change of ${other} can't be replayed on logged searches.`)
  const lastOfLegs = Math.max(...OF_LEGS.map((name) => parts.featureNames.indexOf(name)))
  const moves: Move[] = []
  for (const { queryId, search } of parts.clicks.newest(scope, SAMPLES_MAX)) {
    const [first] = search.clicked
    const shown = parts.find(queryId)
    if (shown === undefined || first === undefined || !isFirstPage(shown.impression)) continue
    // The order of teams was nobody's ranking.
    if (shown.impression.interleaved !== undefined) continue
    // Searches without a session keep the first features only.
    if (tuning.legWeights !== undefined && shown.impression.features <= lastOfLegs) continue
    moves.push(moveOf(first, shown, tuning, parts))
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

/** Where the order is that of fields, a change moves nothing; in that of a model, nothing but what it pins. */
function moveOf(hit: number, shown: StoredImpression, tuning: Tuning, parts: Ranked): Move {
  const place = hit + 1
  if (orderedBy(shown.replay().request) === 'fields')
    return { shown: place, without: place, with: place }
  const { pins } = tuning
  const pinning = pins === undefined ? {} : { pins }
  const placeBy = (by: Tuning) => rank(shown, by, parts).indexOf(hit) + 1
  const moving = shown.impression.model === undefined ? tuning : pinning
  return { shown: place, without: placeBy({}), with: placeBy(moving) }
}

/** The hits' places, from 0, in the order that the change gives them. */
function rank(
  shown: StoredImpression,
  { boosts = [], pins = [], legWeights }: Tuning,
  { featureNames: names, liveIndex }: Ranked,
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
  const { pinned = 0 } = impression
  // What others pin stays first, behind what this change does.
  const pinOf = (hit: number) => {
    const place = pins.findIndex((pin) => isNamed(pin, hit))
    return place < 0 ? pins.length + Math.min(hit, pinned) : place
  }
  return scores
    .map((_, hit) => hit)
    .sort((a, b) => pinOf(a) - pinOf(b) || (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
}

/**
 * Relative changes of clicks and of the mean reciprocal rank of what was clicked (none beside 0: all of it stood beyond
 * the tenth place), and its mean position.
 */
function estimate(moves: readonly Move[], chances: PlaceChances): Record<string, number> {
  const mean = (of: (move: Move) => number) =>
    moves.reduce((sum, move) => sum + of(move), 0) / moves.length
  const clicks = (by: 'with' | 'without') =>
    mean((move) => chanceAt(chances, move[by]) / chanceAt(chances, move.shown))
  const change = (value: number) => Number((value - 1).toFixed(6))
  const before = mean((move) => reciprocalRank(move.without))
  const after = mean((move) => reciprocalRank(move.with))
  return {
    ctrChange: change(clicks('with') / clicks('without')),
    ...(before > 0 ? { mrrChange: change(after / before) } : {}),
    clickPosition: Number(mean((move) => move.with).toFixed(6)),
  }
}
