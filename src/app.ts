import type { Logger } from 'pino'
import { type AnswerRoom, openAnswerRoom } from './answer-room.ts'
import type { Config } from './config.ts'
import { openEmbedding } from './embed/embedding.ts'
import { collectFigures, meterPool } from './figures.ts'
import { type Learning, openLearning } from './learn/learning.ts'
import { openSessions, type Sessions } from './learn/sessions/sessions.ts'
import { countForSession, planFor, toldToLearning } from './meeting.ts'
import { type Metrics, openMetrics } from './metrics/metrics.ts'
import { documentKey } from './schema/document-key.ts'
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
    answered: (request) => countForSession(request, sessions),
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

function tellsDeath(log: Logger): OnDeath {
  return (err, lane) => log.error({ err, lane }, 'a thread died; what waits for it gets another')
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
