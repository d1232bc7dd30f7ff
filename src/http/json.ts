import { isUtf8 } from 'node:buffer'
import { variableOf } from '../config.ts'
import { serviceError } from '../errors.ts'
import { firstMistake } from '../first-mistake.ts'
import { mayBeUnkeepable } from './unkeepable.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
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

/** What a JSON text says. */
export interface ReadJson {
  value: unknown
  /** It may hold what the service can't keep, and must be looked through (`refuseUnkeepable`). */
  suspicious: boolean
}

/**
 * Reads a JSON text in UTF-8, which is called `name` in what is said of it; `advice` follows what is wrong with it.
 * Throws JSON_TOO_DEEP (checked before parsing), MALFORMED_JSON with the byte position of the first mistake.
 */
export function readJson(
  bytes: Uint8Array,
  depthMax: number,
  { name = 'The body', advice = '' }: { name?: string; advice?: string } = {},
): ReadJson {
  const text = bytes[0] === 0xef && bytes[1] === 0xbb ? bytes.subarray(3) : bytes
  if (!isUtf8(text)) throw serviceError('MALFORMED_JSON', `${name} is not valid UTF-8.`)
  const numbersMayBeHuge = scan(text, depthMax, name)
  const buffer = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  const json = buffer.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    const position = firstMistake(text)
    throw serviceError('MALFORMED_JSON', `${name} is not valid JSON at byte ${position}${advice}.`)
  }
  return { value, suspicious: numbersMayBeHuge || mayBeUnkeepable(json) }
}

/** Throws JSON_TOO_DEEP; answers whether a number may be out of range. */
function scan(bytes: Uint8Array, depthMax: number, name: string): boolean {
  let depth = 0
  let inString = false
  let numbersMayBeHuge = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (inString) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte <= NINE && byte >= ZERO) {
      const first = at
      while (at + 1 < bytes.length && isDigit(bytes[at + 1])) at += 1
      if (at - first >= DIGITS_SURE || hasLongExponent(bytes, at + 1)) numbersMayBeHuge = true
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth += 1
      if (depth > depthMax) throw serviceError('JSON_TOO_DEEP', tooDeep(name, depthMax))
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1
  }
  return numbersMayBeHuge
}

function tooDeep(name: string, depthMax: number): string {
  const setting = variableOf('jsonDepthMax')
  return `${name} is nested deeper than ${depthMax} levels, the setting ${setting}.`
}

/** Whether an exponent of three digits or more begins here; one below zero makes no number huge. */
function hasLongExponent(bytes: Uint8Array, at: number): boolean {
  if (at + 3 >= bytes.length || ((bytes[at] as number) | LOWER_CASE) !== LETTER_E) return false
  const digits = bytes[at + 1] === PLUS ? at + 2 : at + 1
  return isDigit(bytes[digits]) && isDigit(bytes[digits + 2])
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte <= NINE && byte >= ZERO
}
