import type { GateReport, TrialUnit } from '../../schema/model-record.ts'
import { type Comparison, compare } from '../statistics/compare.ts'
import { estimateOf } from '../statistics/estimate.ts'
import { addUnit, NO_UNITS, type UnitSums } from '../statistics/sums.ts'

interface ArmSums {
  searches: number
  clicked: UnitSums
  reciprocalRank: UnitSums
}

/** Searches that the model ranked, and how many it must have. */
interface Ranked {
  ranked: number
  searchesMin: number
}

/**
 * A model in its share of the users against the others: refused as soon as clicks or their places are worse for
 * certain, at all looks together; passed when that is not so after the least number of searches that it ranked, which are
 * not mostly one user's.
 */
export function judgeCanary(
  units: Iterable<TrialUnit>,
  { ranked, searchesMin }: Ranked,
): Pick<GateReport, 'outcome' | 'figures'> {
  const arms = { CANARY: emptyArm(), CONTROL: emptyArm() }
  for (const { arm, searches, clicked, reciprocalRank } of units) {
    if (searches === 0) continue
    const sums = arms[arm]
    sums.searches += searches
    sums.clicked = addUnit(sums.clicked, { x: clicked, y: searches })
    sums.reciprocalRank = addUnit(sums.reciprocalRank, { x: reciprocalRank, y: searches })
  }
  const compared = (sums: 'clicked' | 'reciprocalRank') =>
    compare({ control: arms.CONTROL[sums], treatment: arms.CANARY[sums] })
  const [ctr, mrr] = [compared('clicked'), compared('reciprocalRank')]
  const worse = isWorse(ctr) || isWorse(mrr)
  const { searches } = arms.CANARY
  // Below 50 users an arm nothing is certain, and what can't be refused can't be passed either.
  const enough = ranked >= searchesMin && ctr?.alwaysValid !== undefined
  const isOnes = [arms.CONTROL, arms.CANARY].some(
    ({ clicked }) => leverageOf(clicked) > LEVERAGE_MAX,
  )
  const outcome = worse ? 'refuse' : enough && !isOnes ? 'pass' : 'not_yet'
  const counts = { searches, ranked, controlSearches: arms.CONTROL.searches, searchesMin }
  const reason = isOnes ? { reason: 'One user makes most of the searches.' } : {}
  return { outcome, figures: { ...counts, ctr: show(ctr), mrr: show(mrr), ...reason } }
}

/** From here on one user may make half of an arm's searches: what is certain has to be twice as great. */
const LEVERAGE_MAX = 4

function leverageOf(clicked: UnitSums): number {
  return estimateOf(clicked)?.leverage ?? 1
}

function emptyArm(): ArmSums {
  return { searches: 0, clicked: NO_UNITS, reciprocalRank: NO_UNITS }
}

/** The always-valid interval of the difference lies below 0. */
function isWorse(comparison: Comparison | undefined): boolean {
  return (comparison?.alwaysValid?.high ?? 0) < 0
}

/** Plain numbers; null while there are too few users. */
function show(comparison: Comparison | undefined): Record<string, unknown> | null {
  if (comparison === undefined) return null
  const { control, treatment, units, alwaysValid } = comparison
  const users = { control: units.control, canary: units.treatment }
  return { control, canary: treatment, users, alwaysValid: alwaysValid ?? null }
}
