import { NORMAL_80, NORMAL_975, studentCritical, studentTails } from './distributions.ts'
import {
  contrastOf,
  type Estimate,
  errorSquared,
  type Interval,
  type MetricKind,
} from './estimate.ts'

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

const LEVEL = 0.05

/**
 * Two-sided test of treatment against control. Means: Welch 1947 with Satterthwaite's degrees of
 * freedom. Ratios: the delta method's variances and the normal distribution (Deng, Knoblich, Lu 2018).
 */
export function fixedHorizon(
  control: Estimate,
  treatment: Estimate,
  kind: MetricKind,
): FixedHorizon {
  const { difference, standardError } = contrastOf(control, treatment)
  const degrees = kind === 'mean' ? degreesOf(control, treatment) : Number.POSITIVE_INFINITY
  const critical = studentCritical(LEVEL, degrees)
  return {
    difference,
    interval: around(difference, critical * standardError),
    ...liftOf(control, treatment, critical),
    p: difference === 0 ? 1 : studentTails(difference / standardError, degrees),
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
  critical: number,
): { lift: number; liftInterval: Interval } | undefined {
  if (control.value === 0) return undefined
  const quotient = treatment.value / control.value
  const variance =
    (errorSquared(treatment) + quotient * quotient * errorSquared(control)) / control.value ** 2
  const lift = quotient - 1
  return { lift, liftInterval: around(lift, critical * Math.sqrt(variance)) }
}

function degreesOf(control: Estimate, treatment: Estimate): number {
  const first = errorSquared(control)
  const second = errorSquared(treatment)
  const degrees =
    (first + second) ** 2 / (first ** 2 / (control.units - 1) + second ** 2 / (treatment.units - 1))
  return Number.isNaN(degrees) ? control.units + treatment.units - 2 : degrees
}

function around(middle: number, width: number): Interval {
  return { low: middle - width, high: middle + width }
}
