import { gumbel, seeded } from '../statistics/random.ts'

/** Only the first hits of a page are ever reordered; those after keep their places. */
export const EXPLORED_MAX = 10

/** A gap of this many temperatures is swapped once in e^60 draws; wider ones are narrowed to it. */
export const LOGIT_GAP_MAX = 60

export interface LoggedRanking {
  /** The scores in greedy order: the order that is served without exploration. */
  scores: ArrayLike<number>
  /** Share of searches that explore, 0..1. */
  epsilon: number
  temperature: number
}

/**
 * A draw from the Plackett–Luce model with weights exp(score / temperature), by the Gumbel top-k trick
 * (Yellott 1977; Kool, van Hoof, Welling 2019). Answers the places of the hits in shown order, as long
 * as `scores`; from place 10 on every hit keeps its place. Scores are finite, in greedy order;
 * temperature > 0, in units of the score: hits that far apart swap with odds 1 : e.
 */
export function explore(scores: ArrayLike<number>, seed: number, temperature: number): number[] {
  const keys = logitsOf(scores, temperature)
  const random = seeded(seed)
  for (let place = 0; place < keys.length; place += 1)
    keys[place] = at(keys, place) + gumbel(random)
  const order = Array.from({ length: scores.length }, (_, place) => place)
  const explored = order.splice(0, keys.length)
  explored.sort((a, b) => at(keys, b) - at(keys, a) || a - b)
  return explored.concat(order)
}

/**
 * Per shown position, the probability with which logging put that hit there:
 * (1 − ε) · [it stands in its greedy place] + ε · its marginal. 1 for every hit past the tenth.
 */
export function propensities(logged: LoggedRanking & { order: ArrayLike<number> }): number[] {
  const { order, epsilon } = logged
  const count = Math.min(logged.scores.length, EXPLORED_MAX)
  const rows = marginalRows(logged.scores, logged.temperature)
  return Array.from({ length: order.length }, (_, position) => {
    if (position >= count) return 1
    const hit = order[position] ?? 0
    return (hit === position ? 1 - epsilon : 0) + epsilon * at(rows, position * count + hit)
  })
}

/**
 * Per hit (in greedy order), the expected examination under logging: Σ over positions of the
 * probability of standing there times `examination[position]`. What the position-based estimate of
 * another ranking divides by.
 */
export function expectedExamination(
  logged: LoggedRanking & { examination: ArrayLike<number> },
): number[] {
  const { scores, epsilon, examination } = logged
  const count = Math.min(scores.length, EXPLORED_MAX)
  const rows = marginalRows(scores, logged.temperature)
  return Array.from({ length: scores.length }, (_, hit) => {
    const own = examination[hit] ?? 0
    if (hit >= count) return own
    let explored = 0
    for (let position = 0; position < count; position += 1)
      explored += at(rows, position * count + hit) * (examination[position] ?? 0)
    return (1 - epsilon) * own + epsilon * explored
  })
}

/**
 * The exact probability that `explore` shows hit i at position p, its marginal, as `[p * n + i]`, for the n ≤ 10 hits
 * that it reorders. Dynamic programming over the sets of hits already placed: the probability of a set is the sum over
 * its last hit, 2^n · n / 2 steps.
 */
export function marginalRows(scores: ArrayLike<number>, temperature: number): Float64Array {
  const weights = logitsOf(scores, temperature).map(Math.exp)
  const count = weights.length
  const sets = 1 << count
  const weightOf = new Float64Array(sets)
  const sizeOf = new Uint8Array(sets)
  for (let set = 1; set < sets; set += 1) {
    const without = set & (set - 1)
    weightOf[set] = (weightOf[without] as number) + (weights[hitOf(set ^ without)] as number)
    sizeOf[set] = (sizeOf[without] as number) + 1
  }
  const rows = new Float64Array(count * count)
  // The probability of having placed exactly this set first, over the weight of those still to place.
  const share = new Float64Array(sets)
  share[0] = 1 / (weightOf[sets - 1] as number)
  for (let set = 1; set < sets; set += 1) {
    const row = ((sizeOf[set] as number) - 1) * count
    let reached = 0
    for (let rest = set; rest !== 0; rest &= rest - 1) {
      const last = rest & -rest
      const hit = hitOf(last)
      const probability = (share[set ^ last] as number) * (weights[hit] as number)
      reached += probability
      rows[row + hit] = (rows[row + hit] as number) + probability
    }
    share[set] = reached / (weightOf[sets - 1 - set] as number)
  }
  return rows
}

/**
 * The scores over the temperature, the greatest 0. Gaps are narrowed to what a draw can show, so that
 * no weight is too small for a double; `explore` and `marginalRows` both work on these, and agree.
 */
function logitsOf(scores: ArrayLike<number>, temperature: number): Float64Array {
  if (!(temperature > 0)) throw new RangeError('The temperature must be greater than 0.')
  const count = Math.min(scores.length, EXPLORED_MAX)
  const descending = Array.from({ length: count }, (_, place) => place)
  descending.sort((a, b) => at(scores, b) - at(scores, a))
  const logits = new Float64Array(count)
  for (let rank = 1; rank < count; rank += 1) {
    const place = at(descending, rank)
    const before = at(descending, rank - 1)
    const gap = (at(scores, before) - at(scores, place)) / temperature
    logits[place] = at(logits, before) - Math.min(gap, LOGIT_GAP_MAX)
  }
  return logits
}

function hitOf(bit: number): number {
  return 31 - Math.clz32(bit)
}

/** Every index below is within its array. */
function at(values: ArrayLike<number>, index: number): number {
  return values[index] as number
}
