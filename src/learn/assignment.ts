import {
  ASSIGNMENT_SEEDS,
  type Assignment,
  type AssignmentRequest,
  BUCKETS,
  type Purpose,
} from '../schema/assignment.ts'

export { BUCKETS } from '../schema/assignment.ts'

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

const ENCODER = new TextEncoder()
/** Bytes of the text that is hashed; a buffer for each would take longer than to hash them. */
const SCRATCH = new Uint8Array(1024)
/** UTF-8 bytes that one UTF-16 unit takes at most. */
const UNIT_BYTES_MAX = 3

/** MurmurHash3_x86_32 (Appleby) of the text's UTF-8 bytes, as an unsigned 32-bit integer. */
export function murmur3(text: string, seed: number): number {
  const bytesMax = UNIT_BYTES_MAX * text.length
  const bytes = bytesMax <= SCRATCH.length ? SCRATCH : new Uint8Array(bytesMax)
  const { written } = ENCODER.encodeInto(text, bytes)
  const whole = written & ~3
  let hash = seed | 0
  for (let at = 0; at < whole; at += 4) {
    hash ^= scramble(wordOf(bytes, at, at + 4))
    hash = (hash << 13) | (hash >>> 19)
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
  }
  hash ^= scramble(wordOf(bytes, whole, written)) ^ written
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** At most four bytes as a little-endian word. */
function wordOf(bytes: Uint8Array, from: number, until: number): number {
  let word = 0
  for (let at = until - 1; at >= from; at -= 1) word = (word << 8) | (bytes[at] as number)
  return word
}

function scramble(word: number): number {
  const mixed = Math.imul(word, 0xcc9e2d51)
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593)
}
