/** What a unit's bucket decides: whether it is in the test, or which arm it gets. */
export type Purpose = 'inclusion' | 'arm'

export const BUCKETS = 10_000

/**
 * One seed for each purpose, so that being in a test says nothing about the arm: the fractional bits of
 * √2 and √3, as in SHA-256. They are part of the published function and never change.
 */
export const ASSIGNMENT_SEEDS: Readonly<Record<Purpose, number>> = {
  inclusion: 0x6a09e667,
  arm: 0xbb67ae85,
}

export interface AssignmentRequest {
  testId: string
  /** The session's userId, else its sessionId. */
  unit: string
  /** Share of all units that are in the test, 0..1. */
  share: number
  /** Share of each arm among the units in the test; they sum to 1. The first arm is control. */
  arms: readonly number[]
}

export interface Assignment {
  inExperiment: boolean
  /** Index of the arm; 0, control, outside the test. */
  arm: number
  /** The bucket that decides the arm, 0..9999; the same whatever the shares are. */
  bucket: number
  /** The bucket that decides whether the unit is in the test. */
  inclusionBucket: number
}

/** A request and its answer, for whoever computes assignments elsewhere. */
export type AssignmentVector = AssignmentRequest & Assignment

/**
 * The arm of a unit. A pure function of its arguments: sticky, no state, the session need not exist. A
 * greater share only adds units, and never moves one to another arm.
 */
export function assign({ testId, unit, share, arms }: AssignmentRequest): Assignment {
  const inclusionBucket = bucketOf(testId, unit, 'inclusion')
  const bucket = bucketOf(testId, unit, 'arm')
  const inExperiment = inclusionBucket < Math.round(share * BUCKETS)
  if (!inExperiment) return { inExperiment, arm: 0, bucket, inclusionBucket }
  let last = -1
  const arm = bucketsOfArms(arms).findIndex((count) => {
    last += count
    return bucket <= last
  })
  return { inExperiment, arm, bucket, inclusionBucket }
}

/** The bucket of a unit, 0..9999: murmur3-32 of `testId:unit` under the purpose's seed, modulo 10 000. */
export function bucketOf(testId: string, unit: string, purpose: Purpose): number {
  return murmur3(`${testId}:${unit}`, ASSIGNMENT_SEEDS[purpose]) % BUCKETS
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

/** MurmurHash3_x86_32 (Appleby) of the text's UTF-8 bytes, as an unsigned 32-bit integer. */
export function murmur3(text: string, seed: number): number {
  const bytes = Buffer.from(text, 'utf8')
  const whole = bytes.length & ~3
  let hash = seed | 0
  for (let at = 0; at < whole; at += 4) {
    hash ^= scramble(bytes.readInt32LE(at))
    hash = (hash << 13) | (hash >>> 19)
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
  }
  let rest = 0
  for (let at = bytes.length - 1; at >= whole; at -= 1) rest = (rest << 8) | (bytes[at] ?? 0)
  hash ^= scramble(rest) ^ bytes.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

function scramble(word: number): number {
  const mixed = Math.imul(word, 0xcc9e2d51)
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593)
}

/** Worked examples of the published function; the documentation prints them and a test holds them. */
export const ASSIGNMENT_VECTORS: readonly AssignmentVector[] = [
  {
    testId: 'search-test-1',
    unit: 'user-1',
    share: 1,
    arms: [0.5, 0.5],
    inExperiment: true,
    arm: 1,
    bucket: 6836,
    inclusionBucket: 4612,
  },
  {
    testId: 'search-test-1',
    unit: 'user-2',
    share: 1,
    arms: [0.5, 0.5],
    inExperiment: true,
    arm: 0,
    bucket: 393,
    inclusionBucket: 5558,
  },
  {
    testId: 'search-test-1',
    unit: 'user-3',
    share: 0.5,
    arms: [0.5, 0.5],
    inExperiment: false,
    arm: 0,
    bucket: 7490,
    inclusionBucket: 9856,
  },
  {
    testId: 'search-test-2',
    unit: 'user-1',
    share: 1,
    arms: [0.5, 0.5],
    inExperiment: true,
    arm: 1,
    bucket: 8378,
    inclusionBucket: 106,
  },
  {
    testId: '018f6e2a-7c11-7d3e-9a40-5b6c7d8e9f00',
    unit: '018f6e2b-0001-7000-8000-000000000001',
    share: 0.1,
    arms: [0.5, 0.5],
    inExperiment: false,
    arm: 0,
    bucket: 3139,
    inclusionBucket: 2671,
  },
  {
    testId: '018f6e2a-7c11-7d3e-9a40-5b6c7d8e9f00',
    unit: '018f6e2b-0001-7000-8000-000000000002',
    share: 1,
    arms: [1 / 3, 1 / 3, 1 / 3],
    inExperiment: true,
    arm: 2,
    bucket: 8063,
    inclusionBucket: 8467,
  },
  {
    testId: 'prüfung',
    unit: 'Zoë ☕',
    share: 1,
    arms: [0.2, 0.3, 0.5],
    inExperiment: true,
    arm: 1,
    bucket: 3802,
    inclusionBucket: 8556,
  },
  {
    testId: 'a:b',
    unit: 'c',
    share: 1,
    arms: [0.9, 0.1],
    inExperiment: true,
    arm: 0,
    bucket: 4650,
    inclusionBucket: 5957,
  },
]
