import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Collection, readCollection } from './beir.ts'
import { measureFilterRecall } from './filter-recall.ts'
import { machineLine, readMachine } from './machine.ts'
import { mean, median, ndcg, recall } from './measures.ts'
import { Refusal, readNumber, tellPlainly } from './refusal.ts'
import { startServer } from './server.ts'
import { loadDocuments, must, openService, type Service, waitUntilLearned } from './service.ts'
import { formatTable, round } from './table.ts'

const USAGE = `npm run bench:quality -- FOLDER… [--size 100] [--request JSON] [--split test]
npm run bench:quality -- --filter-recall [--documents 20000]

Measures nDCG@10 (linear gains, as trec_eval) and recall of each search mode, through HTTP, on collections in BEIR's form
(corpus.jsonl[.gz], queries.jsonl, qrels/test.tsv). Only the queries that have judgements are asked.
  --size           hits asked and the depth of recall (default 100)
  --split          which judgements: qrels/SPLIT.tsv (default test)
  --request        JSON laid over each search request, to try a setting
  --filter-recall  recall@10 of filtered vector search against brute force over the same vectors
  --documents      documents of the filter-recall run (default 20000)`

const INDEX = 'quality'
const MODES = ['text', 'vector', 'hybrid']
const LANES = 4

tellPlainly()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: '100' },
    request: { type: 'string', default: '{}' },
    split: { type: 'string', default: 'test' },
    documents: { type: 'string', default: '20000' },
    'filter-recall': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const size = readNumber('size', values.size, { least: 1, whole: true })
const documents = readNumber('documents', values.documents, { least: 1, whole: true })
const more = readRequest(values.request)

if (values.help || (positionals.length === 0 && !values['filter-recall'])) console.log(USAGE)
else {
  console.log(machineLine(readMachine()))
  for (const folder of positionals) await measureCollection(resolve(folder))
  if (values['filter-recall']) await printFilterRecall(documents)
}

function readRequest(text: string): object {
  try {
    return JSON.parse(text) as object
  } catch {
    throw new Refusal(`--request must be JSON like {"fusion": "rrf"}, not ${text}.`)
  }
}

/** One mode's figures over all queries of a collection. */
interface QualityRow {
  collection: string
  mode: string
  ndcg10: number
  recall: number
  queries: number
  p50Ms: number
}

async function measureCollection(folder: string): Promise<void> {
  const collection = await readCollection(folder, values.split)
  for (const remark of collection.remarks) console.log(`${folder}: ${remark}`)
  const server = await startServer()
  const service = openService(server.url)
  try {
    const startedAt = performance.now()
    await loadDocuments(
      service,
      INDEX,
      collection.documents.map((document) => ({ ...document })),
    )
    const loadedS = (performance.now() - startedAt) / 1000
    const { vectorSpace } = await waitUntilLearned(service, INDEX, collection.documents.length)
    const readyS = (performance.now() - startedAt) / 1000
    console.log(
      `\n${folder}: ${collection.documents.length} documents in ${loadedS.toFixed(1)} s, ${vectorSpace.kind} space of ${vectorSpace.dimensions} dimensions after ${readyS.toFixed(1)} s`,
    )
    const rows: QualityRow[] = []
    for (const mode of MODES) rows.push(await measureMode(service, folder, collection, mode))
    console.log(
      formatTable([
        ['mode', 'nDCG@10', `recall@${values.size}`, 'queries', 'p50 ms'],
        ...rows.map((row) => [
          row.mode,
          row.ndcg10.toFixed(4),
          row.recall.toFixed(4),
          row.queries,
          round(row.p50Ms),
        ]),
      ]),
    )
    for (const row of rows) console.log(JSON.stringify(row))
  } finally {
    await service.close()
    await server.stop()
  }
}

async function measureMode(
  service: Service,
  folder: string,
  { queries }: Collection,
  searchType: string,
): Promise<QualityRow> {
  const gains: number[] = []
  const recalls: number[] = []
  const times: number[] = []
  const waiting = [...queries]
  const lane = async () => {
    for (let query = waiting.pop(); query !== undefined; query = waiting.pop()) {
      const from = performance.now()
      const data = await must(
        service.call('POST', '/cortex/search', {
          query: query.text,
          index: INDEX,
          searchType,
          size,
          fields: ['title'],
          ...more,
        }),
      )
      times.push(performance.now() - from)
      const ranked = (data.hits as { id: string }[]).map(({ id }) => id)
      gains.push(ndcg(ranked, query.labels, 10))
      recalls.push(recall(ranked, query.labels, size))
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const p50Ms = median(times)
  return {
    collection: folder.split('/').at(-1) ?? folder,
    mode: searchType,
    ndcg10: mean(gains),
    recall: mean(recalls),
    queries: queries.length,
    p50Ms,
  }
}

async function printFilterRecall(documents: number): Promise<void> {
  const rows = await measureFilterRecall(documents)
  console.log(
    `\nfiltered vector search, ${documents} synthetic vectors in clusters, k 10, against brute force\n${formatTable(
      [
        ['passing', 'recall@10', 'least hits', 'p50 ms', 'bar', ''],
        ...rows.map((row) => [
          row.passing,
          row.recall.toFixed(4),
          row.leastHits,
          round(row.p50Ms),
          '≥ 0.99, 10 hits',
          row.recall >= 0.99 && row.leastHits >= Math.min(10, row.passing) ? 'met' : 'MISSED',
        ]),
      ],
    )}`,
  )
  for (const row of rows) console.log(JSON.stringify(row))
}
