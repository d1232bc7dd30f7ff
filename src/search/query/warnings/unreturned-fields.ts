import { nearestName } from '../../../nearest-name.ts'
import { shownName } from '../../../word.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Definition } from '../../indices/definition.ts'
import type { IndexEntry } from '../../indices/index-entry.ts'
import { missingSubField } from './missing-sub-field.ts'
import { indicesText, instead, SUGGESTING_MAX, tell, type Warned } from './told.ts'
import { hidesFields, missing } from './valued-names.ts'

/** Names that are looked at. */
const NAMES_MAX = 8

const NONE: readonly string[] = []

/** Names in `fields` that no mapping has a place for, and of which no document with a value is known yet. */
export function unreturnedFields(
  fields: readonly string[] | undefined,
  entries: readonly IndexEntry[],
): readonly string[] {
  if (fields === undefined || entries.length === 0) return NONE
  const isUnknown = (name: string) => name !== '*' && !isHeld(name, entries)
  return fields.some(isUnknown) ? fields.filter(isUnknown) : NONE
}

interface Telling {
  names: readonly string[]
  entries: IndexEntry[]
  engine: Engine
}

/**
 * Tells of those of the names that bring nothing: those of sub-fields, those that strict mappings of all the indices,
 * which must be open, don't have, those that no document has a value by, and, where an index keeps fields without knowing
 * them, those that look like a slip for a mapped one.
 */
export function tellUnreturned(telling: Telling, told: Warned): void {
  const { entries, engine } = telling
  if (telling.names.length > NAMES_MAX) told.isOpen = true
  const looked = telling.names.slice(0, NAMES_MAX)
  const names = looked.filter(
    (name) => !tellSubField(name, telling, told) && !tellMissingSubField(name, telling, told),
  )
  if (names.length === 0) return
  const mapped = new Set(
    entries.flatMap(({ definition }) => definition.fields.map(({ source }) => source)),
  )
  const areStrict = entries.every(({ definition }) => definition.strict !== undefined)
  if (areStrict || entries.some(hidesFields)) {
    for (const name of names) {
      const nearest = nearestName(shownName(name), mapped)
      if (nearest === undefined && !areStrict) continue
      const meant = instead(nearest, 'is')
      tell(told, () => `"${shownName(name)}" of fields is mapped in none of the indices${meant}`)
    }
    return
  }
  const missed = missing([...names], entries, engine)
  if (missed.size === 0) return
  const known = [...mapped, ...namesIn(entries, engine)]
  for (const name of missed) {
    const what = `"${shownName(name)}" of fields: no document of ${indicesText(entries)} has a value in it`
    tell(told, () => `${what}${instead(nearestName(shownName(name), known), 'is a field')}`)
  }
}

/** Tells of a name below that of a field of all mappings, which holds no objects. False where it is none. */
function tellMissingSubField(name: string, { entries }: Telling, told: Warned): boolean {
  const missed = missingSubField(name, entries)
  if (missed?.isOfAll !== true) return false
  const meant = instead(shownName(missed.parent), 'is a field')
  tell(told, () => `"${shownName(name)}" of fields: ${missed.what}${meant}`)
  return true
}

/**
 * Tells of a name that is that of a sub-field, unless documents of another index may have a place of this name. Of the
 * sub-field there are values, but none in documents. False where the name is no sub-field's.
 */
function tellSubField(name: string, { entries, engine }: Telling, told: Warned): boolean {
  const parents = entries.map(({ definition }) => parentOf(name, definition))
  const parent = parents.find((each) => each !== undefined)
  if (parent === undefined) return false
  const others = entries.filter((_, at) => parents[at] === undefined)
  if (!others.some(hidesFields) && missing([name], others, engine).size > 0)
    tell(
      told,
      () =>
        `"${shownName(name)}" of fields is a sub-field, which is not returned; "${shownName(parent)}" is.`,
    )
  return true
}

/** The field that another reads the values of under this name. */
function parentOf(name: string, { fields }: Definition): string | undefined {
  return fields.find((field) => field.name === name && field.source !== name)?.source
}

/** Names that documents have values by, but for other readings of a field, which are not returned. */
function namesIn(entries: readonly IndexEntry[], engine: Engine): string[] {
  return entries.slice(0, SUGGESTING_MAX).flatMap((entry) => {
    const readings = new Set(
      entry.definition.fields.filter(({ name, source }) => name !== source).map(({ name }) => name),
    )
    return engine.fieldNames(entry).filter((name) => !readings.has(name))
  })
}

/** Whether documents of one of the indices have something under a name, or may by its mapping, also around or below it. */
function isHeld(name: string, entries: readonly IndexEntry[]): boolean {
  for (const { definition, seen } of entries) {
    const { fields, objects, embedder } = definition
    if (seen?.has(name) === true && parentOf(name, definition) === undefined) return true
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
