import {
  type Contrast,
  contrastOf,
  differenceOf,
  type Estimate,
  type Interval,
} from './estimate.ts'

/**
 * An interval and a p value that hold at all looks together: however often the test is read and
 * whenever it is stopped, the interval misses the truth in at most 5 % of tests.
 */
export interface AlwaysValid extends Interval {
  /** Below .05 exactly when the interval excludes 0. The smallest one of all looks is valid too. */
  p: number
}

/** The two-sided sequence is narrowest when this many units have been seen, in both arms together. */
const TUNED_UNITS = 5000
/** Until the fixed point is exact in doubles. */
const TUNING_STEPS = 30

/** Below this many units an arm the normal approximation isn't trusted and nothing is said. */
export const ALWAYS_VALID_UNITS_MIN = 50

const ALWAYS_VALID_LEVEL = 0.05
/** ρ² of either sequence. The one-sided one takes the other's at twice the level, and is .01 % wider than its own narrowest. */
const TWO_SIDED = tuned(ALWAYS_VALID_LEVEL)
const ONE_SIDED = tuned(2 * ALWAYS_VALID_LEVEL)

/** An arm's own variance weighs as much as what both arms say once it has this many units. */
const STEADY_UNITS = 500

/**
 * Asymptotic confidence sequence of a difference that is 0 when nothing changed, after n units:
 * ± s.e. · √(2 (1 + 1/(nρ²)) · ln(√(nρ² + 1) / α)), the Gaussian mixture boundary of Waudby-Smith, Arbour,
 * Sinha, Kennedy, Ramdas: Time-uniform central limit theory and asymptotic confidence sequences, 2024.
 * For two arms n counts both, and s.e. · √n is the deviation of one unit's part in the difference.
 * It holds for units that come one after another; a unit that goes on counting after it was added
 * makes it an approximation.
 */
export function alwaysValid({ units, difference, standardError }: Contrast): AlwaysValid {
  const spread = units * TWO_SIDED
  const room = (2 * (spread + 1)) / spread
  const width =
    standardError * Math.sqrt(room * Math.log(Math.sqrt(spread + 1) / ALWAYS_VALID_LEVEL))
  const evidence = difference === 0 ? 0 : (difference / standardError) ** 2 / room
  return {
    low: difference - width,
    high: difference + width,
    p: Math.min(1, Math.sqrt(spread + 1) * Math.exp(-evidence)),
  }
}

/**
 * Treatment − `factor` · control for a sequence that starts with few units. A small arm where nothing
 * happened yet has no variance and would be certain of everything, so a variance below the pooled one
 * is drawn up to it, the less the more units the arm has. A large arm keeps its own. Nor is it certain of what one unit
 * says that searches more than all others: decisions count the leverage of units, intervals at a fixed end do not.
 */
export function steadyContrast(control: Estimate, treatment: Estimate, factor = 1): Contrast {
  const pooled = pooledVariance(control, treatment)
  return contrastOf(steady(control, pooled), steady(treatment, pooled), factor)
}

function pooledVariance(control: Estimate, treatment: Estimate): number {
  const units = control.units + treatment.units
  return (control.units * control.variance + treatment.units * treatment.variance) / units
}

function steady(estimate: Estimate, pooled: number): Estimate {
  const missing = Math.max(0, pooled - estimate.variance)
  const share = STEADY_UNITS / (STEADY_UNITS + estimate.units)
  const { leverage = 1 } = estimate
  return { ...estimate, variance: leverage * (estimate.variance + share * missing) }
}

export interface GuardrailRequest {
  control: Estimate
  treatment: Estimate
  /** The direction that does harm: a decrease of clicks, an increase of latency. */
  harm: 'decrease' | 'increase'
  /** The share of control that may be lost, 0..1; .05 lets 5 % go. 0 by default. */
  tolerance?: number
}

export interface Guardrail {
  /** Harm beyond the tolerance is certain at the 5 % level, at all looks together. */
  breached: boolean
  /** Always valid, one-sided. */
  p: number
  /** At least this much harm beyond the tolerance, in the metric's unit; negative while none is sure. */
  harmAtLeast: number
}

/**
 * Whether a treatment harms more than tolerated; undefined with too few units. The one-sided sequence of
 * the paper above: lower bound − s.e. · √(2 (1 + 1/(nρ²)) · ln(1 + √(nρ² + 1) / (2α))).
 */
export function guardrail(request: GuardrailRequest): Guardrail | undefined {
  const { control, treatment, harm, tolerance = 0 } = request
  if (Math.min(control.units, treatment.units) < ALWAYS_VALID_UNITS_MIN) return undefined
  const sign = harm === 'increase' ? 1 : -1
  const factor = 1 + sign * tolerance
  return oneSided(steadyContrast(control, treatment, factor), sign)
}

export interface LimitRequest {
  /** Whose variance a small treatment's is drawn up to, as in every comparison. */
  control?: Estimate | undefined
  treatment: Estimate
  harm: 'decrease' | 'increase'
  /** The value that may be reached, in the metric's unit. */
  limit: number
}

/** Whether a treatment lies beyond a fixed limit: the same test of one arm alone; undefined with too few units. */
export function limitGuardrail(request: LimitRequest): Guardrail | undefined {
  const { treatment, control = treatment, harm, limit } = request
  if (treatment.units < ALWAYS_VALID_UNITS_MIN) return undefined
  const { variance, units } = steady(treatment, pooledVariance(control, treatment))
  const standardError = Math.sqrt(variance / units)
  const sign = harm === 'increase' ? 1 : -1
  const difference = differenceOf(treatment.value, limit)
  return oneSided({ units, difference, standardError }, sign)
}

function oneSided({ units, difference, standardError }: Contrast, sign: 1 | -1): Guardrail {
  const spread = units * ONE_SIDED
  const room = (2 * (spread + 1)) / spread
  const root = Math.sqrt(spread + 1)
  const width = standardError * Math.sqrt(room * Math.log1p(root / (2 * ALWAYS_VALID_LEVEL)))
  const harmDone = sign * difference
  const evidence = harmDone > 0 ? (harmDone / standardError) ** 2 / room : 0
  const harmAtLeast = harmDone - width
  return {
    breached: harmAtLeast > 0,
    p: Math.min(1, root / (2 * Math.expm1(evidence))),
    harmAtLeast,
  }
}

/**
 * ρ² for which the two-sided sequence is narrowest at the tuned units. After n of them its width grows with
 * (s + 1)/s · ln((s + 1)/α²) in s = nρ², which is least where s = ln((s + 1)/α²); each step of that fixed point leaves
 * less than a fifth of the error. (The paper's closed form, −2 ln α + ln(−2 ln α) + 1, comes near it.)
 */
function tuned(level: number): number {
  let spread = -2 * Math.log(level)
  for (let step = 0; step < TUNING_STEPS; step += 1)
    spread = Math.log1p(spread) - 2 * Math.log(level)
  return spread / TUNED_UNITS
}
