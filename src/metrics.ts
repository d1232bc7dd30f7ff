import { performance } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Histogram, type Metric, Registry } from 'prom-client'
import type { Config } from './config.ts'
import { openRolling, type Rolling } from './rolling.ts'

/** Label sets of one collected family; what lies beyond is left out, so that a page stays bounded. */
export const FAMILY_ROWS_MAX = 100
const QUANTILES = [0.5, 0.9, 0.95, 0.99]
const DURATION_BOUNDS_S = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]
const SIZE_BOUNDS_BYTES = [128, 512, 2048, 8192, 32_768, 131_072, 524_288, 2_097_152, 8_388_608]

/** Records the requests of one method and endpoint. */
export interface RouteMeter {
  begin: () => void
  /** `error` is the code of the failure; undefined for a success. */
  end: (status: number, tookMs: number, bytes: number, error?: string) => void
}

/** One line of a collected family. */
export interface MetricRow {
  labels?: Record<string, string>
  value: number
}

export interface Metrics {
  route: (method: string, endpoint: string) => RouteMeter
  /**
   * Adds a family that is read when the page is made; a name that ends in `_total` is a counter, any other
   * a gauge. A supplier that throws leaves its family empty for that page and is counted.
   */
  collect: (
    name: string,
    help: string,
    labelNames: readonly string[],
    rows: () => MetricRow[] | Promise<MetricRow[]>,
  ) => void
  /** Time that one stage of a search took. */
  searchStage: (stage: string, seconds: number) => void
  /** Time of one batch of writes, from its first record to its documents being found. */
  writeBatch: (seconds: number, documents: number) => void
  checkpoint: (seconds: number) => void
  fit: (seconds: number) => void
  /** The whole page in Prometheus text form. Rejects when it can't be made. */
  page: () => Promise<string>
  contentType: string
}

/** Opens the registry with every instrument of the service. */
export function openMetrics(config: Pick<Config, 'quantiles'>): Metrics {
  const registry = new Registry()
  const route = openRequestSeries(registry, config.quantiles)
  const collectorFailures = new Counter({
    name: 'svc_metrics_collector_failures_total',
    help: 'Families left empty because their figures could not be read',
    registers: [registry],
  })
  const collect: Metrics['collect'] = (name, help, labelNames, rows) => {
    const read = async (): Promise<Sample[]> => {
      try {
        return (await rows()).slice(0, FAMILY_ROWS_MAX).map((row) => pick(row, labelNames))
      } catch {
        collectorFailures.inc()
        return []
      }
    }
    register(registry, { name, help, type: name.endsWith('_total') ? 'counter' : 'gauge', read })
  }
  collectDefaultMetrics({ register: registry })
  collect('nodejs_eventloop_utilization_ratio', 'Share of time the event loop was busy', [], () => [
    { value: performance.eventLoopUtilization().utilization },
  ])
  return { route, collect, ...openStageSeries(registry), ...openPage(registry) }
}

function openPage(registry: Registry): Pick<Metrics, 'page' | 'contentType'> {
  return { page: () => registry.metrics(), contentType: 'text/plain; version=0.0.4; charset=utf-8' }
}

function openStageSeries(
  registry: Registry,
): Pick<Metrics, 'searchStage' | 'writeBatch' | 'checkpoint' | 'fit'> {
  const registers = [registry]
  const buckets = DURATION_BOUNDS_S
  const stage = new Histogram({
    name: 'svc_search_stage_seconds',
    help: 'Time of one stage of a search',
    labelNames: ['stage'],
    buckets,
    registers,
  })
  const batch = new Histogram({
    name: 'svc_write_batch_seconds',
    help: 'Time of one batch of document writes',
    buckets,
    registers,
  })
  const written = new Counter({
    name: 'svc_documents_written_total',
    help: 'Documents written, replaced or deleted',
    registers,
  })
  const checkpoint = new Histogram({
    name: 'svc_checkpoint_seconds',
    help: 'Time to make one index durable',
    buckets: [...buckets, 60, 120],
    registers,
  })
  const fit = new Histogram({
    name: 'svc_fit_seconds',
    help: 'Time to learn one vector space',
    buckets: [...buckets, 60, 120, 600],
    registers,
  })
  return {
    searchStage: (name, seconds) => stage.observe({ stage: name }, seconds),
    writeBatch: (seconds, documents) => {
      batch.observe(seconds)
      written.inc(documents)
    },
    checkpoint: (seconds) => checkpoint.observe(seconds),
    fit: (seconds) => fit.observe(seconds),
  }
}

type Labels = Record<string, string>

interface Sample {
  labels: Labels
  value: number
  metricName?: string
}

interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  read: () => Sample[] | Promise<Sample[]>
}

/** The registry only ever asks a metric for its name and its values, so a plain object will do. */
function register(registry: Registry, { name, help, type, read }: Family): void {
  const get = async () => ({ name, help, type, values: await read(), aggregator: 'sum' })
  registry.registerMetric({ name, help, type, get } as unknown as Metric)
}

function pick({ labels = {}, value }: MetricRow, labelNames: readonly string[]): Sample {
  return { value, labels: Object.fromEntries(labelNames.map((name) => [name, labels[name] ?? ''])) }
}

interface Distribution {
  bounds: readonly number[]
  counts: Float64Array
  sum: number
}

interface RequestSeries {
  labels: Labels
  statuses: Map<number, number>
  errors: Map<string, number>
  duration: Distribution
  size: Distribution
  rolling: Rolling
}

/** Own counters for what every request records: prom-client's hash their labels at each call. */
function openRequestSeries(registry: Registry, quantiles: Config['quantiles']): Metrics['route'] {
  const all = new Map<string, RequestSeries>()
  const active = new Map<string, number>()
  const each = (read: (series: RequestSeries) => Sample[]) => () => [...all.values()].flatMap(read)
  const families: Family[] = [
    {
      name: 'svc_api_requests_total',
      help: 'Requests answered; status 499 is a client that left before its answer',
      type: 'counter',
      read: each(({ labels, statuses }) =>
        [...statuses].map(([status, value]) => ({
          value,
          labels: { ...labels, status: String(status) },
        })),
      ),
    },
    {
      name: 'svc_api_request_duration_seconds',
      help: 'Time from the first byte of a request to its answer',
      type: 'histogram',
      read: () => {
        const name = 'svc_api_request_duration_seconds'
        const lines = each(({ labels, duration }) => expose(name, labels, duration))()
        return quantiles === 'inline' ? [...lines, ...each(exposeQuantiles)()] : lines
      },
    },
    {
      name: 'svc_api_response_size_bytes',
      help: 'Size of the answers, as sent',
      type: 'histogram',
      read: each(({ labels, size }) => expose('svc_api_response_size_bytes', labels, size)),
    },
    {
      name: 'svc_api_errors_total',
      help: 'Requests that failed, by error code',
      type: 'counter',
      read: each(({ labels, errors }) =>
        [...errors].map(([code, value]) => ({ value, labels: { ...labels, error_type: code } })),
      ),
    },
    {
      name: 'svc_api_active_requests',
      help: 'Requests under way',
      type: 'gauge',
      read: () => [...active].map(([method, value]) => ({ value, labels: { method } })),
    },
  ]
  for (const family of families) register(registry, family)
  if (quantiles === 'family')
    register(registry, {
      name: 'svc_api_request_duration_quantile_seconds',
      help: 'Quantiles of the request time over the last minute',
      type: 'gauge',
      read: each(exposeQuantiles),
    })
  return (method, endpoint) => openMeter(all, active, { method, endpoint })
}

function openMeter(
  all: Map<string, RequestSeries>,
  active: Map<string, number>,
  labels: { method: string; endpoint: string },
): RouteMeter {
  const { method, endpoint } = labels
  const key = `${method} ${endpoint}`
  const series = all.get(key) ?? {
    labels,
    statuses: new Map(),
    errors: new Map(),
    duration: newDistribution(DURATION_BOUNDS_S),
    size: newDistribution(SIZE_BOUNDS_BYTES),
    rolling: openRolling(),
  }
  all.set(key, series)
  return {
    begin: () => active.set(method, (active.get(method) ?? 0) + 1),
    end: (status, tookMs, bytes, error) => {
      active.set(method, (active.get(method) ?? 0) - 1)
      series.statuses.set(status, (series.statuses.get(status) ?? 0) + 1)
      if (error !== undefined) series.errors.set(error, (series.errors.get(error) ?? 0) + 1)
      observe(series.duration, tookMs / 1000)
      observe(series.size, bytes)
      series.rolling.record(tookMs)
    },
  }
}

function newDistribution(bounds: readonly number[]): Distribution {
  return { bounds, counts: new Float64Array(bounds.length + 1), sum: 0 }
}

function observe(distribution: Distribution, value: number): void {
  const { bounds, counts } = distribution
  let at = 0
  while (at < bounds.length && value > (bounds[at] as number)) at += 1
  counts[at] = (counts[at] as number) + 1
  distribution.sum += value
}

function expose(name: string, labels: Labels, distribution: Distribution): Sample[] {
  const { bounds, counts, sum } = distribution
  let total = 0
  const buckets = Array.from(counts, (count, at) => {
    total += count
    const le = at < bounds.length ? String(bounds[at]) : '+Inf'
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ]
}

/** Without a metric name of their own the lines carry the family's. */
function exposeQuantiles({ labels, rolling }: RequestSeries): Sample[] {
  const values = rolling.quantiles(QUANTILES)
  return QUANTILES.map((share, at) => ({
    labels: { ...labels, quantile: String(share) },
    value: values[at] ?? Number.NaN,
  }))
}
