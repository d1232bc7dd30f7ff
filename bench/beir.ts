import { QUERY_CHARACTERS_MAX } from '../src/schema/common.ts'
import { hashQuery } from '../src/search/query/query-hash.ts'
import { linesOf, type PlacedLine } from './collection-files.ts'
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
  /** What is odd about it though it can be used, in sentences. */
  remarks: string[]
}

type Labels = Map<string, Map<string, number>>

/**
 * Reads `corpus.jsonl[.gz]`, `queries.jsonl[.gz]` and `qrels/SPLIT.tsv[.gz]` of a BEIR folder. Throws a Refusal that
 * says what to do when a file is missing, a line can't be read, or the three files are not of one collection.
 */
export async function readCollection(folder: string, split = 'test'): Promise<Collection> {
  const remarks: string[] = []
  const documents = await readDocuments(folder, remarks)
  const qrels = `qrels/${split}.tsv`
  const labels = await readLabels(folder, qrels)
  const queries = await readQueries(folder, labels, remarks)
  if (queries.length === 0)
    throw new Refusal(
      `No query of ${folder} has a document that ${qrels} judges above 0: are queries.jsonl and ${qrels} of the same collection?`,
    )
  noteMissing(documents, queries, { folder, qrels, remarks })
  return { documents, queries, remarks }
}

/**
 * Parts the queries in those that are asked and a share that nobody asks; what has the words of an asked one is neither,
 * and of very few queries none is left out.
 */
export function splitQueries(
  queries: JudgedQuery[],
  share: number,
): { asked: JudgedQuery[]; unseen: JudgedQuery[] } {
  const isAsked = (at: number) => ((at * 7919) % 100) / 100 >= share
  const asked = queries.filter((_, at) => isAsked(at))
  if (asked.length === 0) return { asked: queries, unseen: [] }
  const wordsOf = ({ text }: JudgedQuery) => hashQuery(text, undefined)
  const known = new Set(asked.map(wordsOf))
  return {
    asked,
    unseen: queries.filter((query, at) => !isAsked(at) && !known.has(wordsOf(query))),
  }
}

async function readDocuments(folder: string, remarks: string[]): Promise<BenchDocument[]> {
  const documents = new Map<string, BenchDocument>()
  let count = 0
  for await (const line of linesOf(folder, 'corpus.jsonl')) {
    const { id, row } = readRow(line)
    documents.set(id, { id, title: textOf(row.title), content: textOf(row.text) })
    count += 1
  }
  if (count === 0) throw new Refusal(`${folder} has a corpus.jsonl without documents.`)
  const again = count - documents.size
  if (again > 0)
    remarks.push(
      `Lines of corpus.jsonl with an _id that comes again, of which the last counts: ${again}.`,
    )
  const read = [...documents.values()]
  const full = read.filter(({ title, content }) => `${title}${content}`.trim() !== '')
  if (full.length < read.length)
    remarks.push(
      `Documents with neither title nor text, which the service takes none of: ${read.length - full.length}, left out.`,
    )
  return full
}

async function readQueries(
  folder: string,
  labels: Labels,
  remarks: string[],
): Promise<JudgedQuery[]> {
  const queries = new Map<string, JudgedQuery>()
  let cut = 0
  let wordless = 0
  for await (const line of linesOf(folder, 'queries.jsonl')) {
    const { id, row } = readRow(line)
    const judged = labels.get(id)
    if (judged === undefined) continue
    const text = textOf(row.text)
    if (text.trim() === '') {
      wordless += 1
      continue
    }
    const characters = text.length > QUERY_CHARACTERS_MAX ? [...text] : []
    if (characters.length > QUERY_CHARACTERS_MAX) cut += 1
    const words =
      characters.length === 0 ? text : characters.slice(0, QUERY_CHARACTERS_MAX).join('')
    queries.set(id, { id, text: words, labels: judged })
  }
  if (wordless > 0) remarks.push(`Judged queries without a text, which are left out: ${wordless}.`)
  const unknown = labels.size - queries.size - wordless
  if (unknown > 0 && queries.size > 0)
    remarks.push(`Judged queries that are not in queries.jsonl: ${unknown} of ${labels.size}.`)
  if (cut > 0)
    remarks.push(
      `Queries longer than the ${QUERY_CHARACTERS_MAX} characters that a search takes, which are cut there: ${cut}.`,
    )
  return [...queries.values()]
}

/** A line of JSON with an `_id`, which may be a number. */
function readRow({ text, place }: PlacedLine): { id: string; row: Record<string, unknown> } {
  let row: unknown
  try {
    row = JSON.parse(text)
  } catch {
    throw new Refusal(
      `${place}: this is no JSON. Each line must be an object like {"_id": "1", "text": "…"}.`,
    )
  }
  const { _id: id } = (row ?? {}) as { _id?: unknown }
  if ((typeof id !== 'string' && typeof id !== 'number') || id === '')
    throw new Refusal(
      `${place}: this has no "_id". Each line must be an object like {"_id": "1", "text": "…"}.`,
    )
  return { id: String(id), row: row as Record<string, unknown> }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

async function readLabels(folder: string, name: string): Promise<Labels> {
  const labels: Labels = new Map()
  let wrong: PlacedLine | undefined
  let isFirst = true
  for await (const line of linesOf(folder, name)) {
    const [query = '', document = '', label = '', ...rest] = line.text.trimEnd().split('\t')
    const gain = label.trim() === '' || rest.length > 0 ? Number.NaN : Number(label)
    // The first line may be a heading.
    if (Number.isNaN(gain) && !isFirst) wrong ??= line
    isFirst = false
    if (!(gain > 0)) continue
    const judged = labels.get(query) ?? new Map<string, number>()
    labels.set(query, judged.set(document, gain))
  }
  if (wrong !== undefined)
    throw new Refusal(
      `${wrong.place}: this must be a query's _id, a document's _id and a number, with tabs between them.`,
    )
  return labels
}

/** Judged documents that the corpus lacks: some happen, all are those of another collection. */
function noteMissing(
  documents: readonly BenchDocument[],
  queries: readonly JudgedQuery[],
  { folder, qrels, remarks }: { folder: string; qrels: string; remarks: string[] },
): void {
  const known = new Set(documents.map(({ id }) => id))
  const judged = new Set(queries.flatMap(({ labels }) => [...labels.keys()]))
  const missing = [...judged].filter((id) => !known.has(id)).length
  if (missing === judged.size)
    throw new Refusal(
      `No document that ${qrels} judges is in the corpus of ${folder}: are they of the same collection?`,
    )
  if (missing > 0)
    remarks.push(
      `Documents that ${qrels} judges above 0 and that can't be found, since they are not there: ${missing} of ${judged.size}.`,
    )
}
