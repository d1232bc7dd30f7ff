import { nearestName } from '../../../nearest-name.ts'
import { shownName } from '../../../word.ts'
import type { IndexEntry } from '../../indices/indices.ts'
import { instead } from './told.ts'

/** Names that are looked at. */
const NAMES_MAX = 8

/**
 * Tells of names in `fields` that bring nothing: those that strict mappings of all the indices don't have, and those that
 * look like a slip for a mapped one. Of others nothing is known, because documents may have fields that no mapping names.
 */
export function unreturnedFields(
  fields: readonly string[],
  entries: readonly IndexEntry[],
  told: string[],
): void {
  const isUnmapped = (name: string) => name !== '*' && !isHeld(name, entries)
  if (!fields.some(isUnmapped)) return
  const unmapped = fields.filter(isUnmapped)
  const areStrict = entries.every(({ definition }) => definition.strict !== undefined)
  const known = new Set(
    entries.flatMap(({ definition }) => definition.fields.map(({ source }) => source)),
  )
  for (const name of unmapped.slice(0, NAMES_MAX)) {
    const nearest = nearestName(shownName(name), known)
    if (nearest === undefined && !areStrict) continue
    const meant = instead(nearest, 'is')
    told.push(`"${shownName(name)}" of fields is mapped in none of the indices${meant}`)
  }
}

/** Whether a mapping says that documents of one of the indices may have something under a name, or around or below it. */
function isHeld(name: string, entries: readonly IndexEntry[]): boolean {
  for (const { definition } of entries) {
    const { fields, objects, embedder } = definition
    if (embedder.field === name) return true
    for (const { source } of fields) if (isAtOrBelow(source, name)) return true
    for (const object of objects)
      if (object.name === name || (object.isOpen && isAtOrBelow(name, object.name))) return true
  }
  return false
}

function isAtOrBelow(path: string, place: string): boolean {
  return path.startsWith(place) && (path.length === place.length || path[place.length] === '.')
}
