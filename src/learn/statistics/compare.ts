import {
  ALWAYS_VALID_UNITS_MIN,
  type AlwaysValid,
  alwaysValid,
  steadyContrast,
} from './always-valid.ts'
import { estimateOf } from './estimate.ts'
import {
  type DetectableEffect,
  detectableEffect,
  type FixedHorizon,
  fixedHorizon,
} from './fixed-horizon.ts'
import type { UnitSums } from './sums.ts'

export interface ComparisonRequest {
  control: UnitSums
  treatment: UnitSums
}

/** One metric of a treatment against control. */
export interface Comparison extends FixedHorizon {
  control: number
  treatment: number
  units: { control: number; treatment: number }
  /** Holds however often it is read; absent below 50 units an arm. */
  alwaysValid?: AlwaysValid
  /** With the units and the variance so far. */
  minimumDetectableEffect: DetectableEffect
}

/** Undefined until each arm has two units and a denominator. */
export function compare({ control, treatment }: ComparisonRequest): Comparison | undefined {
  const before = estimateOf(control)
  const after = estimateOf(treatment)
  if (before === undefined || after === undefined) return undefined
  const units = { control: before.units, treatment: after.units }
  const enough = Math.min(before.units, after.units) >= ALWAYS_VALID_UNITS_MIN
  const sequence = enough ? alwaysValid(steadyContrast(before, after)) : undefined
  return {
    control: before.value,
    treatment: after.value,
    units,
    ...fixedHorizon(before, after),
    ...(sequence && { alwaysValid: sequence }),
    minimumDetectableEffect: detectableEffect(before, after),
  }
}
