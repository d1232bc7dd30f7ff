import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join, parse, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { commandError } from '../terminal.ts'
import { markdownSections } from './markdown.ts'
import { type FoundDocument, type Mapping, placeId, type Unreadable } from './record.ts'
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

type Kind = 'markdown' | 'text' | 'json' | 'lines' | 'table'

const KINDS: Record<string, Kind> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.txt': 'text',
  '.json': 'json',
  '.ndjson': 'lines',
  '.jsonl': 'lines',
  '.csv': 'table',
  '.tsv': 'table',
}

/** What the loader reads, for messages and help. */
export const READABLE = '.md .markdown .txt .json .ndjson .jsonl .csv .tsv, each also as .gz'

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
    if (!status.isDirectory() && kindOf(full) === undefined)
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
    else if (entry.isFile() && kindOf(path) !== undefined) files.push(path)
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

function kindOf(path: string): Kind | undefined {
  return KINDS[parse(path.toLowerCase().replace(/\.gz$/, '')).ext]
}

/** Reads one file's documents in order. `onBytes` hears how many bytes of the file were taken. */
export async function* readDocuments(
  file: SourceFile,
  options: { mapping: Mapping; keepStrings: boolean; onBytes: (bytes: number) => void },
): AsyncGenerator<FoundDocument | Unreadable> {
  const { mapping, keepStrings, onBytes } = options
  const kind = kindOf(file.path)
  try {
    const input = openInput(file.path, onBytes)
    if (kind === 'lines') yield* readLines(input, file.name, mapping)
    else if (kind === 'table') yield* readTable(input, file.name, mapping, keepStrings)
    else if (kind === 'json') yield* readJson(input, file.name, mapping)
    else yield* readProse(input, file, kind)
  } catch (error) {
    yield { file: file.name, line: 0, reason: `can't be read further: ${reasonOf(error)}` }
  }
}

async function* readProse(
  input: AsyncIterable<Buffer>,
  file: SourceFile,
  kind: Kind | undefined,
): AsyncGenerator<FoundDocument | Unreadable> {
  const text = await readText(input)
  if (text === undefined) {
    yield { file: file.name, line: 0, reason: `is ${NOT_UTF8}` }
    return
  }
  const name = parse(file.name.replace(/\.gz$/i, '')).name
  const source = file.name
  if (kind === 'text') {
    const content = text.trim()
    if (content === '') return
    yield { file: source, line: 1, id: placeId(source), document: { title: name, content, source } }
    return
  }
  for (const [position, section] of markdownSections(text, name).entries()) {
    const { title, text: content, line } = section
    const id = placeId(source, position + 1)
    yield { file: source, line, id, document: { title, content, source } }
  }
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
