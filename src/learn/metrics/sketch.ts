/*
 * Quantiles of any numbers within a share of their value, from counts in log-spaced buckets on both sides of zero: the
 * sketch of Masson, Rim, Lee, "DDSketch" (2019). Bucket i > 0 holds (LOWEST · GROWTH^(i−1), LOWEST · GROWTH^i],
 * bucket −i the same below zero, bucket 0 all that is nearer to zero.
 */

/** A quantile is within this share of the value that it stands for. */
const ERROR = 0.025
const GROWTH = (1 + ERROR) / (1 - ERROR)
const LOWEST = 1e-9
const HIGHEST = 1e15

/** Counts by bucket, the lowest bucket first. */
export type Sketch = [number, number][]

/** The sketch with one more value. */
export function addToSketch(sketch: Sketch, value: number): Sketch {
  const bucket = bucketOf(value)
  let at = 0
  while (at < sketch.length && (sketch[at] as [number, number])[0] < bucket) at += 1
  const here = sketch[at]
  const added: Sketch = sketch.slice()
  if (here?.[0] === bucket) added[at] = [bucket, here[1] + 1]
  else added.splice(at, 0, [bucket, 1])
  return added
}

/** The value that a share (0..1) of the values doesn't exceed; NaN without values. */
export function sketchQuantile(sketch: Sketch, share: number): number {
  let total = 0
  for (const [, count] of sketch) total += count
  const rank = Math.max(1, Math.ceil(share * total))
  let below = 0
  for (const [bucket, count] of sketch) {
    below += count
    if (below >= rank) return middleOf(bucket)
  }
  return Number.NaN
}

function bucketOf(value: number): number {
  const size = Math.min(HIGHEST, Math.abs(value))
  if (size <= LOWEST) return 0
  return Math.sign(value) * Math.max(1, Math.ceil(Math.log(size / LOWEST) / Math.log(GROWTH)))
}

function middleOf(bucket: number): number {
  if (bucket === 0) return 0
  return (Math.sign(bucket) * 2 * LOWEST * GROWTH ** Math.abs(bucket)) / (GROWTH + 1)
}
