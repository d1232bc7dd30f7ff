import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join, parse, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { ownValue } from '../../object.ts'
import { commandError } from '../terminal.ts'
import { markdownSections } from './markdown.ts'
import { openSectionIds, placeId } from './place-id.ts'
import type { FoundDocument, Mapping, Unreadable } from './record.ts'
import { readJson, readLines } from './structured.ts'
import { readTable } from './table.ts'
import { NOT_UTF8, readText } from './utf8.ts'

/** A file to load. */
export interface SourceFile {
  path: string
  /** How it is named in ids, in `source` and in messages: relative to the working folder if inside it. */
  name: string
  bytes: number
  /** Changes when the file does. */
  fingerprint: string
}

interface ReadOptions {
  mapping: Mapping
  keepStrings: boolean
}
type Reader = (
  input: AsyncIterable<Buffer>,
  file: SourceFile,
  options: ReadOptions,
) => AsyncIterable<FoundDocument | Unreadable>

const readLinesOf: Reader = (input, { name }, { mapping }) => readLines(input, name, mapping)
const readTableOf: Reader = (input, { name }, { mapping, keepStrings }) =>
  readTable(input, name, mapping, keepStrings)

/** What reads a file, by the end of its name. */
const READERS: Readonly<Record<string, Reader>> = {
  '.md': readProse(sectionsOf),
  '.markdown': readProse(sectionsOf),
  '.txt': readProse(wholeOf),
  '.json': (input, { name }, { mapping }) => readJson(input, name, mapping),
  '.ndjson': readLinesOf,
  '.jsonl': readLinesOf,
  '.csv': readTableOf,
  '.tsv': readTableOf,
}

/** What the loader reads, for messages and help. */
export const READABLE = `${Object.keys(READERS).join(' ')}, each also as .gz`

/**
 * Finds the files behind the given paths, in a stable order, each once. In folders everything that
 * can be read is taken; what is hidden, node_modules and links are passed over unless named.
 */
export async function findFiles(paths: readonly string[], from: string): Promise<SourceFile[]> {
  const found = new Map<string, SourceFile>()
  for (const path of paths) {
    if (path === '-')
      throw commandError(
        'Standard input is not read: save it to a file first, named .ndjson, .csv or the like.',
      )
    const full = resolve(from, path)
    const status = await stat(full).catch((cause: unknown) => {
      throw commandError(`${path} does not exist or can't be read.`, cause)
    })
    const files = status.isDirectory() ? await filesUnder(full) : [full]
    if (!status.isDirectory() && readerOf(full) === undefined)
      throw commandError(`${path} is of a kind that can't be read; these can: ${READABLE}.`)
    for (const file of files) found.set(file, await describe(file, from))
  }
  return [...found.values()]
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw commandError(`${folder} can't be read.`, cause)
  })
  const files: string[] = []
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    if (entry.isDirectory()) files.push(...(await filesUnder(path)))
    else if (entry.isFile() && readerOf(path) !== undefined) files.push(path)
  }
  return files
}

async function describe(path: string, from: string): Promise<SourceFile> {
  const { size, mtimeMs } = await stat(path)
  const inside = relative(from, path)
  const outside = inside.startsWith('..') || isAbsolute(inside)
  const name = (outside ? path : inside).split(sep).join('/')
  return { path, name, bytes: size, fingerprint: `${size}-${Math.round(mtimeMs)}` }
}

function readerOf(path: string): Reader | undefined {
  return ownValue(READERS, parse(path.toLowerCase().replace(/\.gz$/, '')).ext)
}

/** Reads one file's documents in order. `onBytes` hears how many bytes of the file were taken. */
export async function* readDocuments(
  file: SourceFile,
  { onBytes, ...options }: ReadOptions & { onBytes: (bytes: number) => void },
): AsyncGenerator<FoundDocument | Unreadable> {
  try {
    const input = openInput(file.path, onBytes)
    yield* readerOf(file.path)?.(input, file, options) ?? []
  } catch (error) {
    yield { file: file.name, line: 0, reason: `can't be read further: ${reasonOf(error)}` }
  }
}

/** Reads a file whole, and makes documents of its text. */
function readProse(documentsOf: (text: string, source: string) => FoundDocument[]): Reader {
  return async function* (input, { name: source }) {
    const text = await readText(input)
    if (text === undefined) yield { file: source, line: 0, reason: `is ${NOT_UTF8}` }
    else yield* documentsOf(text, source)
  }
}

function sectionsOf(text: string, source: string): FoundDocument[] {
  const idOf = openSectionIds(source)
  return markdownSections(text, titleOf(source)).map((section) => {
    const { title, headings, text: content, line } = section
    return { file: source, line, id: idOf(headings), document: { title, content, source } }
  })
}

/** One document for the whole text, unless it is empty. */
function wholeOf(text: string, source: string): FoundDocument[] {
  const content = text.trim()
  if (content === '') return []
  const document = { title: titleOf(source), content, source }
  return [{ file: source, line: 1, id: placeId(source), document }]
}

/** The name of a file without its folders and its ending. */
function titleOf(source: string): string {
  return parse(source.replace(/\.gz$/i, '')).name
}

function openInput(path: string, onBytes: (bytes: number) => void): AsyncIterable<Buffer> {
  const raw = counted(createReadStream(path), onBytes)
  if (!path.toLowerCase().endsWith('.gz')) return raw
  const plain = createGunzip()
  // a failure also ends `plain`, whose reader then reports it
  pipeline(raw, plain).catch(() => undefined)
  return plain
}

async function* counted(input: AsyncIterable<Buffer>, onBytes: (bytes: number) => void) {
  for await (const chunk of input) {
    onBytes(chunk.length)
    yield chunk
  }
}

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code
  if (code?.startsWith('Z_')) return 'it is not a whole gzip file'
  return code === undefined ? (error as Error).message : code
}
