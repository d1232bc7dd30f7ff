import type { SearchResult } from '../../native.ts'
import { isObject } from '../../object.ts'
import { sharedMs } from '../../shared-clock.ts'
import type { Reader } from '../../store/reader.ts'
import { idJson, sourceJson } from '../record.ts'
import { type BytesWriter, bytesWriter } from './bytes.ts'
import type { LentBytes } from './slab.ts'

/** An index as a page names it. */
export interface PageIndex {
  indexId: number
  engineId: number
  name: string
}

export interface PageParts {
  indices: PageIndex[]
  /** Source fields to return; undefined returns the source as it was sent. */
  fields: string[] | undefined
  /** Per hit, JSON of `{field: [fragments]}`. */
  highlights: (string | undefined)[] | undefined
  nextCursor: string | undefined
  /** Start of the request, and when nobody waits for it any more, by `sharedMs`. */
  startedMs: number
  endsMs: number
  /** JSON of the searchContext without its last brace; the generation is added here. */
  context: string
  /** Writes bytes for the service itself that travel behind the page; the hits' ids follow, as JSON with commas. */
  appendix: ((appended: Appended) => void) | undefined
}

export interface Appended {
  write: (bytes: Uint8Array) => void
  /** Length of the ids that follow. */
  idsBytes: number
  tookMs: number
}

/**
 * Writes the envelope's `data` of a search as UTF-8 JSON, `dataLength` bytes of it, and the appendix behind it:
 * records are copied, not parsed.
 */
export function writePage(
  reader: Reader,
  result: SearchResult,
  parts: PageParts,
): { data: LentBytes; dataLength: number } {
  const writer = bytesWriter()
  try {
    return write(writer, reader, result, parts)
  } catch (cause) {
    writer.drop()
    throw cause
  }
}

function write(
  writer: BytesWriter,
  reader: Reader,
  result: SearchResult,
  parts: PageParts,
): { data: LentBytes; dataLength: number } {
  const { text, bytes, length, finish } = writer
  const byEngine = new Map(parts.indices.map((index) => [index.engineId, index]))
  /** Where each id begins and ends. */
  const ids: number[] = []
  /** The index whose name was written last, and how. */
  let named: PageIndex | undefined
  let name = ''
  text('{"hits":[')
  for (let at = 0; at < result.ords.length; at++) {
    const index = byEngine.get(result.ids[at] ?? -1)
    const record = index && reader.record(index.indexId, result.ords[at] ?? -1)
    if (index === undefined || record === undefined)
      throw new Error(`No record behind hit ${at} of the page.`)
    text(at === 0 ? '{"id":' : ',{"id":')
    const idStart = length()
    bytes(idJson(record))
    ids.push(idStart, length())
    if (index !== named) name = `,"index":${JSON.stringify(index.name)},"score":`
    named = index
    // Not joined with what follows: V8 keeps a joined text in parts, and to read letters from it costs a call for each.
    text(name)
    text(String(result.scores[at]))
    text(',"source":')
    if (parts.fields === undefined) bytes(sourceJson(record))
    else text(pickFields(sourceJson(record), parts.fields, parts.endsMs))
    const highlight = parts.highlights?.[at]
    if (highlight !== undefined) text(`,"highlight":${highlight}`)
    const explain = result.explain?.[at]
    if (explain !== undefined) text(`,"explain":${explain}`)
    text('}')
    refuseLargePage(length())
  }
  text(']')
  if (parts.nextCursor !== undefined) text(`,"nextCursor":"${parts.nextCursor}"`)
  if (result.facets !== undefined) text(`,"facets":${result.facets}`)
  const tookMs = Math.max(0, Math.round(sharedMs() - parts.startedMs))
  text(`,"total":${result.total},"took":${tookMs},"searchContext":${parts.context}`)
  text(`,"generation":${result.generation}}}`)
  const dataLength = length()
  if (parts.appendix !== undefined) {
    parts.appendix({ write: bytes, idsBytes: idsLength(ids), tookMs })
    appendIds(writer, ids)
  }
  return { data: finish(), dataLength }
}

/** The hits of one page; each search under way may take a few times as much memory. */
const PAGE_BYTES_MAX = 64 << 20

/** Throws for a page that would be longer; from a thread, an error is told by its code and sentence. */
export function refuseLargePage(bytes: number): void {
  if (bytes <= PAGE_BYTES_MAX) return
  const mib = PAGE_BYTES_MAX >> 20
  throw new Error(
    `VALIDATION_FAILED: size asks for a page of more than ${mib} MiB; ask for fewer hits, or name some fields in fields.`,
  )
}

/** Length of ids with commas between them. */
function idsLength(ids: readonly number[]): number {
  let bytes = Math.max(0, ids.length / 2 - 1)
  for (let at = 0; at < ids.length; at += 2) bytes += (ids[at + 1] ?? 0) - (ids[at] ?? 0)
  return bytes
}

function appendIds({ text, again }: BytesWriter, ids: readonly number[]): void {
  for (let at = 0; at < ids.length; at += 2) {
    if (at > 0) text(',')
    again(ids[at] ?? 0, ids[at + 1] ?? 0)
  }
}

/** The chosen fields of a source: names, or dotted paths into objects, as filters name them. */
function pickFields(source: Buffer, fields: string[], endsMs: number): string {
  // Whoever wants ids alone asks for many hits: their sources need not be read.
  if (fields.length === 0) return '{}'
  const values = JSON.parse(source.toString()) as unknown
  const picked = bare()
  for (const field of fields) {
    if (field === '*') return source.toString()
    // Each may lead through a million objects.
    if (sharedMs() > endsMs) throw new Error('TIMED_OUT: The search took too long.')
    pick(values, picked, field)
  }
  return JSON.stringify(picked)
}

/**
 * What lies under a path from some place of it on, in the objects and lists around it: in each object of a list, and under
 * keys that hold the dots themselves. Undefined where nothing does; `before` is what other paths picked there, and grows.
 */
function pick(from: unknown, before: unknown, path: string, start = 0): unknown {
  if (start > path.length || before === from) return from
  if (Array.isArray(from)) {
    const known = (before ?? []) as unknown[]
    const inner = from
      .filter((item) => isObject(item) || Array.isArray(item))
      .map((item, at) => pick(item, known[at], path, start) ?? (Array.isArray(item) ? [] : bare()))
    return inner.some(hasAny) ? inner : undefined
  }
  if (!isObject(from)) return undefined
  const to = (before ?? bare()) as Record<string, unknown>
  for (const key of beginningsIn(from, path, start)) {
    const inner = pick(from[key], to[key], path, start + key.length + 1)
    if (inner !== undefined) to[key] = inner
  }
  return hasAny(to) ? to : undefined
}

/** Beginnings of a path that are looked up in an object one by one. */
const LOOKS_MAX = 16

/** Keys of an object with which a path goes on. A client may send one of thousands of names, of which objects have none. */
function beginningsIn(object: object, path: string, start: number): string[] {
  const found: string[] = []
  let end = start - 1
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const dot = path.indexOf('.', end + 1)
    end = dot < 0 ? path.length : dot
    const key = path.slice(start, end)
    if (Object.hasOwn(object, key)) found.push(key)
    if (dot < 0) return found
  }
  return Object.keys(object).filter(
    (key) => path.startsWith(key, start) && [undefined, '.'].includes(path[start + key.length]),
  )
}

/** An object that inherits nothing: what was picked before is asked for by the names of fields. */
function bare(): Record<string, unknown> {
  return Object.create(null)
}

function hasAny(object: object): boolean {
  return Object.keys(object).length > 0
}
