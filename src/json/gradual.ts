import { openBreath } from '../breath.ts'
import { serviceError } from '../errors.ts'
import { findMistake } from '../first-mistake.ts'
import { comma, type ScanState } from './comma.ts'
import {
  type Depth,
  type JsonLimits,
  malformed,
  NAMES_MAX,
  type ReadJson,
  type ReadOptions,
  readPart,
  textOf,
  tooDeep,
  tooManyNames,
} from './json.ts'
import { stringPieces } from './string-pieces.ts'
import { mayHoldUnkeepable } from './unkeepable.ts'

/* Reads a large JSON text a part at a time, so that others have their turns meanwhile. */

/** From here on a text is worth reading gradually: less is read in the time that a search takes. */
export const LARGE_BYTES = 128 << 10
/** Bytes of items that are read in one go; an item of more is itself read in parts, if it has any. */
const RUN_BYTES = 64 << 10
/** Bytes that are looked through for the end of a large item in one go. */
const STRETCH_BYTES = 256 << 10

// Of this file, as in the others that read JSON byte by byte: V8 loads a constant of another module anew for each byte.
const QUOTE = 0x22
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

interface Options extends ReadOptions {
  /** Other bytes than `RUN_BYTES`. */
  runBytes?: number
}

interface Reading extends JsonLimits {
  text: Uint8Array
  runBytes: number
  at: Depth
  suspicious: boolean
  breathe: () => Promise<void> | undefined
}

/** Where a part of a text begins, and its end. */
type Span = [start: number, end: number]

/** A part that is no JSON. */
class NoJson extends Error {}

/** What `readJson` reads and throws, with turns for others between the parts of the text. */
export async function readGradually(
  bytes: Uint8Array,
  depthMax: number,
  options: Options = {},
): Promise<ReadJson> {
  const { name = 'The body', advice = '', namesMax = NAMES_MAX, runBytes = RUN_BYTES } = options
  const text = textOf(bytes, name)
  const at = { depth: 0, objects: 0 }
  const breathe = openBreath()
  const reading = { text, depthMax, namesMax, name, runBytes, at, suspicious: false, breathe }
  try {
    const value = await readValue(reading, [0, text.length])
    return { value, suspicious: reading.suspicious }
  } catch (cause) {
    if (!(cause instanceof NoJson)) throw cause
    const mistake = await findMistake(text, depthMax, breathe)
    if (mistake.isTooDeep) throw serviceError('JSON_TOO_DEEP', tooDeep(name, depthMax))
    throw malformed(name, mistake.at, advice)
  }
}

async function readValue(reading: Reading, span: Span): Promise<unknown> {
  const { text, at, runBytes } = reading
  const [start, end] = trimmed(text, span)
  const isList = text[start] === OPEN_LIST
  if (end - start > runBytes && text[start] === QUOTE) return readText(reading, [start, end])
  if (end - start <= runBytes || (!isList && text[start] !== OPEN_OBJECT))
    return read(reading, text.subarray(start, end))
  if (text[end - 1] !== (isList ? CLOSE_LIST : CLOSE_OBJECT)) throw new NoJson()
  at.depth += 1
  at.objects += 1
  if (at.depth > reading.depthMax)
    throw serviceError('JSON_TOO_DEEP', tooDeep(reading.name, reading.depthMax))
  const value = await readItems(reading, [start + 1, end - 1], isList)
  at.depth -= 1
  return value
}

/** The items of a list, or the members of an object, of which there is more than one run. */
async function readItems(
  reading: Reading,
  [start, end]: Span,
  isList: boolean,
): Promise<unknown[] | object> {
  const { text, runBytes, breathe } = reading
  const list: unknown[] = []
  const object = {}
  let names = 0
  const setAll = (some: object): void => {
    for (const name of Object.keys(some)) {
      names += 1
      define(object, name, ownOf(some, name))
    }
    if (names > reading.namesMax) throw tooManyNames(reading.name, reading.namesMax)
  }
  const [first] = trimmed(text, [start, end])
  for (let from = first === end ? end + 1 : start; from <= end; ) {
    const state = { at: from, depth: 0, inString: false }
    const limit = Math.min(from + runBytes, end)
    let to = limit === end ? end : comma(text, limit, state, 'last')
    if (to >= 0) {
      const items = readRun(reading, [from, to], isList)
      if (Array.isArray(items)) for (const item of items) list.push(item)
      else setAll(items)
    } else {
      to = await endOfLarge(reading, end, state)
      if (isList) list.push(await readValue(reading, [from, to]))
      else {
        const { name, value } = await member(reading, [from, to])
        setAll(named(name, await readValue(reading, value)))
      }
    }
    from = to + 1
    await breathe()
  }
  return isList ? list : object
}

/** The comma behind an item that is looked through up to some place, or the end. */
async function endOfLarge(
  { text, breathe }: Reading,
  end: number,
  state: ScanState,
): Promise<number> {
  while (state.at < end) {
    const found = comma(text, Math.min(state.at + STRETCH_BYTES, end), state, 'first')
    if (found >= 0) return found
    await breathe()
  }
  return end
}

/** Items side by side. */
function readRun(reading: Reading, span: Span, isList: boolean): unknown[] | object {
  const [start, end] = trimmed(reading.text, span)
  // Between two commas, or behind the last one: by itself it would be an empty list.
  if (start === end) throw new NoJson()
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const run = [Buffer.from(open), reading.text.subarray(start, end), Buffer.from(close)]
  return readInside(reading, Buffer.concat(run)) as unknown[] | object
}

/** Some of what a list or an object holds, as one of its own: it is counted already. */
function readInside(reading: Reading, text: Uint8Array): unknown {
  const { at } = reading
  at.depth -= 1
  at.objects -= 1
  const value = read(reading, text)
  at.depth += 1
  return value
}

function read(reading: Reading, text: Uint8Array): unknown {
  const found = readPart(text, reading.at, reading)
  if (found === undefined) throw new NoJson()
  // Nearly all that may hold such a thing has none: to look through all of it at the end would take long.
  reading.suspicious ||= found.suspicious && mayHoldUnkeepable(found.value)
  return found.value
}

/** A string of more than one run. */
async function readText(reading: Reading, [start, end]: Span): Promise<string> {
  const { text, runBytes, breathe } = reading
  if (text[end - 1] !== QUOTE) throw new NoJson()
  const pieces: string[] = []
  for (const piece of stringPieces(text, [start + 1, end - 1], runBytes)) {
    pieces.push(read(reading, piece) as string)
    await breathe()
  }
  return pieces.join('')
}

/** The name of a member, and where its value stands. */
async function member(reading: Reading, span: Span): Promise<{ name: string; value: Span }> {
  const { text } = reading
  const [start, end] = trimmed(text, span)
  if (text[start] !== QUOTE) throw new NoJson()
  const close = await endOfName(reading, start, end)
  const [colon] = trimmed(text, [close + 1, end])
  if (text[colon] !== COLON) throw new NoJson()
  const name = (await readValue(reading, [start, close + 1])) as string
  reading.suspicious ||= mayHoldUnkeepable(named(name, 0))
  return { name, value: [colon + 1, end] }
}

/** The quote that closes a name. */
async function endOfName({ text, breathe }: Reading, start: number, end: number): Promise<number> {
  let close = start + 1
  while (close < end && text[close] !== QUOTE) {
    const limit = Math.min(close + STRETCH_BYTES, end)
    while (close < limit && text[close] !== QUOTE) close += text[close] === BACKSLASH ? 2 : 1
    await breathe()
  }
  return close
}

function trimmed(text: Uint8Array, [start, end]: Span): Span {
  let [from, to] = [start, end]
  while (from < to && isSpace(text[from])) from += 1
  while (to > from && isSpace(text[to - 1])) to -= 1
  return [from, to]
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function ownOf(object: object, name: string): unknown {
  return (object as Record<string, unknown>)[name]
}

function named(name: string, value: unknown): object {
  const object = {}
  define(object, name, value)
  return object
}

const OWN = { configurable: true, enumerable: true, writable: true } as const

/** As JSON.parse does it: to assign what is called `__proto__` would be something else. */
function define(object: object, name: string, value: unknown): void {
  if (name !== '__proto__') (object as Record<string, unknown>)[name] = value
  else Object.defineProperty(object, name, { ...OWN, value })
}
