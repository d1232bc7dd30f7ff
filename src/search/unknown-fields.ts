import type { CoreRequest } from './core-request.ts'
import type { Definition } from './definition.ts'
import type { Engine } from './engine.ts'
import type { FilterNode } from './filter.ts'
import { type IndexEntry, latest } from './indices.ts'
import { nearestName } from './nearest-name.ts'

/** A name that no searched index knows so far, and where it was sent. */
interface Unknown {
  path: Path
  name: string
}

type Path = keyof typeof CAN_BE

/** What a field is wanted for. */
const CAN_BE = { filters: 'filtered by', facets: 'counted', sort: 'sorted by' } as const
/** Names that are told of, and letters of each. */
const TOLD_MAX = 8
const NAME_MAX = 64
/** Indices that a warning names, and those whose fields it may suggest. */
const NAMED_MAX = 3
const SUGGESTING_MAX = 16
/** Names that documents are asked for at a time, on the main thread. */
const ASKED_MAX = 32
/** Names that an index remembers to be fields of documents. */
const SEEN_MAX = 1024
const NONE: readonly string[] = []

/**
 * Warnings of fields in filters, facets and sorts that no searched index knows, neither from its mapping nor from any
 * document: one that a single index knows is none. What is known costs a look into a set; documents are asked for the
 * rest once, and the nearest name is looked for only for somebody who has mistyped one.
 */
export function unknownFields(
  request: CoreRequest,
  entries: IndexEntry[],
  engine: Engine,
): readonly string[] | Promise<string[]> {
  const { filter, facets, sort } = request
  if (filter === undefined && facets === undefined && sort === undefined) return NONE
  const unknown: Unknown[] = []
  const note = (path: Path, name: string) => {
    if (!isKnown(name, entries)) unknown.push({ path, name })
  }
  if (filter !== undefined) forEachField(filter, (name) => note('filters', name))
  for (const { field } of facets ?? []) note('facets', field)
  for (const { field } of sort ?? []) if (field !== '_score') note('sort', field)
  if (unknown.length === 0 || entries.length === 0) return NONE
  return engine.using(entries, async () => tell(unknown, entries, engine))
}

function forEachField(node: FilterNode, visit: (field: string) => void): void {
  if ('and' in node) for (const part of node.and) forEachField(part, visit)
  else if ('or' in node) for (const part of node.or) forEachField(part, visit)
  else if ('not' in node) forEachField(node.not, visit)
  else if ('field' in node) visit(node.field)
}

function isKnown(name: string, entries: readonly IndexEntry[]): boolean {
  for (const entry of entries)
    if (entry.definition.names.has(name) || entry.seen?.has(name) === true) return true
  // A field that was just added is no mistake.
  return entries.some((entry) => latest(entry).definition.names.has(name))
}

function tell(unknown: Unknown[], entries: IndexEntry[], engine: Engine): string[] {
  const names = firstMissing([...new Set(unknown.map(({ name }) => name))], entries, engine)
  const told = new Map<string, Unknown>()
  for (const each of unknown)
    if (names.has(each.name) && told.size < TOLD_MAX) told.set(`${each.path} ${each.name}`, each)
  const known = knownIn(entries, engine)
  return [...told.values()].map((each) => warning(each, entries, known))
}

/** As many of the missing names as are told, or a few more: what is sent in vain by thousands is not looked for. */
function firstMissing(names: string[], entries: IndexEntry[], engine: Engine): Set<string> {
  const found = new Set<string>()
  for (let at = 0; at < names.length && found.size < TOLD_MAX; at += ASKED_MAX)
    for (const name of missing(names.slice(at, at + ASKED_MAX), entries, engine)) found.add(name)
  return found
}

/** Those of the names that documents of none of the indices have; an index remembers those of its own. */
function missing(names: string[], entries: IndexEntry[], engine: Engine): Set<string> {
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

function warning({ path, name }: Unknown, entries: IndexEntry[], known: KnownNames): string {
  const shown = name.slice(0, NAME_MAX)
  const nearest = suggestion(path, shown, known)
  const advice = nearest === undefined ? '' : `; "${nearest}" is one`
  return `"${shown}" of ${path} is no field of ${indicesText(entries)} that can be ${CAN_BE[path]}${advice}.`
}

function indicesText(entries: readonly IndexEntry[]): string {
  const named = entries.slice(0, NAMED_MAX).map(({ record }) => `"${record.name}"`)
  const others = entries.length - named.length
  return others === 0 ? named.join(', ') : `${named.join(', ')} and ${others} more indices`
}

/** A field of nearly this name, or one inside of an object, whose last part it is; in filters, also a document's id. */
function suggestion(path: Path, name: string, known: KnownNames): string | undefined {
  if (path === 'filters' && name.toLowerCase() === 'id') return '_id'
  const names = path === 'filters' ? known().all : known().withValues
  const inner = `.${name.toLowerCase()}`
  return nearestName(name, names) ?? names.find((each) => each.toLowerCase().endsWith(inner))
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
