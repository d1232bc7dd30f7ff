import { chiSquareTail } from './distributions.ts'

/** Unhealthy withholds every verdict: units are lost or assigned wrongly, and the arms don't compare. */
export type SampleRatioStatus = 'ok' | 'warning' | 'unhealthy' | 'insufficient_data'

export interface SampleRatio {
  status: SampleRatioStatus
  /** Absent with insufficient data. */
  p?: number
  chiSquare?: number
}

const SAMPLE_RATIO_LEVELS = { warning: 0.01, unhealthy: 0.001 } as const

/** Fewer units than this expected in some arm, and the chi-square distribution isn't trusted. */
const SAMPLE_RATIO_UNITS_MIN = 8

/**
 * Whether the arms hold as many units as their shares say: chi-square goodness of fit (Pearson 1900; as
 * a sample-ratio check: Fabijan et al. 2019). `shares` are relative and as many as the arms. An arm
 * is judged by the units expected of it, so that one which gets none at all is found too.
 */
export function sampleRatio(units: readonly number[], shares: readonly number[]): SampleRatio {
  const total = units.reduce((sum, count) => sum + count, 0)
  const whole = shares.reduce((sum, share) => sum + share, 0)
  const open = shares.flatMap((share, arm) => (share > 0 ? [arm] : []))
  const expected = open.map((arm) => (total * (shares[arm] ?? 0)) / whole)
  if (open.length < 2 || expected.some((count) => count < SAMPLE_RATIO_UNITS_MIN))
    return { status: 'insufficient_data' }
  const chiSquare = expected.reduce(
    (sum, count, index) => sum + ((units[open[index] ?? 0] ?? 0) - count) ** 2 / count,
    0,
  )
  const p = chiSquareTail(chiSquare, open.length - 1)
  return { status: statusOf(p), p, chiSquare }
}

function statusOf(p: number): SampleRatioStatus {
  if (p < SAMPLE_RATIO_LEVELS.unhealthy) return 'unhealthy'
  return p < SAMPLE_RATIO_LEVELS.warning ? 'warning' : 'ok'
}
