import type { UnitSums } from './sums.ts'

/**
 * A metric of one arm: Σx over Σy of its units, as clicks per search. `variance` is that of one unit: the value's own is
 * `variance / units`.
 */
export interface Estimate {
  units: number
  value: number
  variance: number
  /** All units have the same y, so that the value is a mean over units. */
  isMean?: boolean
  /** By how much `variance` may be too small where one unit searches more than the others; 1 by default. */
  leverage?: number
}

/** How far apart two arms are; a difference of estimates, with its standard error. */
export interface Contrast {
  /** Units of both arms. */
  units: number
  difference: number
  standardError: number
}

export interface Interval {
  low: number
  high: number
}

/**
 * A metric of one arm from its sums; undefined with fewer than two units or a denominator of 0. The
 * variance of a ratio is the delta method's over units, (s_xx − 2 r s_xy + r² s_yy) / ȳ² (Deng, Knoblich,
 * Lu: Applying the delta method in metric analytics, 2018), so that a unit's searches may depend on
 * each other.
 */
export function estimateOf(sums: UnitSums): Estimate | undefined {
  const { units, x, y } = sums
  if (units < 2 || !(y > 0)) return undefined
  const value = x / y
  const spreadX = spread(sums.xx, x, x, units)
  const spreadY = spread(sums.yy, y, y, units)
  const spreadXY = spread(sums.xy, x, y, units)
  const spreadOfRatio = spreadX - 2 * value * spreadXY + value * value * spreadY
  return {
    units,
    value,
    variance: Math.max(0, spreadOfRatio) / (y / units) ** 2,
    isMean: sums.yy * units === y * y,
    leverage: leverageOf(units, y, spreadY),
  }
}

/** Least share of the denominator that is left to the other units. */
const REST_MIN = 1e-9

/**
 * By how much the delta method understates the variance, at most. It takes each unit for a small part of all: one that
 * makes nine of ten searches draws the ratio to itself, and what it alone says seems certain. When each unit is left out
 * in turn, its part of the deviation is e/(Y − y) in place of e/Y (jackknife; MacKinnon, White: Some heteroskedasticity-
 * consistent covariance matrix estimators, 1985). No y lies further above the mean than s (n − 1)/√n (Samuelson: How
 * deviant can you be?, 1968). 1 where all units have the same.
 */
function leverageOf(units: number, y: number, spreadY: number): number {
  const most = y / units + (Math.sqrt(Math.max(0, spreadY)) * (units - 1)) / Math.sqrt(units)
  const rest = Math.max(REST_MIN, 1 - most / y)
  return Math.max(1, ((1 - 1 / units) / rest) ** 2)
}

/**
 * Treatment − `factor` · control. A factor of 1 asks whether they differ, one of .95 whether the treatment
 * lost more than 5 %.
 */
export function contrastOf(control: Estimate, treatment: Estimate, factor = 1): Contrast {
  return {
    units: control.units + treatment.units,
    difference: differenceOf(treatment.value, factor * control.value),
    standardError: Math.sqrt(errorSquared(treatment) + factor * factor * errorSquared(control)),
  }
}

/** Sums of the same fractions in another order differ in their last digits, by no more than this share. */
const ROUNDING = 1e-9

/**
 * `value` − `from`, or 0 where rounding alone tells them apart: where all units are alike there is no variance either, and
 * any difference would be certain.
 */
export function differenceOf(value: number, from: number): number {
  const difference = value - from
  const rounding = ROUNDING * Math.max(Math.abs(value), Math.abs(from))
  return Math.abs(difference) <= rounding ? 0 : difference
}

/** The variance of the estimate itself. */
export function errorSquared({ variance, units }: Estimate): number {
  return variance / units
}

/** Sample covariance from sums of products. */
function spread(products: number, first: number, second: number, units: number): number {
  return (products - (first * second) / units) / (units - 1)
}
