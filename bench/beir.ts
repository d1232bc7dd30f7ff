import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { Refusal } from './refusal.ts'

/** One document of a collection, as the service takes it: the collection's `text` is `content`. */
export interface BenchDocument {
  id: string
  title: string
  content: string
}

/** One query with its judged documents: document id → label (only labels above 0). */
export interface JudgedQuery {
  id: string
  text: string
  labels: Map<string, number>
}

/** A test collection in BEIR's form, read whole. Queries without a judged document are left out. */
export interface Collection {
  documents: BenchDocument[]
  queries: JudgedQuery[]
}

/**
 * Reads `corpus.jsonl[.gz]`, `queries.jsonl[.gz]` and `qrels/test.tsv` of a BEIR folder.
 * Throws a Refusal that names the file that is missing.
 */
export async function readCollection(folder: string): Promise<Collection> {
  const documents: BenchDocument[] = []
  for await (const line of linesOf(folder, 'corpus.jsonl')) {
    const row = JSON.parse(line) as { _id: string; title?: string; text?: string }
    documents.push({ id: row._id, title: row.title ?? '', content: row.text ?? '' })
  }
  const labels = await readLabels(folder)
  const queries: JudgedQuery[] = []
  for await (const line of linesOf(folder, 'queries.jsonl')) {
    const row = JSON.parse(line) as { _id: string; text: string }
    const judged = labels.get(row._id)
    if (judged !== undefined) queries.push({ id: row._id, text: row.text, labels: judged })
  }
  return { documents, queries }
}

async function readLabels(folder: string): Promise<Map<string, Map<string, number>>> {
  const labels = new Map<string, Map<string, number>>()
  for await (const line of linesOf(folder, 'qrels/test.tsv')) {
    const [query, document, label] = line.split('\t')
    const gain = Number(label)
    if (query === undefined || document === undefined || !(gain > 0)) continue
    const judged = labels.get(query) ?? new Map<string, number>()
    labels.set(query, judged.set(document, gain))
  }
  return labels
}

async function* linesOf(folder: string, name: string): AsyncGenerator<string> {
  const plain = join(folder, name)
  const packed = `${plain}.gz`
  if (!existsSync(plain) && !existsSync(packed))
    throw new Refusal(
      `${plain} is missing: name the folder of a collection in BEIR's form itself, with corpus.jsonl, queries.jsonl (or .gz of them) and qrels/test.tsv.`,
    )
  const input = existsSync(plain)
    ? createReadStream(plain)
    : createReadStream(packed).pipe(createGunzip())
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
    if (line.trim() !== '') yield line
}
