import type { IndexEntry } from './indices.ts'
import { nearestName } from './nearest-name.ts'

/** Names that are looked at, and letters of each that are shown. */
const NAMES_MAX = 8
const NAME_MAX = 64

/**
 * What is told of `fields` of a search that bring nothing: names that strict mappings of all its indices don't have, and
 * those that look like a slip for a mapped one. Of others nothing is known, because documents may have fields that no
 * mapping names.
 */
export function unreturnedFields(
  fields: readonly string[],
  entries: readonly IndexEntry[],
): string[] {
  const unmapped = fields.filter((name) => name !== '*' && !entries.some(holds(name)))
  if (unmapped.length === 0 || entries.length === 0) return []
  const areStrict = entries.every(({ definition }) => definition.strict !== undefined)
  const known = new Set(
    entries.flatMap(({ definition }) => definition.fields.map(({ source }) => source)),
  )
  return unmapped.slice(0, NAMES_MAX).flatMap((name) => {
    const shown = name.slice(0, NAME_MAX)
    const nearest = nearestName(shown, known)
    if (nearest === undefined && !areStrict) return []
    const advice = nearest === undefined ? '' : `; "${nearest}" is`
    return [`"${shown}" of fields is mapped in none of the indices${advice}.`]
  })
}

/** Whether an index's mapping says that documents may have something under a name, or around or below it. */
function holds(name: string) {
  return ({ definition: { fields, objects, embedder } }: IndexEntry): boolean =>
    embedder.field === name ||
    fields.some(({ source }) => source === name || source.startsWith(`${name}.`)) ||
    objects.some(
      (object) => object.name === name || (object.isOpen && name.startsWith(`${object.name}.`)),
    )
}
