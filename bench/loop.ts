import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { seeded } from '../src/learn/statistics/random.ts'
import { type Collection, type JudgedQuery, readCollection, splitQueries } from './beir.ts'
import { simulateClicks, type Taste } from './clicks.ts'
import { type Outcome, reportLoop } from './loop-report.ts'
import { machineLine, readMachine } from './machine.ts'
import { mean, ndcg } from './measures.ts'
import { openRawCounts, type ScoredHit } from './raw-counts.ts'
import { readChoice, readNumber, tellPlainly } from './refusal.ts'
import { startServer } from './server.ts'
import { loadDocuments, must, openService, type Service, waitUntilSettled } from './service.ts'

const USAGE = `npm run bench:loop -- FOLDER… [--sessions 15] [--mode hybrid] [--seed 1] [--share N] [--noise N] [--eta N] [--split test]

Simulates people who search and click, through HTTP, on collections in BEIR's form, and prints how nDCG@10 grows:
without learning, with raw click counts (reckoned here), and with the service's learning. Position p is looked at with
probability 1/p^eta; relevant hits that are looked at are clicked, others now and then.
  --sessions  sessions a query (default 15)
  --mode      searchType (default hybrid)
  --seed      of the simulated people
  --share     exploration share of the service instead of its default
  --noise     chance that a hit that is looked at is clicked though it is not relevant (default 0.05)
  --eta       how fast people look away, from 0, where they look at all of a page (default 1, as the service expects)
  --split     which judgements: qrels/SPLIT.tsv (default test)
  --unseen    share of the queries that nobody asks until the end (default 0.2): learning must not hurt them`

const INDEX = 'loop'
const SIZE = 10
const LANES = 4
const MODES = ['text', 'vector', 'hybrid']
/** Somebody must ask something. */
const UNSEEN_MAX = 0.9
const FRAUD_CLICKS = 10_000
const FRAUD_BATCH = 1000

tellPlainly()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sessions: { type: 'string', default: '15' },
    mode: { type: 'string', default: 'hybrid' },
    seed: { type: 'string', default: '1' },
    share: { type: 'string' },
    noise: { type: 'string', default: '0.05' },
    eta: { type: 'string', default: '1' },
    unseen: { type: 'string', default: '0.2' },
    split: { type: 'string', default: 'test' },
    help: { type: 'boolean', default: false },
  },
})

const options = {
  sessions: readNumber('sessions', values.sessions, { least: 1, whole: true }),
  mode: readChoice('mode', values.mode, MODES),
  seed: readNumber('seed', values.seed, { whole: true }),
  share: values.share === undefined ? undefined : readNumber('share', values.share, { most: 1 }),
  noise: readNumber('noise', values.noise, { most: 1 }),
  eta: readNumber('eta', values.eta, { most: 5 }),
  unseen: readNumber('unseen', values.unseen, { most: UNSEEN_MAX }),
}

if (values.help || positionals.length === 0) console.log(USAGE)
else {
  console.log(machineLine(readMachine()))
  let missed = false
  for (const folder of positionals) missed = !(await runCollection(resolve(folder))) || missed
  process.exitCode = missed ? 1 : 0
}

async function runCollection(folder: string): Promise<boolean> {
  const collection = await readCollection(folder, values.split)
  for (const remark of collection.remarks) console.log(`${folder}: ${remark}`)
  const env: Record<string, string> = {}
  if (options.share !== undefined) env.EXPLORATION_SHARE = String(options.share)
  const server = await startServer({ env })
  const service = openService(server.url)
  try {
    const rows = collection.documents.map((document) => ({ ...document }))
    await loadDocuments(service, INDEX, rows)
    await waitUntilSettled(service, INDEX)
    return reportLoop(await runLoop(service, folder, collection))
  } finally {
    await service.close()
    await server.stop()
  }
}

async function runLoop(service: Service, folder: string, collection: Collection): Promise<Outcome> {
  const { asked, unseen } = splitQueries(collection.queries, options.unseen)
  const unseenStart = await measure(service, unseen)
  const unlearned = new Map<string, ScoredHit[]>()
  await inLanes(asked, async (query) => {
    unlearned.set(query.id, (await search(service, query, {}, 100)).hits)
  })
  const start = mean(asked.map((query) => quality(query, unlearned.get(query.id) ?? [])))
  const best = mean(asked.map((query) => bestOf(query, unlearned.get(query.id) ?? [])))
  const raw = openRawCounts(unlearned, SIZE, audienceOf)
  const random = seeded(options.seed)
  const curve = [{ sessions: 0, raw: start, learned: start }]
  for (let sessions = 1; sessions <= options.sessions; sessions++) {
    for (const query of asked) raw.visit(query, random)
    // Lanes end in any order, and every query has its own people: runs can be repeated.
    await inLanes(asked, (query, at) =>
      visit(service, query, seeded(options.seed * 1e6 + sessions * 1e4 + at)),
    )
    const learned = await measure(service, asked)
    curve.push({ sessions, raw: mean(asked.map((q) => quality(q, raw.rank(q)))), learned })
  }
  const fraud = await defraud(service, asked)
  const unseenEnd = await measure(service, unseen)
  const { mode } = options
  const others = { queries: unseen.length, start: unseenStart, end: unseenEnd }
  return { folder, mode, queries: asked.length, start, best, curve, fraud, unseen: others }
}

async function measure(service: Service, queries: JudgedQuery[]): Promise<number> {
  const values: number[] = []
  // The loop learns within a second; its readers wait for it.
  await must(service.call('GET', '/cortex/analytics/reports'))
  await inLanes(queries, async (query) => {
    values.push(quality(query, (await search(service, query)).hits))
  })
  return mean(values)
}

/** One person: a session, a search, the clicks. */
async function visit(service: Service, query: JudgedQuery, random: () => number): Promise<void> {
  const { sessionId } = await must(service.call('POST', '/cortex/sessions', {}))
  const { hits, queryId } = await search(service, query, { sessionId })
  const shown = hits.map(({ id }) => id)
  const places = simulateClicks(shown, audienceOf(query), random)
  if (places.length === 0) return
  const feedback = places.map((place) => entry(queryId, shown[place] ?? '', place + 1))
  await must(service.call('POST', '/cortex/feedback', { sessionId, feedback }))
}

/** What people think of a query's hits. */
function audienceOf({ labels }: JudgedQuery): Taste {
  const { noise, eta } = options
  return { isRelevant: (id) => labels.has(id), noise, eta }
}

/** One session clicks one document ten thousand times: answers how many of the first hits moved. */
async function defraud(service: Service, queries: JudgedQuery[]): Promise<number> {
  const { query, before } = await severalHits(service, queries)
  if (query === undefined) return 0
  const { sessionId } = await must(service.call('POST', '/cortex/sessions', {}))
  const { hits, queryId } = await search(service, query, { sessionId })
  const last = hits.at(-1)?.id ?? ''
  for (let sent = 0; sent < FRAUD_CLICKS; sent += FRAUD_BATCH) {
    const feedback = Array.from({ length: FRAUD_BATCH }, () => entry(queryId, last, hits.length))
    await must(service.call('POST', '/cortex/feedback', { sessionId, feedback }))
  }
  await must(service.call('GET', '/cortex/analytics/reports'))
  const after = (await search(service, query)).hits.map(({ id }) => id)
  return after.filter((id, place) => id !== before[place]).length
}

/** The first query that finds more than one hit: of one alone nothing can move. */
async function severalHits(
  service: Service,
  queries: JudgedQuery[],
): Promise<{ query?: JudgedQuery; before: string[] }> {
  for (const query of queries) {
    const { hits } = await search(service, query)
    if (hits.length > 1) return { query, before: hits.map(({ id }) => id) }
  }
  return { before: [] }
}

function entry(queryId: string, resultId: string, position: number): object {
  const metadata = { userAction: 'click', resultId, customMetadata: { position } }
  return { queryId, rating: 1, metadata }
}

async function search(
  service: Service,
  query: JudgedQuery,
  more: object = {},
  size = SIZE,
): Promise<{ hits: ScoredHit[]; queryId: string }> {
  const words = { query: query.text, index: INDEX, searchType: options.mode, size, fields: [] }
  const data = await must(service.call('POST', '/cortex/search', { ...words, ...more }))
  return { hits: data.hits, queryId: data.searchContext.queryId }
}

function quality(query: JudgedQuery, hits: ScoredHit[]): number {
  return ndcg(
    hits.map(({ id }) => id),
    query.labels,
    SIZE,
  )
}

/** nDCG@10 if what people click stood first among the first ten: what re-ordering a page by clicks can reach. */
function bestOf(query: JudgedQuery, hits: ScoredHit[]): number {
  const first = hits.slice(0, SIZE)
  const { isRelevant } = audienceOf(query)
  return quality(
    query,
    first.sort((a, b) => Number(isRelevant(b.id)) - Number(isRelevant(a.id))),
  )
}

async function inLanes<T>(items: T[], work: (item: T, at: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    for (let at = next++; at < items.length; at = next++) await work(items[at] as T, at)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
