import { murmur3 } from '../assignment.ts'
import type { Impression } from '../facts.ts'

/**
 * Who asked a query as long as nobody else did: a hash of the unit, 32 bits. Words that one alone used go with them, also
 * when retention has removed the searches that tell of it. Now and then a hash stands for two people, and words that the
 * other one alone used go, too: that does less harm than words of somebody who is forgotten.
 */
export type Asker = number

/** Nobody yet. */
export const NOBODY: Asker = -1
/** More than one, somebody unknown, or counted before askers were. */
export const SEVERAL: Asker = 0

const SEED = 0xa5ced

/** A session that is known no more counts by itself. */
export function askerOf({ unit, sessionId }: Pick<Impression, 'unit' | 'sessionId'>): Asker {
  const name = unit ?? sessionId
  return name === undefined ? SEVERAL : hashOf(name)
}

export function askersNamed(names: Iterable<string>): Set<Asker> {
  return new Set(Array.from(names, hashOf))
}

/** Who asked what both asked. */
export function joinAskers(one: Asker, other: Asker): Asker {
  if (one === NOBODY || one === other) return other
  return other === NOBODY ? one : SEVERAL
}

function hashOf(name: string): Asker {
  return murmur3(name, SEED) || 1
}
