/** A quality of learning: a share (0..1), null while there is too little data. */
export interface Score {
  score: number | null
  /** GOOD, FAIR, POOR, or INSUFFICIENT_DATA. */
  status: string
  /** What the score was made from; what these are depends on it. */
  samples: number
}

/** `good` and `fair` are the least scores that are called so. */
export function scoreOf(
  value: number | undefined,
  samples: number,
  { good, fair }: { good: number; fair: number },
): Score {
  if (value === undefined) return { score: null, status: 'INSUFFICIENT_DATA', samples }
  const score = Math.round(Math.max(0, Math.min(1, value)) * 10_000) / 10_000
  if (score >= good) return { score, status: 'GOOD', samples }
  return { score, status: score >= fair ? 'FAIR' : 'POOR', samples }
}
