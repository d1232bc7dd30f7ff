import type { Engine } from '../../engine/engine.ts'
import type { Under } from '../../indices/definition.ts'
import type { IndexEntry } from '../../indices/index-entry.ts'

/** Names of which an index remembers what its documents have under them. */
const SEEN_MAX = 1024
/** By the core's numbers. */
const UNDER = ['nothing', 'values', 'objects', 'words'] as const

/** What documents have under a name that no mapping has, and where no value is a number. */
export type Numberless = 'nothing' | 'objects' | 'words'

/**
 * The names under which no document of these indices has a value, or none that is a number, and what there is instead. The
 * indices must be open; each remembers what it found. Documents may well have the field, with null, an empty list or
 * an empty object in it.
 */
export function numberless(
  names: string[],
  entries: IndexEntry[],
  engine: Engine,
): Map<string, Numberless> {
  const left = new Map(names.map((name) => [name, 'nothing' as Numberless]))
  for (const entry of entries) {
    if (left.size === 0) break
    const asked = [...left.keys()]
    const found = engine.underNames(entry, asked)
    asked.forEach((name, at) => {
      const under = UNDER[found[at] ?? 0] ?? 'nothing'
      if (under === 'nothing') return
      remember(entry, name, under)
      if (under === 'values') left.delete(name)
      else if (left.get(name) !== 'words') left.set(name, under)
    })
  }
  return left
}

/** The names under which no document of these indices, which must be open, has anything. */
export function missing(names: string[], entries: IndexEntry[], engine: Engine): Set<string> {
  const left = [...numberless(names, entries, engine)]
  return new Set(left.filter(([, under]) => under === 'nothing').map(([name]) => name))
}

function remember(entry: IndexEntry, name: string, under: Under): void {
  if (entry.seen === undefined || entry.seen.size >= SEEN_MAX) entry.seen = new Map()
  entry.seen.set(name, under)
}

/** Whether documents of an index may have fields of which it knows nothing. */
export function hidesFields({ definition }: IndexEntry): boolean {
  return !definition.dynamic && definition.strict === undefined
}
