import type { Engine } from '../../engine/engine.ts'
import type { Definition } from '../../indices/definition.ts'
import type { IndexEntry } from '../../indices/index-entry.ts'
import { SUGGESTING_MAX } from './told.ts'

/** What may be suggested, gathered for the first who wants it; fields that have words alone are no use but to a filter. */
export type KnownNames = () => {
  all: string[]
  /** Names under which not only objects stand. */
  withWords: string[]
  withValues: string[]
}

export function knownIn(entries: readonly IndexEntry[], engine: Engine): KnownNames {
  let known: ReturnType<KnownNames> | undefined
  return () => {
    if (known !== undefined) return known
    const all = new Set<string>()
    const withWords = new Set<string>()
    const withValues = new Set<string>()
    for (const entry of entries.slice(0, SUGGESTING_MAX)) {
      const { names } = entry.definition
      const words = analysed(entry.definition)
      const ofDocuments = engine.fieldNames(entry)
      const around = new Set(ofDocuments.flatMap(objectsAround))
      for (const name of [...names.keys(), ...ofDocuments]) {
        all.add(name)
        if ((names.get(name) ?? (around.has(name) ? 'objects' : 'values')) === 'objects') continue
        withWords.add(name)
        if (!words.has(name)) withValues.add(name)
      }
    }
    known = { all: [...all], withWords: [...withWords], withValues: [...withValues] }
    return known
  }
}

/** The objects that a name tells of. That one has a value in another document is rare, and costs a suggestion. */
function objectsAround(name: string): string[] {
  const found: string[] = []
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1))
    found.push(name.slice(0, dot))
  return found
}

/** Fields that have words and no value. */
function analysed({ fields }: Definition): Set<string> {
  return new Set(fields.filter(({ type }) => type === 'text').map((field) => field.name))
}
