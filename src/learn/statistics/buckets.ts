import { ASSIGNMENT_SEEDS, BUCKETS, type Purpose } from '../../schema/assignment.ts'
import { murmur3 } from './murmur3.ts'

export { BUCKETS } from '../../schema/assignment.ts'

/**
 * The bucket of a unit in a test, or in whatever else bears a name, 0..9999: murmur3-32 of `name:unit`
 * under the purpose's seed, modulo 10 000.
 */
export function bucketOf(name: string, unit: string, purpose: Purpose): number {
  return murmur3(`${name}:${unit}`, ASSIGNMENT_SEEDS[purpose]) % BUCKETS
}
