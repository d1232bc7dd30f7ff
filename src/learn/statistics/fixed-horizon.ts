import { NORMAL_80, NORMAL_975, normalTails } from './distributions.ts'
import { contrastOf, differenceOf, type Estimate, errorSquared, type Interval } from './estimate.ts'

/** A comparison read once, at an end that was fixed beforehand. */
export interface FixedHorizon {
  /** Treatment − control, in the metric's unit. */
  difference: number
  /** 95 % interval of the difference. */
  interval: Interval
  /** (treatment − control) / control; absent when control is 0. */
  lift?: number
  /** 95 % interval of the lift. */
  liftInterval?: Interval
  /** Two-sided. */
  p: number
}

export interface DetectableEffect {
  difference: number
  /** As a share of control; absent when control is 0. */
  lift?: number
}

/** Two-sided test of treatment against control: the normal distribution under the delta method's variances. */
export function fixedHorizon(control: Estimate, treatment: Estimate): FixedHorizon {
  const { difference, standardError } = contrastOf(control, treatment)
  return {
    difference,
    interval: around(difference, NORMAL_975 * standardError),
    ...liftOf(control, treatment),
    p: difference === 0 ? 1 : normalTails(difference / standardError),
  }
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

/** Relative lift; its variance by the delta method for a quotient of independent means. */
function liftOf(
  control: Estimate,
  treatment: Estimate,
): { lift: number; liftInterval: Interval } | undefined {
  if (control.value === 0) return undefined
  const quotient = treatment.value / control.value
  const variance =
    (errorSquared(treatment) + quotient * quotient * errorSquared(control)) / control.value ** 2
  const lift = differenceOf(quotient, 1)
  return { lift, liftInterval: around(lift, NORMAL_975 * Math.sqrt(variance)) }
}

function around(middle: number, width: number): Interval {
  return { low: middle - width, high: middle + width }
}
