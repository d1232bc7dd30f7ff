import { openBreath } from '../../breath.ts'
import { ServiceError, serviceError } from '../../errors.ts'
import { isBlankJson } from '../../json/json.ts'
import { isObject } from '../../object.ts'
import { openPieces } from '../../pieces.ts'
import { type BulkAnswer, bulkAnswerJson } from './bulk-answer.ts'
import { type GroupOptions, openGroups } from './bulk-groups.ts'
import {
  type ItemOptions,
  type Line,
  type LineOptions,
  openItemReader,
  openLineReader,
  type Read,
} from './bulk-item.ts'
import type { Documents } from './documents.ts'
import { withPauses } from './pauses.ts'

/** Many writes in one request; a wrong item fails alone. The answer is a BulkReply in UTF-8 JSON. */
export interface Bulk {
  list: (items: unknown[], options: ListOptions) => Promise<Uint8Array>
  /** NDJSON, worked off while it arrives. */
  lines: (stream: AsyncIterable<Uint8Array>, options: LinesOptions) => Promise<Uint8Array>
}

export function openBulk(documents: Documents): Bulk {
  return {
    list: async (items, options) => bulkAnswerJson(await loadList(documents, items, options)),
    lines: async (stream, options) => bulkAnswerJson(await loadLines(documents, stream, options)),
  }
}

interface ListOptions extends ItemOptions, GroupOptions {
  /** The items must be looked through for what can't be kept. */
  suspicious: boolean
}

interface LinesOptions extends LineOptions, GroupOptions {
  /** Counts bytes of a line that is not whole yet, negative ones when it is; throws when there is no room for them. */
  hold: (bytes: number) => void
}

const NEWLINE = 0x0a
/** Time that the work on one request may hold the main thread. */
const STRETCH_MS = 5
/** Items that are written together. */
const GROUP_LINES = 1000
const GROUP_BYTES = 4 << 20
/** Lines that are found between two looks at the clock. */
const LINES_A_BREATH = 1024
/** Items of a list that are read between two such looks. */
const ITEMS_A_BREATH = 64

/** Writes a list of items, each by itself; answers in their order. */
async function loadList(
  documents: Documents,
  items: unknown[],
  options: ListOptions,
): Promise<BulkAnswer> {
  const read = openItemReader(options)
  const { suspicious, noteDone } = options
  const groups = openGroups(documents, options)
  const breathe = openBreath(STRETCH_MS)
  // Sent again, what has no id would be there twice: it must be in one transaction with the note that the request is done.
  const mustBeOneGroup = noteDone !== undefined && items.some(isNameless)
  let group: Read[] = []
  for (const value of items) {
    group.push(read({ value, suspicious }))
    if (group.length % ITEMS_A_BREATH === 0) await breathe()
    if (mustBeOneGroup || group.length < GROUP_LINES) continue
    await groups.write(group)
    group = []
  }
  if (group.length > 0) await groups.write(group)
  return groups.answer()
}

function isNameless(item: unknown): boolean {
  return !isObject(item) || item.id === undefined
}

/** Writes NDJSON while it arrives; a line that is wrong fails alone. */
async function loadLines(
  documents: Documents,
  stream: AsyncIterable<Uint8Array>,
  options: LinesOptions,
): Promise<BulkAnswer> {
  const groups = openGroups(documents, options)
  const read = openLineReader(options)
  let lines: Line[] = []
  let firstLine: number | undefined
  let bytes = 0
  const breathe = openBreath(STRETCH_MS)

  async function flush(): Promise<void> {
    const items: Read[] = []
    for (const line of lines) {
      await breathe()
      items.push(await read(line))
    }
    if (lines[0]?.number === firstLine) refuseOtherText(items)
    lines = []
    bytes = 0
    await groups.write(items)
  }

  for await (const line of splitLines(stream, options)) {
    if (line === undefined) {
      // What may be no NDJSON at all waits for as many lines as tell; `read` itself goes by the lines before.
      const mayBeOther = lines[0]?.number === firstLine && (await areUnread(lines, options))
      if (!mayBeOther && lines.length > 0) await flush()
      continue
    }
    firstLine ??= line.number
    lines.push(line)
    bytes += line.bytes?.length ?? 0
    if (lines.length >= GROUP_LINES || bytes >= GROUP_BYTES) await flush()
  }
  if (lines.length > 0) await flush()
  return groups.answer()
}

async function areUnread(lines: Line[], options: LineOptions): Promise<boolean> {
  const read = openLineReader(options)
  for (const line of lines) if (!isUnread(await read(line))) return false
  return true
}

function isUnread({ item }: Read): boolean {
  return item instanceof ServiceError && item.code === 'MALFORMED_JSON'
}

/** A table, or one document over many lines, is told as such, and not a line at a time. */
function refuseOtherText(items: Read[]): void {
  if (items.length < GROUP_LINES || !items.every(isUnread)) return
  const message = `None of the first ${GROUP_LINES} lines of the body is JSON: send one document a line.`
  throw serviceError('MALFORMED_JSON', message)
}

/**
 * Whole lines, without those that are blank, and `undefined` when no more come for a while. Of a line over the limit no
 * more is kept than that it was one.
 */
async function* splitLines(
  stream: AsyncIterable<Uint8Array>,
  { lineBytesMax, hold }: Pick<LinesOptions, 'lineBytesMax' | 'hold'>,
): AsyncGenerator<Line | undefined> {
  const rest = openPieces()
  let restBytes = 0
  let held = 0
  const keep = (part: Uint8Array): void => {
    hold(part.length)
    held += part.length
    rest.add(part)
  }
  const letGo = (): void => {
    if (held > 0) hold(-held)
    held = 0
    rest.takeAll()
  }
  let number = 1
  const breathe = openBreath(STRETCH_MS)
  for await (const chunk of withPauses(stream)) {
    if (chunk === undefined) {
      yield undefined
      continue
    }
    await breathe()
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (restBytes + end - start > lineBytesMax) yield { number, bytes: undefined }
      else {
        const line = joinLine(rest.takeAll(), chunk.subarray(start, end))
        if (!isBlankJson(line)) yield { number, bytes: line }
      }
      letGo()
      restBytes = 0
      start = end + 1
      number += 1
      // A piece of the body may be nothing but ends of lines.
      if (number % LINES_A_BREATH === 0) await breathe()
    }
    restBytes += chunk.length - start
    if (restBytes > lineBytesMax) letGo()
    else if (start < chunk.length) keep(chunk.subarray(start))
  }
  if (restBytes > lineBytesMax) yield { number, bytes: undefined }
  const last = joinLine(rest.takeAll(), new Uint8Array())
  if (!isBlankJson(last)) yield { number, bytes: last }
}

function joinLine(parts: Uint8Array[], last: Uint8Array): Uint8Array {
  return parts.length === 0 ? last : Buffer.concat([...parts, last])
}
