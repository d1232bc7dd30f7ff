import { ALWAYS_VALID_UNITS_MIN } from './always-valid.ts'
import { type Estimate, errorSquared, estimateOf } from './estimate.ts'
import type { UnitSums } from './sums.ts'

interface Sampled {
  /** By unit: x is what the mean is of, y its searches. */
  sums: UnitSums
  /** All searches; those that are of no unit in the sums are each one of its own. */
  searches: number
  /** The variance of one search. */
  variance: number
}

/**
 * How much less sure a mean of searches is than if each were of a unit of its own (Kish: Survey sampling, 1965), at least
 * 1. From few units it can't be told: then as if all searches of a unit were the same one, Σy² / Σy.
 */
export function designEffect({ sums, searches, variance }: Sampled): number {
  const { units, y, yy } = sums
  if (!(y > 0)) return 1
  const most = yy / y
  const mean = units < ALWAYS_VALID_UNITS_MIN ? undefined : estimateOf(sums)
  const found = mean === undefined ? most : ratioOf(mean, variance / y)
  const effect = Math.min(most, Math.max(1, found))
  const others = Math.max(0, searches - y)
  return (effect * y + others) / (y + others)
}

/** The squared error of a mean by what it would be if each search were of a unit of its own. */
function ratioOf(mean: Estimate, alone: number): number {
  return alone > 0 ? ((mean.leverage ?? 1) * errorSquared(mean)) / alone : 1
}
