export interface ShareLimitRequest {
  /** How many of all have what is counted; both may be fractions. */
  count: number
  of: number
  /** The share that may be reached, between 0 and 1. */
  limit: number
  harm: 'decrease' | 'increase'
}

export interface ShareLimit {
  /** The share lies beyond its limit, which is certain at the 5 % level, at all looks together. */
  breached: boolean
  /** Always valid, one-sided. */
  p: number
}

const LEVEL = 0.05
/** The alternatives: odds that are 2, 4, 8, … times those of the limit, each as likely as the others. */
const DOUBLINGS = 10
/** Halvings of the range in which the bound lies. */
const BOUND_STEPS = 40

/**
 * Whether a share lies beyond a limit, exactly, from the first observation on. The evidence is a mixture of likelihood
 * ratios against the limit, which no share within it makes grow, so that 1 / evidence is a p value at all looks together
 * (Ville 1939; Howard, Ramdas, McAuliffe, Sekhon: Time-uniform, nonparametric, nonasymptotic confidence sequences, 2021).
 */
export function beyondShare(request: ShareLimitRequest): ShareLimit {
  const p = Math.min(1, Math.exp(-evidenceAgainst(request.limit, request)))
  return { breached: p < LEVEL, p }
}

/** The share is at least this (an increase), or at most this, by the same evidence: what lies beyond is refuted. */
export function boundOfShare({ count, of, harm }: Omit<ShareLimitRequest, 'limit'>): number {
  if (of === 0) return harm === 'increase' ? 0 : 1
  let [refuted, possible] = [harm === 'increase' ? 0 : 1, count / of]
  for (let step = 0; step < BOUND_STEPS; step += 1) {
    const share = (refuted + possible) / 2
    if (evidenceAgainst(share, { count, of, harm }) > -Math.log(LEVEL)) refuted = share
    else possible = share
  }
  return refuted
}

/** The logarithm of the evidence against a limit. */
function evidenceAgainst(
  limit: number,
  { count, of, harm }: Omit<ShareLimitRequest, 'limit'>,
): number {
  const others = of - count
  const odds = limit / (1 - limit)
  const ratios = Array.from({ length: DOUBLINGS }, (_, at) => {
    const other = harm === 'increase' ? odds * 2 ** (at + 1) : odds / 2 ** (at + 1)
    // (p / limit)^count · ((1 - p) / (1 - limit))^others, of the odds of both.
    return count * Math.log(other / odds) + (count + others) * Math.log((1 + odds) / (1 + other))
  })
  const most = Math.max(...ratios)
  const sum = ratios.reduce((total, ratio) => total + Math.exp(ratio - most), 0)
  return most + Math.log(sum / DOUBLINGS)
}
