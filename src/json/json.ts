import { isUtf8 } from 'node:buffer'
import { variableOf } from '../config.ts'
import { type ServiceError, serviceError } from '../errors.ts'
import { firstMistake, withoutMark } from '../first-mistake.ts'
import { mayBeUnkeepable } from './unkeepable.ts'
import { type DigitPlace, isUnkept, withoutUnkept } from './unkept-numbers.ts'

// Constants of its own, as in the other files that read JSON byte by byte: V8 loads one of another module anew for
// each byte.
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const PLUS = 0x2b
const ZERO = 0x30
const NINE = 0x39
const LETTER_E = 0x65
const LOWER_CASE = 0x20

/**
 * A number beyond ±1.8e308, which JSON.parse makes Infinity, has an exponent of three digits or a long row of digits
 * (at least 309 without an exponent, 210 with one of two digits).
 */
const DIGITS_SURE = 200
/** Whole numbers of fewer digits are all kept. */
const DIGITS_KEPT = 15
/** Digits in a row that one number may have: to read thirty megabytes of them takes half a second. */
const DIGITS_READ_MAX = 65_536
/**
 * Objects and lists that one text may hold: to make ten million of them, for which thirty megabytes are enough, would
 * hold everybody up for ten seconds and more, and take a gigabyte.
 */
const OBJECTS_MAX = 1_000_000
/**
 * Names of one object. V8 keeps those of so many apart from each other and sorts them whenever they are listed: an object
 * of 400 000 held everybody up for a second, a list of as many objects does not.
 */
export const NAMES_MAX = 20_000

/** What a JSON text says. */
export interface ReadJson {
  value: unknown
  /** It may hold what the service can't keep, and must be looked through (`refuseUnkeepable`). */
  suspicious: boolean
}

/**
 * Reads a JSON text in UTF-8, which is called `name` in what is said of it; `advice` follows what is wrong with it.
 * Throws JSON_TOO_DEEP and BODY_TOO_LARGE (checked before parsing), MALFORMED_JSON with the byte position of the first mistake.
 */
export function readJson(
  bytes: Uint8Array,
  depthMax: number,
  { name = 'The body', advice = '', namesMax = NAMES_MAX }: ReadOptions = {},
): ReadJson {
  const text = textOf(bytes, name)
  const limits = { depthMax, namesMax, name }
  const found = readPart(text, { depth: 0, objects: 0 }, limits)
  if (found === undefined) throw malformed(name, firstMistake(text), advice)
  return found
}

export interface ReadOptions {
  name?: string
  advice?: string
  /** Names that one object may have, if not as few as others. */
  namesMax?: number
}

/** The bytes of a text without a byte order mark. Throws MALFORMED_JSON for what is not UTF-8. */
export function textOf(bytes: Uint8Array, name: string): Uint8Array {
  const text = withoutMark(bytes)
  if (!isUtf8(text)) throw serviceError('MALFORMED_JSON', `${name} is not valid UTF-8.`)
  return text
}

/** Whether nothing stands on a line of NDJSON, or a byte order mark alone. */
export function isBlankJson(line: Uint8Array): boolean {
  return withoutMark(line).every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09)
}

/** What is said of a text with a mistake at this byte. */
export function malformed(name: string, position: number, advice: string): ServiceError {
  const message = `${name} is not valid JSON at byte ${position}${advice}.`
  return serviceError('MALFORMED_JSON', message)
}

/** How deep in its text, and behind how many objects and lists, a part of it is. */
export interface Depth {
  depth: number
  objects: number
}

/** The deepest nesting of a text, the most names of an object in it, and what it is called. */
export interface JsonLimits {
  depthMax: number
  namesMax: number
  name: string
}

/** Reads a part of a text that is a value; undefined if it is none. Counts its objects. Throws what `readJson` throws. */
export function readPart(text: Uint8Array, at: Depth, limits: JsonLimits): ReadJson | undefined {
  const { mayBeHuge, unkept, objects } = scan(text, at, limits)
  at.objects = objects
  const buffer = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  const json = (unkept.length === 0 ? buffer : withoutUnkept(buffer, unkept)).toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return undefined
  }
  return { value, suspicious: mayBeHuge || unkept.length > 0 || mayBeUnkeepable(json) }
}

/** What is to be known of the numbers of a text. */
interface Numbers {
  mayBeHuge: boolean
  /** Where whole numbers begin and end that JavaScript would read as others. */
  unkept: DigitPlace[]
  /** All objects and lists so far. */
  objects: number
}

/**
 * One loop for everything, since every byte of every body passes here. Throws JSON_TOO_DEEP, and BODY_TOO_LARGE for
 * too many objects and lists, or too many names of one object.
 */
function scan(bytes: Uint8Array, begun: Depth, { depthMax, namesMax, name }: JsonLimits): Numbers {
  let { depth, objects } = begun
  /** Names of the object at hand; those of the objects around it stand at their depth. */
  let names = 0
  const namesAround: number[] = []
  let inString = false
  let mayBeHuge = false
  let unkept: Numbers['unkept'] = NONE
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (inString) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte <= NINE && byte >= ZERO) {
      const first = at
      const last = Math.min(bytes.length, first + DIGITS_READ_MAX + 1) - 1
      while (at < last && isDigit(bytes[at + 1])) at += 1
      if (at - first >= DIGITS_READ_MAX) throw tooManyDigits(name)
      if (at - first >= DIGITS_SURE || hasLongExponent(bytes, at + 1)) mayBeHuge = true
      if (at - first >= DIGITS_KEPT && isUnkept(bytes, first, at + 1)) {
        if (unkept === NONE) unkept = []
        unkept.push([first, at + 1])
      }
    } else if (byte === COLON) {
      names += 1
      if (names > namesMax) throw tooManyNames(name, namesMax)
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      namesAround[depth] = names
      names = 0
      depth += 1
      objects += 1
      if (depth > depthMax) throw serviceError('JSON_TOO_DEEP', tooDeep(name, depthMax))
      if (objects > OBJECTS_MAX) throw serviceError('BODY_TOO_LARGE', tooMany(name))
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1
      names = namesAround[depth] ?? 0
    }
  }
  return { mayBeHuge, unkept, objects }
}

/** Not to be changed: nearly every text has none. */
const NONE: Numbers['unkept'] = []

/** What is said of a text that is nested too deep. */
export function tooDeep(name: string, depthMax: number): string {
  const setting = variableOf('jsonDepthMax')
  return `${name} is nested deeper than ${depthMax} levels, the setting ${setting}.`
}

function tooMany(name: string): string {
  return `${name} holds more than ${OBJECTS_MAX} objects and lists: send it in parts.`
}

function tooManyDigits(name: string): ServiceError {
  const message = `${name} holds a number of more than ${DIGITS_READ_MAX} digits: send it as a text.`
  return serviceError('BODY_TOO_LARGE', message)
}

/** What is said of a text with an object of too many names. */
export function tooManyNames(name: string, namesMax: number): ServiceError {
  const message = `${name} holds an object of more than ${namesMax} names: send a list, or several objects.`
  return serviceError('BODY_TOO_LARGE', message)
}

/** Whether an exponent of three digits or more begins here; one below zero makes no number huge. */
function hasLongExponent(bytes: Uint8Array, at: number): boolean {
  if (at + 3 >= bytes.length || !isLetterE(bytes[at])) return false
  const digits = bytes[at + 1] === PLUS ? at + 2 : at + 1
  return isDigit(bytes[digits]) && isDigit(bytes[digits + 2])
}

function isLetterE(byte = 0): boolean {
  return (byte | LOWER_CASE) === LETTER_E
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte <= NINE && byte >= ZERO
}
