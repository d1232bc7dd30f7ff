import { ServiceError } from '../../errors.ts'
import { placeOfMistake } from '../../first-mistake.ts'
import { readJson as readBody } from '../../json/json.ts'
import { refuseUnkeepable } from '../../json/unkeepable.ts'
import { isObject } from '../../object.ts'
import { openActions } from '../../search/documents/bulk-action.ts'
import { beginningOf } from '../../word.ts'
import {
  type FilePlace,
  type FoundDocument,
  type Mapping,
  toFound,
  type Unreadable,
} from './record.ts'
import { NOT_UTF8, readText, utf8Text } from './utf8.ts'

const LINE_BYTES_MAX = 64_000_000
const LINE_END = 0x0a
const NAME_CHARACTERS_MAX = 64

/** One JSON document a line; an unreadable line is reported and the next one read. */
export async function* readLines(
  input: AsyncIterable<Buffer>,
  file: string,
  mapping: Mapping,
): AsyncGenerator<FoundDocument | Unreadable> {
  const read = openReader(mapping)
  let line = 0
  for await (const bytes of linesOf(input)) {
    line += 1
    const text = utf8Text(bytes)?.trim()
    if (text === undefined) yield { file, line, reason: `is ${NOT_UTF8}` }
    else if (text !== '') yield read(parsed(bytes, { file, line }))
  }
}

/** Cuts chunks into lines. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  let length = 0
  for await (const chunk of input) {
    let from = 0
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      const rest = chunk.subarray(from, end)
      yield begun.length === 0 ? rest : Buffer.concat([...begun, rest])
      begun = []
      length = 0
      from = end + 1
    }
    begun.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > LINE_BYTES_MAX) throw new Error('a line is longer than 64 million bytes')
  }
  if (length > 0) yield Buffer.concat(begun)
}

interface Parsed {
  place: FilePlace
  value: unknown
  suspicious: boolean
}

/** As the server reads a body; how deep it may be is for the server to say. */
function parsed(bytes: Buffer, place: FilePlace): Parsed | Unreadable {
  try {
    return { place, ...readBody(bytes, Number.POSITIVE_INFINITY, { name: 'The file' }) }
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    if (cause.code !== 'MALFORMED_JSON') return { ...place, reason: cause.message }
    const { line, column } = placeOfMistake(bytes)
    const at = place.line > 0 ? `column ${column}` : `line ${line}, column ${column}`
    return { ...place, reason: `is not valid JSON at ${at}` }
  }
}

/**
 * Makes documents of what was parsed, in its order. What the server would refuse for its numbers is refused here: it would
 * be sent as other ones. So is what it would refuse for being an action of its own: it would be sent as a document.
 */
function openReader(mapping: Mapping) {
  const actions = openActions()
  return (read: Parsed | Unreadable): FoundDocument | Unreadable => {
    if ('reason' in read) {
      actions.skip()
      return read
    }
    const { place, value, suspicious } = read
    try {
      const refusal = actions.refusalOf(value)
      if (refusal !== undefined) throw refusal
      if (suspicious) refuseUnkeepable(value, 'all')
    } catch (cause) {
      if (!(cause instanceof ServiceError)) throw cause
      return { ...place, reason: cause.message }
    }
    return toFound(value, place, mapping)
  }
}

/** A JSON file with one document, a list of them, or `{"documents": […]}` around it; it is read whole. */
export async function* readJson(
  input: AsyncIterable<Buffer>,
  file: string,
  mapping: Mapping,
): AsyncGenerator<FoundDocument | Unreadable> {
  const text = await readText(input)
  if (text === undefined) {
    yield { file, line: 0, reason: `is ${NOT_UTF8}` }
    return
  }
  const whole = parsed(Buffer.from(text), { file, line: 0 })
  if ('reason' in whole) {
    const hint = ' (one document a line? then name it .ndjson)'
    yield { ...whole, reason: whole.reason + (whole.reason.startsWith('is not') ? hint : '') }
    return
  }
  const { value: content, suspicious } = whole
  const read = openReader(mapping)
  const advice = adviceFor(content)
  for (const [position, value] of documentsIn(content).entries()) {
    const found = read({ place: { file, line: position + 1 }, value, suspicious })
    yield 'reason' in found ? found : { ...found, ...advice }
  }
}

/** Many answers of other servers have their documents in a list, under a name that only they know. */
function adviceFor(content: unknown): { advice?: string } {
  if (!isObject(content)) return {}
  const isList = ([, value]: [string, unknown]) =>
    Array.isArray(value) && value.length > 0 && value.every(isObject)
  const [name] = Object.entries(content).find(isList) ?? []
  if (name === undefined || documentsIn(content)[0] !== content) return {}
  return {
    advice: `If its documents are the list in "${beginningOf(name, NAME_CHARACTERS_MAX)}", save that list as a file of its own.`,
  }
}

/** The documents stand alone, in a list, or in one under `documents`; the hits of an answer of Elasticsearch under `hits.hits`. */
function documentsIn(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content
  const { documents, hits } = isObject(content) ? content : {}
  if (Array.isArray(documents)) return documents
  return isObject(hits) && Array.isArray(hits.hits) ? hits.hits : [content]
}
