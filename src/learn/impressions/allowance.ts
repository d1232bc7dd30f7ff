/** How much may come at once, in seconds of the rate. */
const BURST_S = 10

/** What may be written of searches that belong to nobody: a token bucket, so that a flood of them costs no more. */
export interface Allowance {
  /** Takes one; false when there is none left. */
  take: () => boolean
}

export function openAllowance(perSecond: number, clock: () => number): Allowance {
  let tokens = perSecond * BURST_S
  let filledMs = clock()
  return {
    take: () => {
      const nowMs = clock()
      // A clock that is set back takes nothing away.
      const pastMs = Math.max(0, nowMs - filledMs)
      tokens = Math.min(perSecond * BURST_S, tokens + (pastMs / 1000) * perSecond)
      filledMs = nowMs
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
  }
}
