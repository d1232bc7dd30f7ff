import { NORMAL_80, NORMAL_975, student975, studentTails } from './distributions.ts'
import { contrastOf, differenceOf, type Estimate, errorSquared, type Interval } from './estimate.ts'

/** A comparison read once, at an end that was fixed beforehand. */
export interface FixedHorizon {
  /** Treatment − control, in the metric's unit. */
  difference: number
  /** 95 % interval of the difference. */
  interval: Interval
  /** (treatment − control) / control; absent when control is 0. */
  lift?: number
  /** 95 % interval of the lift; absent when control may be 0 as well. */
  liftInterval?: Interval
  /** Two-sided. */
  p: number
}

export interface DetectableEffect {
  difference: number
  /** As a share of control; absent when control is 0. */
  lift?: number
}

/**
 * Two-sided test of treatment against control. Means over units are compared by Welch's t test (Welch: The generalization of
 * Student's problem, 1947); ratios by the normal distribution under the delta method's variances, which hold for many units.
 */
export function fixedHorizon(control: Estimate, treatment: Estimate): FixedHorizon {
  const { difference, standardError } = contrastOf(control, treatment)
  const freedom = freedomOf(control, treatment)
  const width = student975(freedom)
  return {
    difference,
    interval: around(difference, width * standardError),
    ...liftOf(control, treatment, width),
    p: difference === 0 ? 1 : studentTails(difference / standardError, freedom),
  }
}

/** Welch–Satterthwaite degrees of freedom; infinite, as for the normal distribution, unless both are means that vary. */
function freedomOf(control: Estimate, treatment: Estimate): number {
  const errors = [errorSquared(control), errorSquared(treatment)] as const
  const whole = errors[0] + errors[1]
  if (!control.isMean || !treatment.isMean || whole === 0) return Number.POSITIVE_INFINITY
  const shares = [errors[0] / whole, errors[1] / whole] as const
  return 1 / (shares[0] ** 2 / (control.units - 1) + shares[1] ** 2 / (treatment.units - 1))
}

/**
 * The smallest difference that a two-sided 5 % test finds with 80 % power, with as many units and as
 * much variance as so far: (z.975 + z.80) standard errors.
 */
export function detectableEffect(control: Estimate, treatment: Estimate): DetectableEffect {
  const { standardError } = contrastOf(control, treatment)
  const difference = (NORMAL_975 + NORMAL_80) * standardError
  return control.value === 0
    ? { difference }
    : { difference, lift: difference / Math.abs(control.value) }
}

/**
 * Relative lift and its interval, of the quotients that the test of the difference would not refuse (Fieller: Some problems
 * in interval estimation, 1954). The delta method's lies evenly around the lift, and so may hold 0 where the difference is
 * significant, and leave it out where it is not. `width` is in standard errors; with control itself no further than that
 * from 0, no lift is too large.
 */
function liftOf(
  control: Estimate,
  treatment: Estimate,
  width: number,
): { lift: number; liftInterval?: Interval } | undefined {
  if (control.value === 0) return undefined
  const quotient = treatment.value / control.value
  const lift = differenceOf(quotient, 1)
  const doubt = (width * width * errorSquared(control)) / control.value ** 2
  if (doubt >= 1) return { lift }
  const rest = 1 - doubt
  const variance =
    (rest * errorSquared(treatment) + quotient * quotient * errorSquared(control)) /
    control.value ** 2
  const half = (width * Math.sqrt(variance)) / rest
  return { lift, liftInterval: around((lift + doubt) / rest, half) }
}

function around(middle: number, width: number): Interval {
  return { low: middle - width, high: middle + width }
}
