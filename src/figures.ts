import { performance } from 'node:perf_hooks'
import type { MetricRow } from './metrics/collect.ts'
import { FAMILY_ROWS_MAX, type Metrics } from './metrics/metrics.ts'
import type { Writer } from './search/documents/writer.ts'
import type { Engine } from './search/engine/engine.ts'
import type { IndexFigures } from './search/engine/figures.ts'
import type { Store } from './store/store.ts'
import type { LaneFigures, Pool } from './threads/pool.ts'

/** The parts whose figures the metrics page shows. */
interface FigureParts {
  engine: Engine
  metrics: Metrics
  pool: Pool
  store: Store
  writer: Writer
}

/** Puts the figures of the pool, the indices, the record store and the write queue on the metrics page. */
export function collectFigures(parts: FigureParts): void {
  collectPool(parts)
  collectIndices(parts)
  collectStore(parts)
}

/** Reads figures once for all families of a page, which are asked in one go: it takes longer than to write the page. */
function once<Figures>(read: () => Figures): () => Figures {
  let known: { figures: Figures } | undefined
  return () => {
    if (known === undefined) {
      known = { figures: read() }
      setImmediate(() => {
        known = undefined
      })
    }
    return known.figures
  }
}

function collectPool({ metrics, pool }: FigureParts): void {
  const lanes = once(() => pool.figures())
  const add = (name: string, help: string, pick: (lane: LaneFigures) => number) =>
    metrics.collect(name, help, ['lane'], () =>
      lanes().map((lane) => ({ labels: { lane: lane.lane }, value: pick(lane) })),
    )
  add('svc_pool_threads', 'Threads of a lane', ({ threads }) => threads)
  add('svc_pool_queued_jobs', 'Jobs that wait for a thread', ({ queued }) => queued)
  add('svc_pool_jobs_total', 'Jobs done', ({ completed }) => completed)
  add('svc_pool_busy_seconds_total', 'Time that jobs spent with a thread', ({ busyS }) => busyS)
  add(
    'svc_pool_busy_ratio',
    'The same since the start, as a share of what the threads could have taken',
    ({ busyShare }) => busyShare,
  )
}

/** Labelled by name, for at most as many open indices as a family may have label sets. */
function collectIndices({ metrics, engine }: FigureParts): void {
  // No more than are shown: the core looks through each of them.
  const indices = once(() => {
    const shown = engine.opened().slice(0, FAMILY_ROWS_MAX)
    return shown.map((entry) => ({ index: entry.record.name, own: engine.figures(entry) }))
  })
  const add = (name: string, help: string, pick: (figures: IndexFigures) => number) =>
    metrics.collect(name, help, ['index'], () =>
      indices().map(({ index, own }) => ({ labels: { index }, value: pick(own) })),
    )
  add('svc_index_documents', 'Documents found by a search', ({ documents }) => documents)
  add('svc_index_deleted_documents', 'Deleted documents still in the files', (own) => own.deleted)
  add('svc_index_vectors', 'Vectors found by a search', ({ vectors }) => vectors)
  add('svc_index_segments', 'Segments of the text index', ({ segments }) => segments)
  add(
    'svc_index_disk_bytes',
    'Size of the files: text, vectors and their space',
    ({ bytes }) => bytes,
  )
  add('svc_index_memory_bytes', 'Memory of the index', ({ memoryBytes }) => memoryBytes)
  add('svc_index_generation', 'Published generation', ({ generation }) => generation)
  add('svc_index_space', 'Version of the vector space in use', ({ space }) => space.id)
  metrics.collect('svc_indices_open', 'Indices held open', [], () => [
    { value: engine.opened().length },
  ])
}

function collectStore({ metrics, store, writer }: FigureParts): void {
  const figures = once(() => store.figures())
  const add = (name: string, help: string, pick: (own: ReturnType<typeof figures>) => number) =>
    metrics.collect(name, help, [], (): MetricRow[] => [{ value: pick(figures()) }])
  metrics.collect('svc_store_readers', 'Reader slots of the record store', ['state'], () =>
    Object.entries(figures().connections).map(([state, value]) => ({
      labels: { state },
      value,
    })),
  )
  metrics.collect('svc_store_table_bytes', 'Bytes of the pages of a table', ['table'], () =>
    Object.entries(store.tables).map(([table, rows]) => ({
      labels: { table },
      value: rows.bytes(),
    })),
  )
  add('svc_store_file_bytes', 'Bytes of the file in use', ({ fileBytes }) => fileBytes)
  add('svc_store_live_bytes', 'Bytes of pages that hold rows', ({ liveBytes }) => liveBytes)
  add('svc_store_room_bytes', 'Bytes to write until writes are refused', (own) => own.roomBytes)
  add('svc_store_map_bytes', 'Address space of the record store', ({ mapBytes }) => mapBytes)
  add('svc_store_transactions_total', 'Transactions committed', (own) => own.transactions)
  add('svc_store_pending_writes', 'Writes that wait for their commit', ({ pending }) => pending)
  metrics.collect('svc_write_queue_documents', 'Documents that wait to be written', [], () => [
    { value: writer.queued() },
  ])
}

/** A pool that also puts the time of each job on the metrics page. */
export function meterPool(pool: Pool, metrics: Pick<Metrics, 'job'>): Pool {
  const metered = async <Output>(name: string, job: Promise<Output>): Promise<Output> => {
    const startedMs = performance.now()
    try {
      return await job
    } finally {
      metrics.job(name, (performance.now() - startedMs) / 1000)
    }
  }
  return {
    ...pool,
    search: (input, isLeft) => metered('search', pool.search(input, isLeft)),
    run: (name, input, given) => metered(name, pool.run(name, input, given)),
  }
}
