import { nearestName } from '../../../nearest-name.ts'
import { shownName, TOLD_MAX } from '../../../word.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Under } from '../../indices/definition.ts'
import { type IndexEntry, latest } from '../../indices/index-entry.ts'
import type { CoreRequest } from '../core-request.ts'
import { BOUNDS, type FilterNode } from '../filter.ts'
import { type KnownNames, knownIn } from './known-names.ts'
import { type MissingSubField, missingSubField } from './missing-sub-field.ts'
import { indicesText, instead, tell, type Warned } from './told.ts'
import { hidesFields, type Numberless, numberless } from './valued-names.ts'

/** A name by which no mapping of the searched indices says that there are values, and where it was sent. */
interface Unmapped {
  path: Path
  name: string
  /**
   * That a document has an object can be filtered by; a value an object has none: fields inside of it have. A range from or
   * to a number is one of numbers.
   */
  wants: 'values' | 'anything' | 'numbers'
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
    for (const { field } of sort)
      if (field !== '_score') note({ path: 'sort', name: field, wants: 'values' }, entries, found)
  if (facets !== undefined)
    for (const { field } of facets)
      note({ path: 'facets', name: field, wants: 'values' }, entries, found)
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
    if (!isForNone || entries.some(hidesFields))
      note({ path: 'filters', name: node.field, wants: wantsOf(node) }, entries, found)
  }
}

function wantsOf(node: Extract<FilterNode, { field: string }>): Unmapped['wants'] {
  if ('exists' in node) return 'anything'
  if ('any' in node) return 'values'
  return BOUNDS.some((bound) => typeof node[bound] === 'number') ? 'numbers' : 'values'
}

function note(one: Unmapped, entries: readonly IndexEntry[], found: Unmapped[]): void {
  if (!isKnown(one, entries)) found.push(one)
}

/** Whether what documents have under a name is not what is wanted of it. */
function isInVain(wants: Unmapped['wants'], under: Under | 'nothing'): boolean {
  if (under === 'nothing') return true
  if (under === 'objects') return wants !== 'anything'
  return under === 'words' && wants === 'numbers'
}

function isKnown({ name, wants }: Unmapped, entries: readonly IndexEntry[]): boolean {
  const suits = (under: Under | undefined) => under !== undefined && !isInVain(wants, under)
  for (const { definition, seen } of entries)
    if (suits(definition.names.get(name)) || suits(seen?.get(name))) return true
  // A field that was just added is no mistake.
  return entries.some((entry) => suits(latest(entry).definition.names.get(name)))
}

/** What documents have instead of what is wanted. */
type InVain = Unmapped & { under: Numberless }

interface Telling {
  names: readonly Unmapped[]
  entries: IndexEntry[]
  engine: Engine
}

/**
 * Tells of those of the names that documents of none of the indices have values by, which must be open: one that a single
 * index knows is none. Documents are asked once; the nearest name is looked for only for somebody who has mistyped one.
 */
export function tellValueless(telling: Telling, told: Warned): void {
  const known = knownIn(telling.entries, telling.engine)
  for (const one of firstInVain(telling, told))
    tell(told, () =>
      one.under === 'words' ? numbersWanted(one, telling) : warning(one, telling, known),
    )
}

/** As many of those in vain as are told, or a few more, each once: what is sent by thousands is not looked for. */
function firstInVain({ names, entries, engine }: Telling, told: Warned): Iterable<InVain> {
  const found = new Map<string, InVain>()
  for (let at = 0; at < names.length; at += ASKED_MAX) {
    if (found.size >= TOLD_MAX) {
      told.isOpen = true
      break
    }
    const some = names.slice(at, at + ASKED_MAX)
    const left = numberless([...new Set(some.map(({ name }) => name))], entries, engine)
    for (const one of some) {
      const under = left.get(one.name)
      if (under !== undefined && isInVain(one.wants, under))
        found.set(`${one.path} ${one.name}`, { ...one, under })
    }
  }
  return found.values()
}

/**
 * Says no more than is known: documents may well have the field, with null, an empty list or an empty object in it, or in an
 * index that keeps it only.
 */
function warning(one: Unmapped, { entries }: Telling, known: KnownNames): string {
  const { path, name } = one
  const what = `"${shownName(name)}" of ${path}:`
  const missed = missingSubField(name, entries)
  if (missed !== undefined) return `${what} ${missed.what}${siblingOf(path, missed, known)}`
  if (name.includes('*')) return `${what} each field is named by itself${matching(one, known)}`
  const why = `no document of ${indicesText(entries)} has a value in it that can be ${CAN_BE[path]}`
  return `${what} ${why}${suggestion({ ...one, name: shownName(name) }, known)}`
}

/** A date without a mapping is one as a text alone: as a number it could be any. */
function numbersWanted({ path, name }: Unmapped, { entries }: Telling): string {
  return (
    `"${shownName(name)}" of ${path}: no document of ${indicesText(entries)} has a number in it, ` +
    'and only numbers are compared with one; send a date as text, such as "2025-01-31".'
  )
}

/** A sub-field of nearly this name; else the field itself, or any that it is read as besides, where one has values. */
function siblingOf(path: Path, { name, parent, others }: MissingSubField, known: KnownNames) {
  const { all, withValues } = known()
  const valued = [parent, ...others].find((each) => withValues.includes(each))
  const inWords = path === 'filters' && all.includes(parent) ? parent : undefined
  const usable = path === 'filters' ? others : others.filter((each) => withValues.includes(each))
  return instead(nearestName(shownName(name), usable) ?? valued ?? inWords, 'is a field')
}

/**
 * A field of nearly this name, or inside of an object of this name, or with it as its last part; in filters, also a
 * document's id.
 */
function suggestion({ path, name, wants }: Unmapped, known: KnownNames): string {
  if (path === 'filters' && name.toLowerCase() === 'id')
    return instead('_id', 'is the id of a document')
  const order = path === 'sort' ? orderOf(name, known) : undefined
  if (order !== undefined) return instead(order, 'sorts by it')
  const { all, withWords, withValues } = known()
  const inFilters = wants === 'anything' ? all : withWords
  const names = path === 'filters' ? inFilters : withValues
  const lower = name.toLowerCase()
  const usable = names.filter((each) => each !== name)
  const inside = usable.find((each) => each.toLowerCase().startsWith(`${lower}.`))
  const last = () => usable.find((each) => each.toLowerCase().endsWith(`.${lower}`))
  const nearest = () => nearestName(name, usable)
  const found = wants === 'anything' ? (nearest() ?? inside) : (inside ?? nearest())
  return instead(found ?? last(), 'is a field')
}

/** Fields that a name with stars means elsewhere, the first of them. */
function matching({ path, name }: Unmapped, known: KnownNames): string {
  const { all, withValues } = known()
  const [begin = '', end = ''] = [name.split('*').at(0), name.split('*').at(-1)]
  const names = path === 'filters' ? all : withValues
  const [first, ...others] = names.filter((each) => each.startsWith(begin) && each.endsWith(end))
  if (others.length === 0) return instead(first, 'is a field')
  return `; "${first}" and ${others.length > 1 ? `${others.length} others` : `"${others[0]}"`} are fields.`
}

/** The sort that is most likely meant by a field with its order in the form of others: `-price`, `price desc`. */
function orderOf(name: string, known: KnownNames): string | undefined {
  const [, sign, signed, plain, word = 'asc'] =
    /^(?:([+-])(.+)|([^\s,]+)[\s,]+(asc|desc)(?:ending)?)$/i.exec(name) ?? []
  const field = signed ?? plain
  if (field === undefined || !known().withValues.includes(field)) return undefined
  return `${field}:${sign === '-' ? 'desc' : word.toLowerCase()}`
}
