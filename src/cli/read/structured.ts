import { parse } from 'csv-parse'
import { ServiceError } from '../../errors.ts'
import { readJson as readBody } from '../../json/json.ts'
import { refuseUnkeepable } from '../../json/unkeepable.ts'
import { isObject } from '../../object.ts'
import { plainValue } from '../plain-value.ts'
import { type FoundDocument, type Mapping, toFound, type Unreadable } from './record.ts'
import { NOT_UTF8, openUtf8Check, readText, utf8Text } from './utf8.ts'

const LINE_BYTES_MAX = 64_000_000
const LINE_END = 0x0a

/** One JSON document a line; an unreadable line is reported and the next one read. */
export async function* readLines(
  input: AsyncIterable<Buffer>,
  file: string,
  mapping: Mapping,
): AsyncGenerator<FoundDocument | Unreadable> {
  let line = 0
  for await (const bytes of linesOf(input)) {
    line += 1
    const text = utf8Text(bytes)?.trim()
    if (text === undefined) yield { file, line, reason: `is ${NOT_UTF8}` }
    else if (text !== '') yield readLine(bytes, { file, line }, mapping)
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

function readLine(bytes: Buffer, place: Place, mapping: Mapping): FoundDocument | Unreadable {
  const read = parsed(bytes)
  return read === undefined
    ? { ...place, reason: 'is not valid JSON' }
    : foundIn(read.value, { ...read, place, mapping })
}

interface Place {
  file: string
  line: number
}

/** As the server reads a body; how deep it may be is for the server to say. Undefined where it is no JSON. */
function parsed(bytes: Buffer) {
  try {
    return readBody(bytes, Number.POSITIVE_INFINITY)
  } catch {
    return undefined
  }
}

/** What the server would refuse for its numbers is refused here: it would be sent as other ones. */
function foundIn(
  raw: unknown,
  { suspicious, place, mapping }: { suspicious: boolean; place: Place; mapping: Mapping },
): FoundDocument | Unreadable {
  try {
    if (suspicious) refuseUnkeepable(raw, 'all')
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    return { ...place, reason: cause.message }
  }
  return toFound(raw, place, mapping)
}

/** A JSON file with one document, a list of them, or `{"documents": […]}`; it is read whole. */
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
  const read = parsed(Buffer.from(text))
  if (read === undefined) {
    const hint = 'is not valid JSON (one document a line? then name it .ndjson)'
    yield { file, line: 1, reason: hint }
    return
  }
  const { value: content, suspicious } = read
  const wrapped = isObject(content) && Array.isArray(content.documents)
  const list = wrapped ? (content as { documents: unknown[] }).documents : content
  const documents: unknown[] = Array.isArray(list) ? list : [list]
  for (const [position, raw] of documents.entries())
    yield foundIn(raw, { suspicious, place: { file, line: position + 1 }, mapping })
}

/**
 * A table with a header row, separated by comma, semicolon or tab, whichever the header has most of.
 * Empty cells are left out; cells that are plainly numbers, true or false become such values unless
 * `keepStrings`; authors and tags are split at semicolons and bars.
 */
export async function* readTable(
  input: AsyncIterable<Buffer>,
  file: string,
  mapping: Mapping,
  keepStrings: boolean,
): AsyncGenerator<FoundDocument | Unreadable> {
  const skipped: Unreadable[] = []
  const chunks = input[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done === true) return
  const parser = parse({
    columns: true,
    bom: true,
    delimiter: delimiterOf(String(first.value)),
    info: true,
    trim: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: (error) => {
      const line = (error as { lines?: number } | undefined)?.lines ?? 0
      skipped.push({ file, line, reason: error?.message ?? 'is not a row of this table' })
      return undefined
    },
  })
  const feeding = feed(first.value as Buffer, chunks, parser)
  for await (const { record, info } of parser) {
    yield* skipped.splice(0)
    yield toFound(cells(record, keepStrings, mapping), { file, line: info.lines }, mapping)
  }
  yield* skipped.splice(0)
  await feeding
}

/** Passes chunks on no faster than the parser takes them; a failure of the file reaches the reader. */
async function feed(
  first: Buffer,
  chunks: AsyncIterator<Buffer>,
  parser: ReturnType<typeof parse>,
): Promise<void> {
  const check = openUtf8Check()
  try {
    for (let chunk = first; ; ) {
      check.take(chunk)
      if (!parser.write(chunk)) await new Promise((drained) => parser.once('drain', drained))
      const next = await chunks.next()
      if (next.done === true) break
      chunk = next.value
    }
    check.end()
    parser.end()
  } catch (error) {
    parser.destroy(error as Error)
  }
}

function delimiterOf(text: string): string {
  const header = text.split('\n', 1)[0] ?? ''
  const count = (delimiter: string) => header.split(delimiter).length
  return [';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best), ',')
}

const TEXT = new Set(['title', 'content', 'abstract', 'source', 'text', 'id', '_id'])

function cells(row: Record<string, string>, keepStrings: boolean, mapping: Mapping) {
  const fields: Record<string, unknown> = {}
  for (const [name, cell] of Object.entries(row)) {
    const target = mapping.rename.get(name) ?? name
    if (cell === '') continue
    if (target === 'authors' || target === 'tags')
      fields[name] = cell
        .split(/[;|]/)
        .map((part) => part.trim())
        .filter((part) => part !== '')
    else fields[name] = keepStrings || TEXT.has(target) ? cell : plainValue(cell)
  }
  return fields
}
