import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Refusal } from './refusal.ts'

/** One line of a file, and where it stands, to be named when something is wrong with it. */
export interface PlacedLine {
  text: string
  place: string
}

const FILES = 'corpus.jsonl, queries.jsonl (or .gz of them) and qrels/test.tsv'
const LISTED_MAX = 5

/**
 * The lines of a file of a collection, packed by gzip or not, without empty ones. Throws a Refusal that says what to do
 * when the file is missing or can't be unpacked.
 */
export async function* linesOf(folder: string, name: string): AsyncGenerator<PlacedLine> {
  const path = pathOf(folder, name)
  let number = 0
  for await (const line of splitLines(open(path))) {
    number += 1
    const text = number === 1 ? line.replace(/^\uFEFF/, '') : line
    if (text.trim() !== '') yield { text, place: `${path}, line ${number}` }
  }
}

function pathOf(folder: string, name: string): string {
  const plain = join(folder, name)
  if (existsSync(plain)) return plain
  if (existsSync(`${plain}.gz`)) return `${plain}.gz`
  const isFile = existsSync(folder) && !statSync(folder).isDirectory()
  if (isFile)
    throw new Refusal(
      `${folder} is a file: name the folder of a collection in BEIR's form, unpacked, with ${FILES}.`,
    )
  throw new Refusal(
    `${plain} is missing: name the folder of a collection in BEIR's form itself, with ${FILES}.${hintOf(folder, name)}`,
  )
}

/** What there is instead. */
function hintOf(folder: string, name: string): string {
  const [room = '', file] = name.split('/')
  if (file !== undefined) {
    const splits = namesIn(join(folder, room)).flatMap(
      (found) => /^(.+)\.tsv(\.gz)?$/.exec(found)?.[1] ?? [],
    )
    return splits.length === 0 ? '' : ` There is qrels of ${listed(splits)}: choose by --split.`
  }
  const inner = namesIn(folder).filter((found) =>
    [name, `${name}.gz`].some((each) => existsSync(join(folder, found, each))),
  )
  return inner.length === 0 ? '' : ` There are collections in it: ${listed(inner)}.`
}

function namesIn(folder: string): string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return []
  return readdirSync(folder).sort()
}

function listed(names: string[]): string {
  return `${names.slice(0, LISTED_MAX).join(', ')}${names.length > LISTED_MAX ? ', …' : ''}`
}

/** As text; what can't be read ends in a Refusal. */
async function* open(path: string): AsyncGenerator<string> {
  const file = createReadStream(path)
  const bytes: Readable = path.endsWith('.gz') ? unpacked(file) : file
  try {
    for await (const piece of bytes.setEncoding('utf8')) yield piece as string
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isPacked = String(code).startsWith('Z_')
    throw new Refusal(
      isPacked
        ? `${path} can't be unpacked (${message}): it is damaged, or no gzip.`
        : `${path} can't be read: ${message}.`,
    )
  }
}

function unpacked(file: Readable): Readable {
  const unpacking = createGunzip()
  file.on('error', (error) => unpacking.destroy(error))
  return file.pipe(unpacking)
}

/** Lines end in LF or CR LF. U+2028 may stand in the text of a document, and ends none. */
async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (rest !== '') yield rest
}
