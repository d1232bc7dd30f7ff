import type { Random } from '../../../src/learn/statistics/random.ts'

/** One draw of the standard normal distribution (Box, Muller 1958; takes two uniforms a draw). */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
