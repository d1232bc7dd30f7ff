import {
  chanceAt,
  likelyPlaces,
  type PlaceChances,
  type PlaceClicks,
} from '../statistics/place-chances.ts'
import { expectedEta, type PositionScores } from '../statistics/position-bias.ts'

/** What clicks on drawn orders say of how people look. */
export interface ClickSums extends PositionScores {
  clicks: number
  pairs: PlaceClicks
}

/** Fewer clicks say nothing of η. */
export const CLICKS_MIN = 50
/** What was measured elsewhere lies about so far from 1. */
const DEVIATION = 0.5
/** Nothing is gained by an η beyond these, but for one that was set. */
const LEAST = 0
const MOST = 2
/** What is in use changes when it is so far from what is known: all that was reckoned with it is reckoned anew. */
const CHANGE_MIN = 0.05
/** The same of the chance of a place. */
const PLACE_CHANGE_MIN = 0.02
/** As exact as chances of places are told. */
const CLOSE = 0.001

/** The η to reckon with: the one in use, unless clicks say another. */
export function etaBy(sums: ClickSums, expected: number, inUse: number): number {
  const prior = { mean: expected, deviation: DEVIATION }
  const most = Math.max(MOST, expected)
  const next = sums.clicks >= CLICKS_MIN ? expectedEta(sums, prior, [LEAST, most]) : expected
  return Math.abs(next - inUse) >= CHANGE_MIN ? Number(next.toFixed(2)) : inUse
}

/** The chances of places to reckon with, by that η and by what clicks say of each: those in use, unless others are told. */
export function chancesBy(sums: ClickSums, eta: number, inUse: PlaceChances): PlaceChances {
  const places = likelyPlaces(sums.pairs, eta).map((chance) => Number(chance.toFixed(3)))
  const isFar = (of: PlaceChances, least: number) =>
    places.some((chance, at) => Math.abs(chance - chanceAt(of, at + 1)) >= least)
  if (eta === inUse.eta && !isFar(inUse, PLACE_CHANGE_MIN)) return inUse
  return isFar({ eta }, CLOSE) ? { eta, places } : { eta }
}
