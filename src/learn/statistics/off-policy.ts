import { groupUnits, resample } from './bootstrap.ts'
import type { Interval } from './estimate.ts'

/**
 * What one unit's searches say about a policy that didn't serve them. Sums over searches, so that they
 * add up as they come. The policy's value per search is (Σ reward / Σ weight) · (Σ mass / Σ searches).
 */
export interface PolicySums {
  searches: number
  /** Importance weights. */
  weight: number
  /** Rewards times their weights. */
  reward: number
  /** What the weights sum to in expectation, cut off as they are. */
  mass: number
}

export const NO_SEARCHES: PolicySums = { searches: 0, weight: 0, reward: 0, mass: 0 }

/**
 * No weight counts more: a small bias against a large variance. Since the mass is cut off with the weight, what is
 * beyond counts as if nobody had chosen it there: the bias is downward, and no policy looks better for what was
 * hardly ever shown.
 */
export const IMPORTANCE_MAX = 10

/** With fewer effective units there is no answer. */
const EFFECTIVE_UNITS_MIN = 100

/** One shown page; all four by hit, in any one order. */
export interface LoggedPage {
  /** Gain of each hit, 0 without feedback. */
  rewards: ArrayLike<number>
  /** Examination of the position at which the hit was shown. */
  shown: ArrayLike<number>
  /** Expected examination of the hit under logging: `expectedExamination`. */
  expected: ArrayLike<number>
  /** Examination of the position at which the policy would show it; 0 where it wouldn't. */
  target: ArrayLike<number>
}

/**
 * One search's part under the position-based model, where a hit is clicked when it is examined and
 * good: Σ w · reward over the hits with w = target / expected, at most `IMPORTANCE_MAX`. Its control variate is the
 * examination Σ w · shown that the same weights give to what was shown; since `shown` is `expected` in the mean, its
 * expectation is Σ w · expected, which is Σ target where no weight is cut off. (Joachims, Swaminathan, Schnabel:
 * Unbiased learning-to-rank with biased feedback, 2017; self-normalised: Swaminathan, Joachims: The self-normalized
 * estimator for counterfactual learning, 2015; a ratio estimator aims at the rewards' sum only beside the true mean of
 * its divisor: Cochran: Sampling techniques, 1977.)
 */
export function positionBased({ rewards, shown, expected, target }: LoggedPage): PolicySums {
  const sums = { searches: 1, weight: 0, reward: 0, mass: 0 }
  for (let hit = 0; hit < rewards.length; hit += 1) {
    const wanted = target[hit] ?? 0
    const likely = expected[hit] ?? 0
    if (wanted === 0 || likely === 0) continue
    const weight = Math.min(wanted / likely, IMPORTANCE_MAX)
    sums.weight += weight * (shown[hit] ?? 0)
    sums.reward += weight * (rewards[hit] ?? 0)
    sums.mass += weight * likely
  }
  return sums
}

export function addSearches(first: PolicySums, second: PolicySums): PolicySums {
  return {
    searches: first.searches + second.searches,
    weight: first.weight + second.weight,
    reward: first.reward + second.reward,
    mass: first.mass + second.mass,
  }
}

/** A policy's value per search, however few units tell of it; 0 when none does. */
export function policyValue(units: readonly PolicySums[]): number {
  return perSearch(columnsOf(units).map(sumOf))
}

export interface PolicyOptions {
  /** Seed of the bootstrap; the same one gives the same interval. */
  seed: number
  effectiveUnitsMin?: number
}

export type PolicyVerdict =
  | { verdict: 'not_yet'; effectiveUnits: number }
  | {
      verdict: 'better' | 'worse' | 'undecided'
      effectiveUnits: number
      candidate: number
      baseline: number
      difference: number
      /** 95 % interval of the difference. */
      interval: Interval
    }

/**
 * Whether a candidate beats the baseline on the same logged searches: both are estimated for each unit
 * and resampled together, so that what they share cancels. Never says better with few effective units.
 */
export function comparePolicies(
  units: readonly { candidate: PolicySums; baseline: PolicySums }[],
  options: PolicyOptions,
): PolicyVerdict {
  const { seed, effectiveUnitsMin = EFFECTIVE_UNITS_MIN } = options
  const candidates = units.map(({ candidate }) => candidate)
  const baselines = units.map(({ baseline }) => baseline)
  const effectiveUnits = Math.min(effectiveUnitsOf(candidates), effectiveUnitsOf(baselines))
  if (effectiveUnits < effectiveUnitsMin) return { verdict: 'not_yet', effectiveUnits }
  const columns = [...columnsOf(candidates), ...columnsOf(baselines)]
  const differenceOf = (sums: readonly number[]) => perSearch(sums) - perSearch(sums.slice(4))
  const totals = columns.map(sumOf)
  const interval = resample(groupUnits(columns), seed, differenceOf)
  return {
    verdict: interval.low > 0 ? 'better' : interval.high < 0 ? 'worse' : 'undecided',
    effectiveUnits,
    candidate: perSearch(totals),
    baseline: perSearch(totals.slice(4)),
    difference: differenceOf(totals),
    interval,
  }
}

/** How many equally weighted units know as much: (Σw)² / Σw² (Kish 1965), w a unit's whole weight. */
export function effectiveUnitsOf(units: readonly PolicySums[]): number {
  let sum = 0
  let squares = 0
  for (const { weight } of units) {
    sum += weight
    squares += weight * weight
  }
  return squares === 0 ? 0 : (sum * sum) / squares
}

/** The sums in one fixed order: searches, weight, reward, mass. */
function columnsOf(units: readonly PolicySums[]): Float64Array[] {
  return [
    Float64Array.from(units, ({ searches }) => searches),
    Float64Array.from(units, ({ weight }) => weight),
    Float64Array.from(units, ({ reward }) => reward),
    Float64Array.from(units, ({ mass }) => mass),
  ]
}

function perSearch([searches = 0, weight = 0, reward = 0, mass = 0]: readonly number[]): number {
  return weight === 0 || searches === 0 ? 0 : (reward / weight) * (mass / searches)
}

function sumOf(column: Float64Array): number {
  return column.reduce((sum, value) => sum + value, 0)
}
