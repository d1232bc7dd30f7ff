import { ALWAYS_VALID_UNITS_MIN, type AlwaysValid, alwaysValid } from './always-valid.ts'
import { estimateOf } from './estimate.ts'
import type { Random } from './random.ts'
import type { UnitSums } from './sums.ts'

export type Team = 'a' | 'b'

const OTHER: Readonly<Record<Team, Team>> = { a: 'b', b: 'a' }

export interface TeamDraft {
  list: string[]
  /** Which ranking supplied the hit at each place. */
  teams: Team[]
  /** So many places, from the first, are to be credited to their team. */
  credited: number
}

/**
 * Mixes two rankings into one of at most `size` hits: the ranking with fewer picks, or at a tie the winner
 * of a coin, adds its best hit that isn't in the list (team draft: Radlinski, Kurup, Joachims 2008). When
 * one has nothing left, the other goes on alone, without credit: there the paper's list ends. Credit ends with the
 * last round that both are sure to play, however the coins before it fell, or where it ends would favour one of them.
 */
export function teamDraft(
  a: readonly string[],
  b: readonly string[],
  random: Random,
  size: number,
): TeamDraft {
  const left = { a: new Set(a), b: new Set(b) }
  const list: string[] = []
  const teams: Team[] = []
  let lead = 0
  let credited = 0
  // Each hit in the list may be one of either: whose it was must not matter.
  const shortest = Math.min(left.a.size, left.b.size)
  let isFair = true
  while (list.length < size && left.a.size + left.b.size > 0) {
    if (lead === 0) isFair &&= shortest - list.length >= Math.min(2, size - list.length)
    const fewer = lead < 0 || (lead === 0 && random() < 0.5) ? 'a' : 'b'
    const team = left[fewer].size > 0 ? fewer : OTHER[fewer]
    const [hit = ''] = left[team]
    for (const hits of [left.a, left.b]) hits.delete(hit)
    list.push(hit)
    teams.push(team)
    lead += team === 'a' ? 1 : -1
    if (isFair) credited += 1
  }
  return { list, teams, credited }
}

/**
 * Who won one search: 1 when team b's hits got more clicks, −1 when team a's did, 0 at a tie. `teams` hold the team to
 * be credited at each place, if any; `clicked` are the 0-based places clicked, each once.
 */
export function winnerOf(teams: ArrayLike<string>, clicked: readonly number[]): -1 | 0 | 1 {
  let lead = 0
  for (const place of clicked) {
    if (teams[place] === 'b') lead += 1
    if (teams[place] === 'a') lead -= 1
  }
  return Math.sign(lead) as -1 | 0 | 1
}

export interface Preference {
  /** Wins of b less wins of a over all decided searches: −1, always a, to 1, always b. */
  preference: number
  units: number
  /** Absent below 50 units. */
  alwaysValid?: AlwaysValid
  significant: boolean
}

/**
 * Which ranking users prefer. Per unit x is its wins of b less its wins of a and y its decided searches
 * (those with a winner); units without one stay out. Undefined until two units have decided.
 */
export function preferenceOf(sums: UnitSums): Preference | undefined {
  const estimate = estimateOf(sums)
  if (estimate === undefined) return undefined
  const { units, value, variance, leverage = 1 } = estimate
  if (units < ALWAYS_VALID_UNITS_MIN) return { preference: value, units, significant: false }
  const standardError = Math.sqrt((leverage * variance) / units)
  const sequence = alwaysValid({ units, difference: value, standardError })
  const significant = sequence.low > 0 || sequence.high < 0
  return { preference: value, units, alwaysValid: sequence, significant }
}
