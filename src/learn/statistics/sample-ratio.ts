import { chiSquareTail, logGamma } from './distributions.ts'

/** Unhealthy withholds every verdict: units are lost or assigned wrongly, and the arms don't compare. */
export type SampleRatioStatus = 'ok' | 'warning' | 'unhealthy' | 'insufficient_data'

export interface SampleRatio {
  status: SampleRatioStatus
  /** Always valid: at all looks together it falls below a level in at most this share of tests. Absent with insufficient data. */
  p?: number
  /** What one look alone would say: it warns only where it is far beyond its level. Absent with insufficient data. */
  chiSquare?: ChiSquare
}

/** Pearson's chi-square test of goodness of fit. */
interface ChiSquare {
  statistic: number
  degreesOfFreedom: number
  p: number
}

const SAMPLE_RATIO_LEVELS = { warning: 0.01, unhealthy: 0.001 } as const
/**
 * By chi-square alone: at most .8 % of sound tests ever fall below it that are looked at each ten units of their first
 * 5000, so that a warning stays within its level (simulated, as in the tests).
 */
const ONE_LOOK_LEVEL = 0.0003

/** Fewer units than this expected in some arm, and hardly any error could show: to say ok would say too much. */
const SAMPLE_RATIO_UNITS_MIN = 8

/**
 * What wrong shares are taken to be like: drawn from a Dirichlet distribution around the right ones, as wide as if so
 * many `units` had been seen. Three kinds: an arm that gets nothing is wrong by far and to be known at once; a share that
 * was set wrong shows in some hundred units; a pipeline that loses some is wrong by a hundredth. Of such ones, z standard
 * errors off after n units, the logarithm of the Bayes factor is about z²/2 · n/(n + k) − ½ ln(1 + n/k). The weights sum to
 * 1. Together they cost the first kind ln 10, which is four more units in a row in one of two arms, and the others ln 2.2.
 */
const ERRORS = [
  { weight: 0.1, units: 10 },
  { weight: 0.45, units: 100 },
  { weight: 0.45, units: 4000 },
] as const

/**
 * Whether the arms hold as many units as their shares say, however often that is asked: the sequential multinomial test
 * of Lindon, Malek: Anytime-valid inference for multinomial count data, 2022. Its Bayes factor of wrong shares against
 * right ones is a martingale that begins at 1 when the shares are right; p = 1 / Bayes factor (Ville 1939), and so is
 * that of the mixture here. `shares` are relative and as many as the arms. An arm is judged by the units expected of it,
 * so that one which gets none at all is found too; one without a share stays out.
 */
export function sampleRatio(units: readonly number[], shares: readonly number[]): SampleRatio {
  const whole = shares.reduce((sum, share) => sum + share, 0)
  const open = shares.flatMap((share, arm) =>
    share > 0 ? [{ units: units[arm] ?? 0, share: share / whole }] : [],
  )
  const total = open.reduce((sum, arm) => sum + arm.units, 0)
  if (open.length < 2 || open.some(({ share }) => total * share < SAMPLE_RATIO_UNITS_MIN))
    return { status: 'insufficient_data' }
  const evidence = ERRORS.map(
    ({ weight, units: seen }) => Math.log(weight) + logBayesFactor(open, total, seen),
  )
  const most = Math.max(...evidence)
  const sum = evidence.reduce((all, each) => all + Math.exp(each - most), 0)
  const p = Math.min(1, Math.exp(-most) / sum)
  const chiSquare = goodnessOfFit(open, total)
  return { status: statusOf(p, chiSquare), p, chiSquare }
}

/**
 * Σ (observed − expected)² / expected of all arms, by the chi-square distribution of one degree of freedom less than there
 * are arms (Pearson: On the criterion that a given system of deviations … can be reasonably supposed to have arisen from
 * random sampling, 1900): for one look at a time fixed beforehand.
 */
function goodnessOfFit(
  arms: readonly { units: number; share: number }[],
  total: number,
): ChiSquare {
  const statistic = arms.reduce((sum, { units, share }) => {
    const expected = total * share
    return sum + (units - expected) ** 2 / expected
  }, 0)
  const degreesOfFreedom = arms.length - 1
  return { statistic, degreesOfFreedom, p: chiSquareTail(statistic, degreesOfFreedom) }
}

/** ln of P(counts | shares around the right ones) / P(counts | the right ones): Dirichlet-multinomial over multinomial. */
function logBayesFactor(
  arms: readonly { units: number; share: number }[],
  total: number,
  seen: number,
): number {
  return arms.reduce(
    (sum, { units, share }) => {
      const before = seen * share
      return sum + logGamma(before + units) - logGamma(before) - units * Math.log(share)
    },
    logGamma(seen) - logGamma(seen + total),
  )
}

/** What withholds verdicts has to hold at all looks; a warning may go again. */
function statusOf(p: number, chiSquare: ChiSquare): SampleRatioStatus {
  if (p < SAMPLE_RATIO_LEVELS.unhealthy) return 'unhealthy'
  return p < SAMPLE_RATIO_LEVELS.warning || chiSquare.p < ONE_LOOK_LEVEL ? 'warning' : 'ok'
}
