/** A source of numbers that look random, uniform in [0, 1). */
export type Random = () => number

const TWO_32 = 0x1_0000_0000

/**
 * A repeatable source: the same seed gives the same numbers on every machine. Each number is uniform
 * in [0, 1) with 53 bits. `seed` is any integer from 0 to 2^53 − 1. Not for secrets.
 *
 * Generator: xoshiro128** (Blackman, Vigna: Scrambled linear pseudorandom number generators, 2021), its
 * state filled by SplitMix (Steele, Lea, Flood 2014) with the 32-bit finaliser of murmur3.
 */
export function seeded(seed: number): Random {
  const fill = splitMix32((seed >>> 0) ^ Math.imul(Math.floor(seed / TWO_32), 0x85ebca6b))
  const next = xoshiro128([fill(), fill(), fill(), fill()])
  return () => ((next() >>> 5) * 0x400_0000 + (next() >>> 6)) / 0x20_0000_0000_0000
}

/** The bare generator: 32-bit integers from a state of four that are not all zero. */
export function xoshiro128(state: readonly [number, number, number, number]): () => number {
  let [a, b, c, d] = state
  return () => {
    const scaled = Math.imul(b, 5)
    const result = Math.imul((scaled << 7) | (scaled >>> 25), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << 11) | (d >>> 21)
    return result
  }
}

/** One draw of the standard Gumbel distribution: −ln(−ln u). Always finite. */
export function gumbel(random: Random): number {
  const uniform = random()
  return -Math.log(-Math.log(uniform === 0 ? 2 ** -54 : uniform))
}

function splitMix32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return (mixed ^ (mixed >>> 16)) >>> 0
  }
}
