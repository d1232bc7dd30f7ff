import { nearestName } from '../../../nearest-name.ts'
import { shownName } from '../../../word.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Definition } from '../../indices/definition.ts'
import { type IndexEntry, latest } from '../../indices/indices.ts'
import type { CoreRequest } from '../core-request.ts'
import type { FilterNode } from '../filter.ts'
import { type MissingSubField, missingSubField } from './missing-sub-field.ts'
import { indicesText, instead, SUGGESTING_MAX, TOLD_MAX, tell, type Warned } from './told.ts'
import { hidesFields, missing } from './valued-names.ts'

/** A name that no mapping of the searched indices has, and where it was sent. */
interface Unmapped {
  path: Path
  name: string
  /** All of the mappings say that it holds objects: fields inside of them have values, itself it has none. */
  isObject?: true
}

type Path = keyof typeof CAN_BE

/** What the values of a field are wanted for. */
const CAN_BE = { filters: 'filtered by', facets: 'counted', sort: 'sorted by' } as const
/** Names that documents are asked for at a time, on the main thread. */
const ASKED_MAX = 32
const NONE: readonly Unmapped[] = []

/**
 * Names of fields in filters, facets and sorts that none of the searched indices knows yet, neither from its mapping nor
 * from what was asked of its documents before. What is known costs a look into a set. A filter for documents without a
 * field names it on purpose.
 */
export function valuelessFields(
  { filter, facets, sort }: CoreRequest,
  entries: readonly IndexEntry[],
): readonly Unmapped[] {
  if (entries.length === 0) return NONE
  if (filter === undefined && facets === undefined && sort === undefined) return NONE
  const found: Unmapped[] = []
  if (filter !== undefined) noteFilter(filter, 'none', entries, found)
  // What sorts in vain spoils the whole list, a facet only itself.
  if (sort !== undefined)
    for (const { field } of sort) if (field !== '_score') note('sort', field, entries, found)
  if (facets !== undefined) for (const { field } of facets) note('facets', field, entries, found)
  return found
}

/** Whether an odd number of `not`s is `around` a condition decides what it asks for. */
function noteFilter(
  node: FilterNode,
  around: 'none' | 'not',
  entries: readonly IndexEntry[],
  found: Unmapped[],
): void {
  if ('and' in node) for (const part of node.and) noteFilter(part, around, entries, found)
  else if ('or' in node) for (const part of node.or) noteFilter(part, around, entries, found)
  else if ('not' in node) noteFilter(node.not, around === 'not' ? 'none' : 'not', entries, found)
  else if ('field' in node) {
    // Documents without a field are what is asked for: that none has it is no mistake, where it is known.
    const isForNone = 'exists' in node && node.exists === (around === 'not')
    if (!isForNone || entries.some(hidesFields)) note('filters', node.field, entries, found)
  }
}

function note(path: Path, name: string, entries: readonly IndexEntry[], found: Unmapped[]): void {
  if (!isKnown(name, entries)) found.push({ path, name })
  // That a document has the object can be filtered by.
  else if (path !== 'filters' && entries.every((entry) => isObject(name, entry)))
    found.push({ path, name, isObject: true })
}

function isObject(name: string, { definition }: IndexEntry): boolean {
  return definition.objects.some((object) => object.name === name)
}

function isKnown(name: string, entries: readonly IndexEntry[]): boolean {
  for (const entry of entries)
    if (entry.definition.names.has(name) || entry.seen?.has(name) === true) return true
  // A field that was just added is no mistake.
  return entries.some((entry) => latest(entry).definition.names.has(name))
}

interface Telling {
  names: readonly Unmapped[]
  entries: IndexEntry[]
  engine: Engine
}

/**
 * Tells of those of the names that documents of none of the indices have values by, which must be open: one that a single
 * index knows is none. Documents are asked once; the nearest name is looked for only for somebody who has mistyped one.
 */
export function tellValueless({ names, entries, engine }: Telling, told: Warned): void {
  const unknown = names.filter((one) => one.isObject !== true)
  const asked = [...new Set(unknown.map(({ name }) => name))]
  const missed = firstMissing(asked, entries, engine, told)
  const each = new Map<string, Unmapped>()
  for (const one of names)
    if (one.isObject === true || missed.has(one.name)) each.set(`${one.path} ${one.name}`, one)
  const known = knownIn(entries, engine)
  for (const one of each.values()) tell(told, () => warning(one, entries, known))
}

/** As many of the missing names as are told, or a few more: what is sent in vain by thousands is not looked for. */
function firstMissing(
  names: string[],
  entries: IndexEntry[],
  engine: Engine,
  told: Warned,
): Set<string> {
  const found = new Set<string>()
  for (let at = 0; at < names.length; at += ASKED_MAX) {
    if (found.size >= TOLD_MAX) {
      told.isOpen = true
      break
    }
    for (const name of missing(names.slice(at, at + ASKED_MAX), entries, engine)) found.add(name)
  }
  return found
}

/**
 * Says no more than is known: documents may well have the field, with null, an empty list or an empty object in it, or in an
 * index that keeps it only.
 */
function warning({ path, name }: Unmapped, entries: IndexEntry[], known: KnownNames): string {
  const what = `"${shownName(name)}" of ${path}:`
  const missed = missingSubField(name, entries)
  if (missed !== undefined) return `${what} ${missed.what}${siblingOf(path, missed, known)}`
  const why = `no document of ${indicesText(entries)} has a value in it that can be ${CAN_BE[path]}`
  return `${what} ${why}${suggestion(path, shownName(name), known)}`
}

/** A sub-field of nearly this name; else the field itself, or any that it is read as besides, where one has values. */
function siblingOf(path: Path, { name, parent, others }: MissingSubField, known: KnownNames) {
  const { all, withValues } = known()
  const valued = [parent, ...others].find((each) => withValues.includes(each))
  const inWords = path === 'filters' && all.includes(parent) ? parent : undefined
  const usable = path === 'filters' ? others : others.filter((each) => withValues.includes(each))
  return instead(nearestName(shownName(name), usable) ?? valued ?? inWords, 'is a field')
}

/** A field of nearly this name, or one inside of an object, whose first or last part it is; in filters, also a document's id. */
function suggestion(path: Path, name: string, known: KnownNames): string {
  if (path === 'filters' && name.toLowerCase() === 'id')
    return instead('_id', 'is the id of a document')
  const names = path === 'filters' ? known().all : known().withValues
  const lower = name.toLowerCase()
  const isInside = (each: string) =>
    each.toLowerCase().endsWith(`.${lower}`) || each.toLowerCase().startsWith(`${lower}.`)
  const usable = names.filter((each) => each !== name)
  const nearest = nearestName(name, usable) ?? usable.find(isInside)
  return instead(nearest, 'is a field')
}

/** What may be suggested, gathered for the first who wants it; fields that have words alone are no use but to a filter. */
type KnownNames = () => { all: string[]; withValues: string[] }

function knownIn(entries: IndexEntry[], engine: Engine): KnownNames {
  let known: ReturnType<KnownNames> | undefined
  return () => {
    if (known !== undefined) return known
    const all = new Set<string>()
    const withValues = new Set<string>()
    for (const entry of entries.slice(0, SUGGESTING_MAX)) {
      const words = analysed(entry.definition)
      for (const name of [...entry.definition.names, ...engine.fieldNames(entry)]) {
        all.add(name)
        if (!words.has(name)) withValues.add(name)
      }
    }
    known = { all: [...all], withValues: [...withValues] }
    return known
  }
}

/** Fields that have words and no value. */
function analysed({ fields }: Definition): Set<string> {
  return new Set(fields.filter(({ type }) => type === 'text').map((field) => field.name))
}
