import type { Impression } from '../facts.ts'
import { murmur3 } from '../statistics/murmur3.ts'

/**
 * Who asked a query, as long as nobody else did: a hash of the unit, 32 bits. Words that only one person used are
 * forgotten with that person, also when retention has removed the searches that tell of it. Now and then one hash
 * stands for two people, and the other's words go, too: that does less harm than keeping words of somebody who is to
 * be forgotten.
 */
export type Asker = number

/** Nobody yet. */
export const NOBODY: Asker = -1
/** More than one, somebody unknown, or counted before askers were. */
export const SEVERAL: Asker = 0

const SEED = 0xa5ced

/** What a search says of who asked. */
export type Asked = Pick<Impression, 'unit' | 'sessionId'>

/** Who asked with one more search; who that was is looked at only while it can make a difference. */
export function withAsker(asker: Asker, asked: Asked): Asker {
  return asker === SEVERAL ? SEVERAL : joinAskers(asker, askerOf(asked))
}

/** A session that is known no more counts by itself. */
export function askerOf({ unit, sessionId }: Asked): Asker {
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

/** One search is counted in several rows, one after the other. */
let last: { name: string; hash: Asker } | undefined

function hashOf(name: string): Asker {
  if (last?.name !== name) last = { name, hash: murmur3(name, SEED) || 1 }
  return last.hash
}
