import { isObject } from '../../object.ts'
import { shownName, TOLD_MAX } from '../../word.ts'
import type { Definition } from '../indices/definition.ts'
import { doubtfulDates } from './doubtful-dates.ts'
import { headsOf, type SourcePlace, valuesAt } from './source.ts'

type Source = Record<string, unknown>

/* What the core holds of a document beside its words (`native/src/engine/document/unnamed.rs`, `definition.rs`). */
const EXACT_BYTES_MAX = 8191
const UNMAPPED_VALUES_MAX = 4096
const UNMAPPED_DEPTH_MAX = 16
const UNMAPPED_NAME_BYTES_MAX = 512
/** Bytes of UTF-8 that a character of a string takes at most. */
const CHARACTER_BYTES_MAX = 3
/** Values, lists and objects without a mapping that are looked at: as many as may be found, and some that are empty. */
const LOOKS_MAX = 4 * UNMAPPED_VALUES_MAX

const KEPT = 'kept, and no filter, facet or sort finds'
const LONG = `holds a text of more than ${EXACT_BYTES_MAX} bytes: it is ${KEPT} it.`
const DEEP = `holds values inside of more than ${UNMAPPED_DEPTH_MAX} objects, where no mapping names them: they are ${KEPT} them.`
const LONG_NAME = `A field has no mapping and, with the objects around it, a name of more than ${UNMAPPED_NAME_BYTES_MAX} bytes: it is ${KEPT} it.`
const ODD_NAME = `A field has no mapping and, with the objects around it, a name that is empty or has U+0000 in it: it is ${KEPT} it.`
const MANY = `More than ${UNMAPPED_VALUES_MAX} values have no mapping: those beyond are ${KEPT} them.`

/** What of a document no filter, facet or sort will find although it is kept, or will find as another date than was meant. */
export function unfoundValues(
  source: Source,
  definition: Definition,
  place: SourcePlace,
): string[] {
  const told = doubtfulDates(source, definition, place)
  if (isSmall(source, definition)) return told
  tellLongKeywords(source, definition, { place, told })
  if (definition.dynamic) tellUnmapped(source, definition, { place, told })
  return told
}

/**
 * Whether nothing of a document can be too long, too deep, too much or oddly named: every document
 * is asked, and nearly all are small.
 */
function isSmall(source: Source, { types, fields }: Definition): boolean {
  const room = { left: UNMAPPED_VALUES_MAX }
  for (const name in source) {
    if (isOddName(name)) return false
    const value = source[name]
    const isWords = typeof value === 'string' && types.get(name) === 'text'
    if (!isLarge(value, 1, name.length, room)) continue
    if (!isWords || fields.some((field) => field.source === name && field.type === 'keyword'))
      return false
  }
  return true
}

/** `path` is the length of the names up to here; from `room` goes what the document holds. */
function isLarge(value: unknown, depth: number, path: number, room: { left: number }): boolean {
  if (--room.left < 0 || path * CHARACTER_BYTES_MAX > UNMAPPED_NAME_BYTES_MAX) return true
  if (typeof value === 'string') return value.length * CHARACTER_BYTES_MAX > EXACT_BYTES_MAX
  if (typeof value !== 'object' || value === null) return false
  if (depth > UNMAPPED_DEPTH_MAX) return true
  if (Array.isArray(value)) return value.some((item) => isLarge(item, depth + 1, path, room))
  const inner = value as Source
  for (const name in inner)
    if (isOddName(name) || isLarge(inner[name], depth + 1, path + name.length + 1, room))
      return true
  return false
}

/** Names under which the core finds nothing: an empty one, if there is nothing around it, and any with its separator. */
function isOddName(path: string): boolean {
  return path === '' || path.includes('\0')
}

interface Telling {
  place: SourcePlace
  told: string[]
}

function tellLongKeywords(source: Source, { fields }: Definition, { place, told }: Telling): void {
  const mayHold = headsOf(source)
  for (const { name, type, source: path } of fields) {
    if (told.length >= TOLD_MAX) return
    if (type !== 'keyword' || !mayHold(path)) continue
    if (valuesAt(source, path).some(isLong)) told.push(`${place}${name} ${LONG}`)
  }
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && isOver(EXACT_BYTES_MAX, value)
}

function isOver(bytesMax: number, text: string): boolean {
  return text.length * CHARACTER_BYTES_MAX > bytesMax && Buffer.byteLength(text) > bytesMax
}

/** How far a document has been looked through. */
interface Look extends Telling {
  isMapped: (path: string) => boolean
  looks: number
  /** Values among what was looked at. */
  values: number
}

/** Goes through what no mapping names as the core does, which counts what it takes. */
function tellUnmapped(source: Source, { names, embedder }: Definition, telling: Telling): void {
  const isMapped = (path: string) => names.get(path) === 'values' || path === embedder.field
  const look: Look = { ...telling, isMapped, looks: 0, values: 0 }
  lookInto(source, '', 0, look)
  if (look.values > UNMAPPED_VALUES_MAX) tellOnce(MANY, look)
}

function lookInto(object: Source, prefix: string, depth: number, look: Look): void {
  for (const key in object) {
    if (isEnough(look)) return
    const path = prefix + key
    if (look.isMapped(path)) continue
    if (isOver(UNMAPPED_NAME_BYTES_MAX, path)) tellOnce(LONG_NAME, look)
    else if (isOddName(path)) tellOnce(ODD_NAME, look)
    else lookAt(object[key], path, depth, look)
  }
}

function lookAt(value: unknown, path: string, depth: number, look: Look): void {
  look.looks += 1
  const isList = Array.isArray(value)
  if (isList || isObject(value)) {
    // A list may lie one level deeper than an object, whose fields do.
    if (depth + (isList ? 0 : 1) > UNMAPPED_DEPTH_MAX) tellDeep(path, look)
    else if (isList) lookThrough(value, path, depth + 1, look)
    else lookInto(value, `${path}.`, depth + 1, look)
  } else if (isLong(value)) tellOnce(`${look.place}${shownName(path)} ${LONG}`, look)
  else if (value !== null) look.values += 1
}

function lookThrough(list: unknown[], path: string, depth: number, look: Look): void {
  for (const item of list) {
    if (isEnough(look)) return
    lookAt(item, path, depth, look)
  }
}

function tellDeep(path: string, look: Look): void {
  const [outer = path] = path.split('.', 1)
  tellOnce(`${look.place}${shownName(outer)} ${DEEP}`, look)
}

function tellOnce(text: string, { told }: Telling): void {
  if (told.length < TOLD_MAX && !told.includes(text)) told.push(text)
}

function isEnough({ looks, values, told }: Look): boolean {
  return looks >= LOOKS_MAX || values > UNMAPPED_VALUES_MAX || told.length >= TOLD_MAX
}
