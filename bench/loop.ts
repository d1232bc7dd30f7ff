import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { seeded } from '../src/learn/statistics/random.ts'
import { type Collection, type JudgedQuery, readCollection } from './beir.ts'
import { simulateClicks, type Taste } from './clicks.ts'
import { machineLine, readMachine } from './machine.ts'
import { mean, ndcg } from './measures.ts'
import { openRawCounts, type ScoredHit } from './raw-counts.ts'
import { tellPlainly } from './refusal.ts'
import { startServer } from './server.ts'
import { loadDocuments, must, openService, type Service, waitUntilSettled } from './service.ts'
import { formatTable } from './table.ts'

const USAGE = `npm run bench:loop -- FOLDER… [--sessions 15] [--mode hybrid] [--seed 1] [--share N] [--noise N]

Simulates people who search and click, through HTTP, on collections in BEIR's form, and prints how nDCG@10 grows:
without learning, with raw click counts (reckoned here), and with the service's learning. Position p is looked at with
probability 1/p; relevant hits that are looked at are clicked, others now and then.
  --sessions  sessions a query (default 15)
  --mode      searchType (default hybrid)
  --seed      of the simulated people
  --share     exploration share of the service instead of its default
  --noise     chance that a hit that is looked at is clicked though it is not relevant (default 0.05)
  --unseen    share of the queries that nobody asks until the end (default 0.2): learning must not hurt them`

const INDEX = 'loop'
const SIZE = 10
const LANES = 4
const BAR_LIFT = 0.04
const BAR_LOSS = 0.002
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
    unseen: { type: 'string', default: '0.2' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help || positionals.length === 0) console.log(USAGE)
else {
  console.log(machineLine(readMachine()))
  let missed = false
  for (const folder of positionals) missed = !(await runCollection(resolve(folder))) || missed
  process.exitCode = missed ? 1 : 0
}

async function runCollection(folder: string): Promise<boolean> {
  const collection = await readCollection(folder)
  const env: Record<string, string> = {}
  if (values.share !== undefined) env.EXPLORATION_SHARE = values.share
  const server = await startServer({ env })
  const service = openService(server.url)
  try {
    const rows = collection.documents.map((document) => ({ ...document }))
    await loadDocuments(service, INDEX, rows)
    await waitUntilSettled(service, INDEX)
    return await runLoop(service, folder, collection)
  } finally {
    await service.close()
    await server.stop()
  }
}

async function runLoop(service: Service, folder: string, collection: Collection) {
  const seen = (_: JudgedQuery, at: number) => ((at * 7919) % 100) / 100 >= Number(values.unseen)
  const queries = collection.queries.filter(seen)
  const unseen = collection.queries.filter((query, at) => !seen(query, at))
  const unseenStart = await measure(service, unseen)
  const unlearned = new Map<string, ScoredHit[]>()
  await inLanes(queries, async (query) => {
    unlearned.set(query.id, (await search(service, query, {}, 100)).hits)
  })
  const start = mean(queries.map((query) => quality(query, unlearned.get(query.id) ?? [])))
  const best = mean(queries.map((query) => bestOf(query, unlearned.get(query.id) ?? [])))
  const raw = openRawCounts(unlearned, SIZE, audienceOf)
  const random = seeded(Number(values.seed))
  const curve = [{ sessions: 0, raw: start, learned: start }]
  for (let sessions = 1; sessions <= Number(values.sessions); sessions++) {
    for (const query of queries) raw.visit(query, random)
    // Lanes end in any order, and every query has its own people: runs can be repeated.
    await inLanes(queries, (query, at) =>
      visit(service, query, seeded(Number(values.seed) * 1e6 + sessions * 1e4 + at)),
    )
    const learned = await measure(service, queries)
    curve.push({ sessions, raw: mean(queries.map((q) => quality(q, raw.rank(q)))), learned })
  }
  const fraud = await defraud(service, queries)
  const unseenEnd = await measure(service, unseen)
  const others = { queries: unseen.length, start: unseenStart, end: unseenEnd }
  return report(folder, { queries: queries.length, start, best, curve, fraud, unseen: others })
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
  return { isRelevant: (id) => labels.has(id), noise: Number(values.noise) }
}

/** One session clicks one document ten thousand times: answers how many of the first hits moved. */
async function defraud(service: Service, queries: JudgedQuery[]): Promise<number> {
  const [query] = queries
  if (query === undefined) return 0
  const before = (await search(service, query)).hits.map(({ id }) => id)
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
  const words = { query: query.text, index: INDEX, searchType: values.mode, size, fields: [] }
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

/** nDCG@10 if the first ten hits stood in the best order: what re-ordering a page can reach. */
function bestOf(query: JudgedQuery, hits: ScoredHit[]): number {
  const first = hits.slice(0, SIZE)
  const gain = ({ id }: ScoredHit) => query.labels.get(id) ?? 0
  return quality(
    query,
    first.sort((a, b) => gain(b) - gain(a)),
  )
}

async function inLanes<T>(items: T[], work: (item: T, at: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    for (let at = next++; at < items.length; at = next++) await work(items[at] as T, at)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

interface Outcome {
  queries: number
  start: number
  /** With the first ten hits in the best order. */
  best: number
  curve: { sessions: number; raw: number; learned: number }[]
  /** Hits that the fraudulent session moved. */
  fraud: number
  /** Queries that nobody asked meanwhile. */
  unseen: { queries: number; start: number; end: number }
}

function report(folder: string, outcome: Outcome): boolean {
  const { queries, start, best, curve, fraud, unseen } = outcome
  const last = curve.at(-1)?.learned ?? start
  const least = Math.min(...curve.map(({ learned }) => learned))
  const allowed = Math.min(BAR_LIFT, best - start)
  console.log(`\n${folder}: ${queries} queries, nDCG@10, ${values.mode}`)
  console.log(
    formatTable([
      ['sessions a query', 'unlearned', 'raw counts', 'learned'],
      ...curve.map((row) => [
        row.sessions,
        start.toFixed(4),
        row.raw.toFixed(4),
        row.learned.toFixed(4),
      ]),
    ]),
  )
  const bars: [string, string, string, boolean][] = [
    [
      'lift at the end',
      (last - start).toFixed(4),
      `≥ ${allowed.toFixed(3)}`,
      last - start >= allowed,
    ],
    ['greatest loss', (start - least).toFixed(4), `≤ ${BAR_LOSS}`, start - least <= BAR_LOSS],
    [
      `loss of ${unseen.queries} queries that nobody asked`,
      (unseen.start - unseen.end).toFixed(4),
      `≤ ${BAR_LOSS}`,
      unseen.start - unseen.end <= BAR_LOSS,
    ],
    ['hits moved by fraud', String(fraud), '0', fraud === 0],
  ]
  console.log(
    formatTable([
      ['figure', 'value', 'bar', ''],
      ...bars.map(([name, value, bar, met]) => [name, value, bar, met ? 'met' : 'MISSED']),
      ['first ten in the best order', best.toFixed(4), '', ''],
    ]),
  )
  console.log(JSON.stringify({ folder, mode: values.mode, ...outcome }))
  return bars.every(([, , , met]) => met)
}
