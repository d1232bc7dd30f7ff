import type { HeldClick } from '../../schema/meta-record.ts'
import { addPlaceClick, noPlaceClicks, type PlaceChances } from '../statistics/place-chances.ts'
import { addScores, noScores } from '../statistics/position-bias.ts'
import { type ClickSums, chancesBy, etaBy } from './chances-in-use.ts'

/** What clicks say of how people look, and what is reckoned with by them. */
export interface ReckonedChances {
  sums: ClickSums
  chances: PlaceChances
  /** How many clicks there were when these were last reckoned. */
  reckoned: number
}

/** What is reckoned with is reckoned again when there are so many times as many clicks: the same clicks give the same. */
const GROWTH = 1.05

/** Sums over no clicks. */
export function noClicks(): ClickSums {
  return { clicks: 0, ...noScores(), pairs: noPlaceClicks() }
}

/** What is expected, while there are no clicks. */
export function unreckoned(expected: number): ReckonedChances {
  return { sums: noClicks(), chances: { eta: expected }, reckoned: 0 }
}

export function addDrawnClick(sums: ClickSums, { place, own, chances }: HeldClick): void {
  sums.clicks += 1
  addScores(sums, place, chances)
  addPlaceClick(sums.pairs, { place, own }, chances)
}

/** Adds it, and reckons when it is time. */
export function countDrawnClick(state: ReckonedChances, click: HeldClick, expected: number): void {
  addDrawnClick(state.sums, click)
  if (state.sums.clicks > state.reckoned * GROWTH) reckon(state, expected)
}

export function reckon(state: ReckonedChances, expected: number): void {
  const { sums, chances } = state
  state.chances = chancesBy(sums, etaBy(sums, expected, chances.eta), chances)
  state.reckoned = sums.clicks
}

/** What the state comes to with more clicks, one by one. */
export function withClicks(
  { sums, chances, reckoned }: ReckonedChances,
  clicks: readonly HeldClick[],
  expected: number,
): ReckonedChances {
  const copied = noClicks()
  addSums(copied, sums)
  const state = { sums: copied, chances, reckoned }
  for (const click of clicks) countDrawnClick(state, click, expected)
  return state
}

export function addSums(sums: ClickSums, { clicks, places, parts, pairs }: ClickSums): void {
  sums.clicks += clicks
  addAll(sums.places, places)
  addAll(sums.parts, parts)
  addAll(sums.pairs.clicked, pairs.clicked)
  addAll(sums.pairs.expected, pairs.expected)
}

function addAll(sums: number[], scores: readonly number[]): void {
  for (const [at, score] of scores.entries()) sums[at] = (sums[at] as number) + score
}
