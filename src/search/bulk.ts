import { invalid, ServiceError } from '../errors.ts'
import type { BulkItem } from '../schema/document.ts'
import type { Written } from './document-writes.ts'
import type { Documents } from './documents.ts'

/** One line of a bulk answer, in the order of the request. */
type BulkItemReply =
  | ({ status: number } & Written)
  | { status: number; id?: string; index?: string; code: string; error: string }

interface BulkAnswer {
  items: BulkItemReply[]
  succeeded: number
  failed: number
}

/** Many writes in one request; a wrong item fails alone. */
export interface Bulk {
  list: (items: unknown[], options: BulkOptions) => Promise<BulkAnswer>
  /** NDJSON, worked off while it arrives. */
  lines: (stream: AsyncIterable<Uint8Array>, options: LinesOptions) => Promise<BulkAnswer>
}

export function openBulk(documents: Documents): Bulk {
  return {
    list: (items, options) => loadList(documents, items, options),
    lines: (stream, options) => loadLines(documents, stream, options),
  }
}

interface BulkOptions {
  /** Index of items that name none. */
  index: string | undefined
  refresh: boolean
  /** Throws a ServiceError about an item that has not the right shape. */
  check: (item: unknown) => void
}

interface LinesOptions extends BulkOptions {
  /** Reads one line's JSON; throws a ServiceError. */
  parse: (line: Uint8Array) => unknown
  lineBytesMax: number
}

const NEWLINE = 0x0a
/** Lines that are written together; two such groups are under way at a time. */
const GROUP_LINES = 1000
const GROUP_BYTES = 4 << 20
const GROUPS_UNDER_WAY = 3

/** Writes a list of items, each by itself; answers in their order. */
async function loadList(
  documents: Documents,
  items: unknown[],
  options: BulkOptions,
): Promise<BulkAnswer> {
  return answer(await writeGroup(documents, items.map(readItem(options)), options))
}

/** Writes NDJSON while it arrives; a line that is wrong fails alone. */
async function loadLines(
  documents: Documents,
  stream: AsyncIterable<Uint8Array>,
  options: LinesOptions,
): Promise<BulkAnswer> {
  const groups: Promise<BulkItemReply[]>[] = []
  const underWay = new Set<Promise<unknown>>()
  let lines: Uint8Array[] = []
  let bytes = 0

  async function flush(): Promise<void> {
    const items = lines.map(readLine(options))
    lines = []
    bytes = 0
    while (underWay.size >= GROUPS_UNDER_WAY) await Promise.race(underWay)
    const group = writeGroup(documents, items, options)
    groups.push(group)
    underWay.add(group)
    const forget = (): void => void underWay.delete(group)
    group.then(forget, forget)
  }

  for await (const line of splitLines(stream, options.lineBytesMax)) {
    lines.push(line)
    bytes += line.length
    if (lines.length >= GROUP_LINES || bytes >= GROUP_BYTES) await flush()
  }
  if (lines.length > 0) await flush()
  return answer((await Promise.all(groups)).flat())
}

/** Whole lines, without those that are blank. A line over the limit ends the request. */
async function* splitLines(
  stream: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array[] = []
  let restBytes = 0
  for await (const chunk of stream) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = joinLine(rest, chunk.subarray(start, end))
      rest = []
      restBytes = 0
      start = end + 1
      if (!isBlank(line)) yield line
    }
    if (start < chunk.length) rest.push(chunk.subarray(start))
    restBytes += chunk.length - start
    if (restBytes > lineBytesMax)
      throw invalid('body', `has a line of more than ${lineBytesMax} bytes`, 'BODY_TOO_LARGE')
  }
  const last = joinLine(rest, new Uint8Array())
  if (!isBlank(last)) yield last
}

function joinLine(parts: Uint8Array[], last: Uint8Array): Uint8Array {
  return parts.length === 0 ? last : Buffer.concat([...parts, last])
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09)
}

type Read = BulkItem | ServiceError

function readLine(options: LinesOptions): (line: Uint8Array) => Read {
  const read = readItem(options)
  return (line) => orError(() => read(options.parse(line)))
}

function readItem({ check }: BulkOptions): (sent: unknown) => Read {
  return (sent) =>
    orError(() => {
      const item = asItem(sent)
      check(item)
      return item as BulkItem
    })
}

function orError(read: () => Read): Read {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof ServiceError) return cause
    throw cause
  }
}

/** `{op?, index?, id?, document}`, or a plain document with an optional id. */
function asItem(sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent
  if ('document' in sent || 'op' in sent) return sent
  const { id, ...document } = sent as Record<string, unknown>
  return id === undefined ? { document } : { id, document }
}

async function writeGroup(
  documents: Documents,
  items: Read[],
  { index, refresh }: BulkOptions,
): Promise<BulkItemReply[]> {
  const outcomes = await documents.bulk(items, index, { refresh })
  return outcomes.map((outcome, at) => {
    if (!(outcome instanceof ServiceError)) return { status: 200, ...outcome }
    const item = items[at]
    const named = item === undefined || item instanceof ServiceError ? {} : namesOf(item)
    return { status: outcome.status, ...named, code: outcome.code, error: outcome.message }
  })
}

function namesOf({ id, index }: BulkItem): { id?: string; index?: string } {
  return { ...(id === undefined ? {} : { id }), ...(index === undefined ? {} : { index }) }
}

function answer(items: BulkItemReply[]): BulkAnswer {
  const failed = items.filter((item) => 'error' in item).length
  return { items, succeeded: items.length - failed, failed }
}
