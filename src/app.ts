import type { Logger } from 'pino'
import { type AnswerRoom, openAnswerRoom } from './answer-room.ts'
import type { Config } from './config.ts'
import { openEmbedding } from './embed/embedding.ts'
import { collectFigures, meterPool } from './figures.ts'
import type { LearningOptions } from './learn/learners.ts'
import { type Learning, openLearning } from './learn/learning.ts'
import type { LearnedPlan } from './learn/plan/plan.ts'
import { openSessions, type Sessions } from './learn/sessions/sessions.ts'
import { type Metrics, openMetrics } from './metrics/metrics.ts'
import { native } from './native.ts'
import { documentKey } from './schema/document-key.ts'
import { isFirstPage, type ListPlace } from './schema/plan.ts'
import type { SearchRequest } from './schema/search.ts'
import { type Catalog, openCatalog } from './search/catalog.ts'
import { type Bulk, openBulk } from './search/documents/bulk.ts'
import { type Documents, openDocuments } from './search/documents/documents.ts'
import { openStoredGrams } from './search/documents/stored-grams.ts'
import { openWaitingVectors } from './search/documents/waiting-vectors.ts'
import { openWriter, type Writer } from './search/documents/writer.ts'
import { type Engine, openEngine } from './search/engine/engine.ts'
import { clearDropped, clearIndex, clearSuperseded } from './search/engine/sweep.ts'
import { unservedBy } from './search/indices/embedder.ts'
import { type Indices, openIndices } from './search/indices/indices.ts'
import { openSearch, type Search } from './search/query/search.ts'
import { openLentSlabs } from './search/query/slab.ts'
import { isSearched } from './search/query/warnings/unsearched-fields.ts'
import { isDamage } from './store/failure.ts'
import { type Idempotency, openIdempotency } from './store/idempotency.ts'
import { openStore, type Store } from './store/store.ts'
import { type OnDeath, openPool, type Pool } from './threads/pool.ts'
import { startUpkeep } from './upkeep.ts'

/** The parts of one running service. */
export interface App {
  config: Config
  log: Logger
  metrics: Metrics
  answers: AnswerRoom
  lifecycle: { state: 'starting' | 'ready' | 'stopping' }
  store: Store
  pool: Pool
  sessions: Sessions
  idempotency: Idempotency
  indices: Indices
  engine: Engine
  writer: Writer
  documents: Documents
  bulk: Bulk
  catalog: Catalog
  search: Search
  learning: Learning
  /** Settles when every index is open and holds all that its records hold; the service is ready then. */
  recovered: Promise<void>
  /** Stops the background work, makes everything durable, closes in reverse order of opening. */
  close: () => Promise<void>
}

/** How often learning looks at the clock: start dates, triggers, expiry. */
const LEARNING_TICK_MS = 1000

/**
 * Opens every part in order, and begins the work that goes on by itself. Rejects with a sentence when the data folder, or
 * a setting, can't be used, and leaves the folder as a stop does.
 */
export async function openApp(
  config: Config,
  log: Logger,
  onFailure: (cause: unknown) => void = () => {},
): Promise<App> {
  const { embedding, writing, ...parts } = await openParts(config, log, onFailure)
  const { store, pool, sessions, engine, writer, learning } = parts
  const lifecycle: App['lifecycle'] = { state: 'starting' }
  const recovered = recover(engine, learning, lifecycle)
  const upkeep = [
    startUpkeep(config.checkpointMs, log, [
      () => engine.checkpoint(),
      async () => engine.tend(),
      () => clearSuperseded(store),
      () => sessions.sweep(Date.now()),
      () => parts.idempotency.sweep(Date.now()),
    ]),
    startUpkeep(LEARNING_TICK_MS, log, [learning.tick]),
    // Apart from the rest: an endpoint may take a minute to fail.
    startUpkeep(config.checkpointMs, log, [
      openWaitingVectors(parts.indices.byId, { ...writing, embed: embedding.waiting }),
    ]),
  ]
  clearDropped(store, log)
  return {
    ...parts,
    lifecycle,
    recovered,
    close: async () => {
      lifecycle.state = 'stopping'
      embedding.stop()
      // What has the one thread for files must not keep the rest waiting.
      await engine.giveUpOpening()
      for (const each of upkeep) await each.stop()
      await recovered
      await writer.idle()
      for (const part of [engine, learning, pool, sessions, embedding, store]) await part.close()
    },
  }
}

async function openParts(config: Config, log: Logger, onFailure: (cause: unknown) => void) {
  const metrics = openMetrics(config)
  const { dataDir, storeBytesMax: bytesMax } = config
  const store = openStore({ dataDir, bytesMax, log, onFailure })
  const first = { metrics, store, ...openThreads(config, log, metrics) }
  return openOthers(config, log, first).catch(async (cause: unknown) => {
    await first.pool.close()
    // What met a wrong page may end the process in the middle of a write, before anybody is told.
    if (!isDamage(cause)) await store.close()
    throw cause
  })
}

type First = Pick<App, 'metrics' | 'store'> & ReturnType<typeof openThreads>

async function openOthers(config: Config, log: Logger, first: First) {
  const clock = Date.now
  const { metrics, store, pool, answers, slabs } = first
  const sessions = openSessions({ store, config, clock, metrics })
  const idempotency = openIdempotency({ store, config, clock })
  const indices = await openIndices(store, config, pool)
  const engine = openEngine({ store, pool, config, indices, log })
  const writer = openWriter(store, config, clock)
  const embedding = openEmbedding(config, log)
  const writing = { store, engine, writer, embed: embedding.written, unserved: unservedBy(config) }
  const documents = openDocuments({ ...writing, indices, config })
  const clear = (indexId: number) => clearIndex(store, indexId)
  const catalog = openCatalog(indices, engine, clear, openStoredGrams(store))
  const learning = openLearning({
    store,
    config,
    clock,
    sessions,
    metrics,
    pool,
    logger: log,
    engine: toldToLearning(indices, engine, () => search),
  })
  const search = openSearch({
    config,
    pool,
    answers,
    slabs,
    indices,
    engine,
    show: learning.show,
    unserved: writing.unserved,
    plan: (request, queryHash, place) => planFor(request, queryHash, place, { sessions, learning }),
    answered: (request) => countSearch(request, sessions),
    describe: (queryHash, { indexId, id }) =>
      learning.clickMemory.describe(queryHash, documentKey(indexId, id)),
    embedQuery: embedding.query,
  })
  collectFigures({ engine, metrics, pool, store, writer })
  return {
    ...first,
    config,
    log,
    embedding,
    writing,
    sessions,
    idempotency,
    indices,
    engine,
    writer,
    documents,
    bulk: openBulk(documents),
    catalog,
    search,
    learning,
  }
}

/** What the search side tells learning, which is opened first and asks later. */
function toldToLearning(
  indices: Indices,
  engine: Engine,
  search: () => Search,
): LearningOptions['engine'] {
  return {
    featureNames: () => native.featureNames(),
    liveIndex: (indexId) => indices.byId(indexId)?.record.name,
    indexName: (indexId) => indices.byId(indexId)?.record.name ?? deletedIndex(indexId),
    run: (impression) => search().replay(impression),
    opened: engine.openings,
    isSearched: (field) => mayBeSearched(field, indices),
  }
}

/** Opens the threads, and what they share with the main thread; when a thread ends, its share is given back. */
function openThreads(config: Config, log: Logger, metrics: Metrics) {
  const answers = openAnswerRoom(config.answersBytesMax)
  const slabs = openLentSlabs()
  const ended = (thread: number) => {
    for (const each of [answers, slabs]) each.threadEnded(thread)
  }
  const options = { ...config, answers: answers.memory, ended }
  return { pool: meterPool(openPool(options, tellsDeath(log)), metrics), answers, slabs }
}

/** Where there is no index yet, any field may still come that a weight is for. */
function mayBeSearched(field: string, indices: Indices): boolean {
  const all = indices.all()
  return all.length === 0 || isSearched(field, all)
}

function tellsDeath(log: Logger): OnDeath {
  return (err, lane) => log.error({ err, lane }, 'a thread died; what waits for it gets another')
}

/** A name that no index can have: hits from two deleted indices stay apart. */
function deletedIndex(indexId: number): string {
  return `#${indexId} (deleted)`
}

/** What applies to a search besides its own words; its session was seen. */
function planFor(
  search: SearchRequest,
  queryHash: string,
  place: ListPlace,
  { sessions, learning }: Pick<App, 'sessions' | 'learning'>,
): LearnedPlan {
  const plan = learning.plan(search, queryHash, place)
  if (search.sessionId !== undefined && plan.unit !== undefined) sessions.touch(search.sessionId)
  return plan
}

/** One that expired did what it did; one that was forgotten while it was answered has nothing more. */
function countSearch(search: SearchRequest, { totals, peek }: Sessions): void {
  const { sessionId } = search
  if (sessionId !== undefined && isFirstPage(search) && peek(sessionId)?.active === true)
    totals.add(sessionId, { searches: 1 })
}

async function recover(
  engine: Engine,
  learning: Learning,
  lifecycle: App['lifecycle'],
): Promise<void> {
  await engine.recover()
  if (lifecycle.state === 'starting') await learning.begin()
  if (lifecycle.state === 'starting') lifecycle.state = 'ready'
}
