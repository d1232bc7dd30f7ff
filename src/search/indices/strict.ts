import { isObject } from '../../object.ts'
import { openWithin } from './dotted.ts'

/** What a strict mapping names. */
export interface StrictNames {
  /** Fields, by dotted path. */
  whole: ReadonlySet<string>
  /** Objects whose fields it names. */
  around: ReadonlySet<string>
  /** Whether a path is, or lies inside of, an object that may hold any. */
  isOpen: (path: string) => boolean
}

/** What of a definition has a name. */
interface Named {
  fields: readonly { source: string }[]
  objects: readonly { name: string; isOpen: boolean }[]
  embedder: { field?: string }
}

/** Gathered once for a mapping: each document is held against it. */
export function strictNames({ fields, objects, embedder }: Named): StrictNames {
  const whole = new Set(fields.map(({ source }) => source))
  if (embedder.field !== undefined) whole.add(embedder.field)
  return {
    whole,
    around: new Set(objects.filter(({ isOpen }) => !isOpen).map(({ name }) => name)),
    isOpen: openWithin(objects.filter(({ isOpen }) => isOpen).map(({ name }) => name)),
  }
}

/** The path of a field that is not named, if there is one. It may still be removed, which changes nothing. */
export function findUnnamed(
  source: Record<string, unknown>,
  names: StrictNames,
  prefix = '',
): string | undefined {
  for (const [key, value] of Object.entries(source)) {
    const path = prefix + key
    const isNamed = names.whole.has(path) || names.isOpen(path)
    if (value === null || isNamed) continue
    if (!names.around.has(path)) return path
    for (const inner of [value].flat()) {
      const found = isObject(inner) ? findUnnamed(inner, names, `${path}.`) : undefined
      if (found !== undefined) return found
    }
  }
  return undefined
}
