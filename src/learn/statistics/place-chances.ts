/*
 * How likely each place of a page is looked at, where people don't look as 1/k^η has it: at the first three hits alike,
 * say, and at no other. Of a draw that leaves most hits where they stood, clicks on a hit that was moved from place g to
 * place k come as often as
 *
 *   x_k / x_g · Σ p_k / p_g
 *
 * says, the sum over the clicks on hits that stayed at g, with p the chances that the draw gave them, and x the chances
 * of the places to be looked at: what a hit is worth divides out. So sums by two places say all that is asked, as
 * numbers of a Poisson distribution. Between a place and the next one x falls by a factor e^s with s ≥ 0; each s is the
 * most likely one beside η·log((k+1)/k), from which it differs as the Laplace distribution has it: not at all until
 * clicks speak for it, and then as far as they say (Tibshirani 1996). One s after the other has a closed form, and
 * going round finds the greatest likelihood of all (Tseng 2001).
 *
 * Draws are few, and at first there is nothing to go by. But where nobody ever clicks, though people click on what
 * stands first again and again, nobody looks: hits further down are worth less, but hardly so much less. That is expected
 * until draws say otherwise.
 */

/** How likely each place of a page, from 1, is looked at. */
export interface PlaceChances {
  /** Place k is looked at with the chance 1/k^η. */
  eta: number
  /** The chances of the first ten places, where they are others; behind these they go on falling as 1/k^η. */
  places?: readonly number[] | undefined
}

/** Of each two of the first ten places, the one where hits belong and the one where they were: flat rows of ten. */
export interface PlaceClicks {
  clicked: number[]
  /** Of hits that were where they belong: how likely each other place was, as a share of that. */
  expected: number[]
}

const PLACES = 10
/** What is looked at less counts as if it were looked at so often: nothing is to be divided by next to nothing. */
const LEAST = 0.01
const STEEPEST = -Math.log(LEAST)
/** How far a step from place to place differs from the one that η has; the scale of the Laplace distribution. */
const DEVIATION = 0.4
const ROUNDS_MAX = 50
const CLOSE = 1e-3
/** Hits of a place are worth no less than so small a part of what those of the first place are. */
const WORTH_LEAST = 0.1

/** The chance of a place, which may lie between two. */
export function chanceAt({ eta, places }: PlaceChances, place: number): number {
  if (places === undefined) return place ** -eta
  if (place >= PLACES) return (places[PLACES - 1] as number) * (place / PLACES) ** -eta
  const above = Math.max(1, Math.floor(place))
  const [upper, lower] = [places[above - 1] as number, places[above] as number]
  const share = (1 / above - 1 / place) / (1 / above - 1 / (above + 1))
  return upper + share * (lower - upper)
}

/** The chances of the first ten places, rounded as people read them. */
export function firstChances(chances: PlaceChances): number[] {
  return Array.from({ length: PLACES }, (_, at) => Number(chanceAt(chances, at + 1).toFixed(3)))
}

/** Sums over no clicks. */
export function noPlaceClicks(): PlaceClicks {
  const none = () => new Array<number>(PLACES * PLACES).fill(0)
  return { clicked: none(), expected: none() }
}

/** Adds a click at a place, from 0, on a hit that belongs at `own`; with the chances that the draw gave it. */
export function addPlaceClick(
  { clicked, expected }: PlaceClicks,
  { place, own }: { place: number; own: number },
  chances: ArrayLike<number>,
): void {
  const row = own * PLACES
  clicked[row + place] = (clicked[row + place] as number) + 1
  if (place !== own) return
  const stays = chances[own] as number
  for (let other = 0; other < chances.length; other += 1)
    if (other !== own)
      expected[row + other] = (expected[row + other] as number) + (chances[other] as number) / stays
}

/** The chances of the first ten places, as clicks have them, beside the η that is reckoned with. */
export function likelyPlaces(sums: PlaceClicks, eta: number): number[] {
  const expected = expectedPlaces(sums, eta)
  const drops = expected
    .slice(1)
    .map((chance, at) => Math.max(0, Math.log((expected[at] as number) / chance)))
  settle(sums, drops)
  const chances = [1]
  for (const [at, drop] of drops.entries())
    chances.push(notLess((chances[at] as number) * Math.exp(-drop), at + 2, eta))
  return chances
}

/** The chances that η has, and no more of each than the clicks there, or behind it, let it have without draws. */
function expectedPlaces(sums: PlaceClicks, eta: number): number[] {
  const clicks = Array.from({ length: PLACES }, (_, place) => clicksAt(sums, place))
  const first = 1 + (clicks[0] as number)
  return clicks.map((_, at) => {
    if (at === 0) return 1
    const most = (1 + Math.max(...clicks.slice(at))) / first / WORTH_LEAST
    return notLess(Math.min((at + 1) ** -eta, most), at + 1, eta)
  })
}

function notLess(chance: number, place: number, eta: number): number {
  return Math.max(Math.min(LEAST, place ** -eta), chance)
}

function clicksAt({ clicked }: PlaceClicks, place: number): number {
  let sum = 0
  for (let at = place; at < clicked.length; at += PLACES) sum += clicked[at] as number
  return sum
}

/** Makes the likely ones of drops that are expected. */
function settle(sums: PlaceClicks, drops: number[]): void {
  const expected = [...drops]
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    let moved = 0
    for (const [at, kink] of expected.entries()) {
      const before = drops[at] as number
      const next = likelyDrop(across(sums, drops, at), kink)
      drops[at] = next
      moved = Math.max(moved, Math.abs(next - before))
    }
    if (moved < CLOSE) break
  }
}

/** What passes between two places that follow each other. */
interface Across {
  /** Clicks on hits that came down, less those on hits that came up. */
  net: number
  /** Clicks that are expected of each, were the drop 0. */
  down: number
  up: number
}

function across({ clicked, expected }: PlaceClicks, drops: readonly number[], at: number): Across {
  const fallen = [0]
  for (const [place, drop] of drops.entries())
    fallen.push((fallen[place] as number) + (place === at ? 0 : drop))
  const sums = { net: 0, down: 0, up: 0 }
  for (let upper = 0; upper <= at; upper += 1)
    for (let lower = at + 1; lower < PLACES; lower += 1) {
      const [down, up] = [upper * PLACES + lower, lower * PLACES + upper]
      const fall = Math.exp((fallen[upper] as number) - (fallen[lower] as number))
      sums.net += (clicked[down] as number) - (clicked[up] as number)
      sums.down += (expected[down] as number) * fall
      sums.up += (expected[up] as number) / fall
    }
  return sums
}

/** Where −net·s − down·e^−s − up·e^s − |s − kink| / DEVIATION is greatest. */
function likelyDrop({ net, down, up }: Across, kink: number): number {
  const rise = -net + down * Math.exp(-kink) - up * Math.exp(kink)
  if (Math.abs(rise) <= 1 / DEVIATION) return kink
  const slope = net + Math.sign(rise) / DEVIATION
  // With y = e^s: up·y² + slope·y = down.
  const root = Math.sqrt(slope ** 2 + 4 * up * down)
  const y = slope >= 0 ? (2 * down) / (slope + root) : (root - slope) / (2 * up)
  return Math.min(STEEPEST, Math.max(0, Math.log(y)))
}
