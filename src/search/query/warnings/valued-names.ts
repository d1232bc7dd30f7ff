import type { Engine } from '../../engine/engine.ts'
import type { IndexEntry } from '../../indices/indices.ts'

/** Names that an index remembers to be those of values in documents. */
const SEEN_MAX = 1024

/**
 * Those of the names that documents of none of the indices, which must be open, have values by; an index remembers those of
 * its own. Documents may well have the field, with null, an empty list or an empty object in it.
 */
export function missing(names: string[], entries: IndexEntry[], engine: Engine): Set<string> {
  const left = new Set(names)
  for (const entry of entries) {
    if (left.size === 0) break
    const asked = [...left]
    const found = engine.hasFields(entry, asked)
    asked.forEach((name, at) => {
      if (found[at] !== 1 || !left.delete(name)) return
      if (entry.seen === undefined || entry.seen.size >= SEEN_MAX) entry.seen = new Set()
      entry.seen.add(name)
    })
  }
  return left
}

/** Whether documents of an index may have fields of which it knows nothing. */
export function hidesFields({ definition }: IndexEntry): boolean {
  return !definition.dynamic && definition.strict === undefined
}
