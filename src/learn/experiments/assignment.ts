import type { UnitAssignment } from '../../schema/assignment.ts'
import { BUCKETS, bucketOf } from '../statistics/buckets.ts'

/** A test's shares in buckets, worked out once for all units. */
export interface ShareBuckets {
  /** Inclusion buckets below it are in the test. */
  included: number
  /** First arm bucket behind each arm. */
  ends: number[]
}

/** `share` is that of all units which are in the test, `arms` are the shares among these. */
export function bucketsOfShares(share: number, arms: readonly number[]): ShareBuckets {
  let end = 0
  const ends = bucketsOfArms(arms).map((count) => {
    end += count
    return end
  })
  return { included: Math.round(share * BUCKETS), ends }
}

/**
 * The arm of a unit. A pure function of its arguments: sticky, no state, the session need not exist. A
 * greater share only adds units, and never moves one to another arm.
 */
export function assign(
  testId: string,
  unit: string,
  { included, ends }: ShareBuckets,
): UnitAssignment {
  const inclusionBucket = bucketOf(testId, unit, 'inclusion')
  const bucket = bucketOf(testId, unit, 'arm')
  const inExperiment = inclusionBucket < included
  const arm = inExperiment ? ends.findIndex((end) => bucket < end) : 0
  return { inExperiment, arm, bucket, inclusionBucket }
}

/**
 * How many of the 10 000 buckets each arm holds, lowest buckets to the first arm. Largest remainder
 * (Hamilton): the counts sum to exactly 10 000, and each is within one of its share.
 */
export function bucketsOfArms(arms: readonly number[]): number[] {
  const total = arms.reduce((sum, share) => sum + share, 0)
  if (!(total > 0) || arms.some((share) => share < 0))
    throw new RangeError('The shares of the arms must be positive.')
  const exact = arms.map((share) => Number(((share / total) * BUCKETS).toFixed(6)))
  const counts = exact.map(Math.floor)
  const missing = BUCKETS - counts.reduce((sum, count) => sum + count, 0)
  const byRemainder = exact
    .map((value, arm) => ({ arm, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.arm - b.arm)
  for (const { arm } of byRemainder.slice(0, missing)) counts[arm] = (counts[arm] ?? 0) + 1
  return counts
}
