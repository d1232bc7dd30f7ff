/*
 * How fast the chance to be looked at falls with the position, from clicks on orders that were drawn. Under the
 * position-based model (Craswell, Zoeter, Taylor, Ramsey 2008) a hit at position k is clicked with its own worth times
 * 1/k^η. Where a draw put it at position j with the known chance p_j, a click on it came from position k with the chance
 *
 *   p_k · k^−η / Σ_j p_j · j^−η
 *
 * whatever the hit is worth: that divides out. So clicks on hits that might as well have stood elsewhere say how
 * positions differ (interventional harvesting: Joachims, Swaminathan, Schnabel 2017; Agarwal et al. 2019), and all
 * positions of a hit are used at once, with the weights that a conditional likelihood gives them (McFadden 1974).
 * Its score, the derivative by η of its logarithm, falls as η grows; scores of clicks add up, and where their sum is 0
 * is the most likely η. Sums are kept for some η, and are as good as straight between them.
 *
 * Not all people are as the model has them: who looks at the first three hits alike, and at no other, seems to have an η
 * of .5 by how neighbours differ, though what is further down is never seen. So the same is asked of two parts of the
 * page, too: which of them a click came from says how much less the lower one is looked at, however it is within them.
 */

const LOWEST = -1
const STEP = 0.25
const STEPS = 20
const HIGHEST = LOWEST + STEPS * STEP
const PLACES = 10
/** Places of the upper part: half of the ten, as logarithms go. */
const UPPER = 3
const LOGS = Array.from({ length: PLACES }, (_, place) => Math.log(place + 1))
/** For each η that sums are kept for, the chance that each place is looked at. */
const EXAMINED = Array.from({ length: STEPS + 1 }, (_, at) =>
  LOGS.map((log) => Math.exp(-(LOWEST + at * STEP) * log)),
)

/** Sums of scores, for each η that they are kept for: of all places against each other, and of the two parts. */
export interface PositionScores {
  places: number[]
  parts: number[]
}

/** Sums over no clicks. */
export function noScores(): PositionScores {
  return { places: EXAMINED.map(() => 0), parts: EXAMINED.map(() => 0) }
}

/** Adds the scores of a click at a place, from 0, on a hit that stood at each of the first ten with these chances. */
export function addScores(
  { places, parts }: PositionScores,
  place: number,
  chances: ArrayLike<number>,
): void {
  const isUpper = place < UPPER
  for (const [at, examined] of EXAMINED.entries()) {
    // Of all places, and of those of the part that the click came from: what they sum to, and their logarithms do.
    let sum = 0
    let logs = 0
    let partSum = 0
    let partLogs = 0
    for (let other = 0; other < chances.length; other += 1) {
      const share = (chances[other] as number) * (examined[other] as number)
      const log = share * (LOGS[other] as number)
      sum += share
      logs += log
      if (other < UPPER !== isUpper) continue
      partSum += share
      partLogs += log
    }
    places[at] = (places[at] as number) + logs / sum - (LOGS[place] as number)
    parts[at] = (parts[at] as number) + logs / sum - partLogs / partSum
  }
}

/** The most likely η and its standard error, by the information that the scores have there; undefined beyond what is summed. */
export function likelyEta({ places }: PositionScores): { eta: number; error: number } | undefined {
  const found = zeroOf(places)
  if (found === undefined) return undefined
  return { eta: found.eta, error: 1 / Math.sqrt(found.fall) }
}

/**
 * The η to reckon with: the most likely one beside what is expected of it, which has so great a standard deviation; as
 * far from that as all places and the two parts both say.
 */
export function expectedEta(
  { places, parts }: PositionScores,
  expected: Expected,
  [least, most]: readonly [number, number],
): number {
  const likely = [beside(places, expected), beside(parts, expected), expected.mean]
  const [, middle = expected.mean] = likely.sort((one, other) => one - other)
  return Math.min(most, Math.max(least, middle))
}

interface Expected {
  mean: number
  deviation: number
}

function beside(scores: readonly number[], { mean, deviation }: Expected): number {
  const all = scores.map((score, at) => score - (LOWEST + at * STEP - mean) / deviation ** 2)
  return zeroOf(all)?.eta ?? ((all[0] as number) > 0 ? HIGHEST : LOWEST)
}

/** Where falling values pass 0, and how fast they fall there. */
function zeroOf(values: readonly number[]): { eta: number; fall: number } | undefined {
  for (let at = 0; at < STEPS; at += 1) {
    const above = values[at] as number
    const below = values[at + 1] as number
    if (above < 0 || below >= 0) continue
    const share = above / (above - below)
    return { eta: LOWEST + (at + share) * STEP, fall: (above - below) / STEP }
  }
  return undefined
}
