import type { Random } from '../src/learn/statistics/random.ts'

/** What simulated people think of hits. */
export interface Taste {
  isRelevant: (id: string) => boolean
  /** Chance that somebody who looks at a hit that is not relevant clicks it all the same. */
  noise: number
  /** Position p is looked at with probability 1/p^eta. */
  eta: number
}

/**
 * One simulated user under the position-based model (Craswell, Zoeter, Taylor, Ramsey 2008): position p is looked at
 * with probability 1/p^η; what is looked at is clicked when it is relevant, and sometimes when it is not. Answers the
 * 0-based places that were clicked.
 */
export function simulateClicks(
  shown: readonly string[],
  { isRelevant, noise, eta }: Taste,
  random: Random,
): number[] {
  return shown.flatMap((id, place) => {
    const isExamined = random() < (place + 1) ** -eta
    const wouldClick = random() < (isRelevant(id) ? 1 : noise)
    return isExamined && wouldClick ? [place] : []
  })
}
