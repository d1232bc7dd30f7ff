import type { Interval } from './estimate.ts'
import { seeded } from './random.ts'

const RESAMPLES = 1000

/** More units than this are first summed into so many groups, which bounds the work of a resample. */
export const GROUPS_MAX = 2000

/**
 * Percentile bootstrap (Efron 1979), 95 %: draws as many rows as there are, with replacement, sums each
 * column and hands the sums to `statistic`, 1000 times. A column has one value for each row, and rows
 * are independent units or groups of them. The same seed gives the same interval.
 */
export function resample(
  columns: readonly Float64Array[],
  seed: number,
  statistic: (sums: readonly number[]) => number,
): Interval {
  const rows = columns[0]?.length ?? 0
  const random = seeded(seed)
  const drawn = new Float64Array(rows)
  const values = new Float64Array(RESAMPLES)
  for (let sample = 0; sample < RESAMPLES; sample += 1) {
    drawn.fill(0)
    for (let draw = 0; draw < rows; draw += 1) {
      const row = Math.floor(random() * rows)
      drawn[row] = (drawn[row] ?? 0) + 1
    }
    values[sample] = statistic(columns.map((column) => dot(column, drawn)))
  }
  values.sort()
  return { low: values[RESAMPLES * 0.025] ?? 0, high: values[RESAMPLES * 0.975 - 1] ?? 0 }
}

/**
 * The columns with units summed into at most 2 000 groups, by turns. Groups of independent units are
 * independent, and a statistic of sums has the same distribution over them (Chamandy et al. 2012).
 */
export function groupUnits(columns: readonly Float64Array[]): Float64Array[] {
  return columns.map((column) => {
    if (column.length <= GROUPS_MAX) return column
    const groups = new Float64Array(GROUPS_MAX)
    for (const [unit, value] of column.entries()) {
      const group = unit % GROUPS_MAX
      groups[group] = (groups[group] ?? 0) + value
    }
    return groups
  })
}

function dot(first: Float64Array, second: Float64Array): number {
  let sum = 0
  for (let row = 0; row < first.length; row += 1) sum += (first[row] ?? 0) * (second[row] ?? 0)
  return sum
}
