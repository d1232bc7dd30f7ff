import { Counter, collectDefaultMetrics, Histogram, type Metric, Registry } from 'prom-client'
import type { Config } from '../config.ts'
import type { Collect, MetricRow } from './collect.ts'
import { collectEventLoop, REPLACED } from './event-loop.ts'
import { type LongFamilies, type LongFamily, openLongFamilies } from './long-families.ts'
import {
  type Distribution,
  DURATION_BOUNDS_S,
  expose,
  type Family,
  newDistribution,
  observe,
  openRequestSeries,
  type RouteMeter,
  type Sample,
} from './request-series.ts'

export type { RouteMeter } from './request-series.ts'

/** Label sets of one collected family; what lies beyond is left out, so that a page stays bounded. */
export const FAMILY_ROWS_MAX = 100

const HOUR_MS = 3_600_000

export interface Metrics {
  route: (method: string, endpoint: string) => RouteMeter
  collect: Collect
  /** Adds a family of any length, whose lines are written when the page is made; the answer takes it away again. */
  family: (family: LongFamily) => () => void
  /** Time that one job of the worker threads took, waiting for a thread included. */
  job: (name: string, seconds: number) => void
  /** Time from the receipt of a feedback entry until searches see what it taught. */
  loopLag: (seconds: number) => void
  /** The whole page in Prometheus text form, as UTF-8. Rejects when it can't be made. */
  page: () => Promise<Buffer>
  contentType: string
}

/** Opens the registry, with what the process itself tells; the parts add their own lines. */
export function openMetrics(config: Pick<Config, 'quantiles'>): Metrics {
  const registry = new Registry()
  const long = openLongFamilies()
  const { route, families } = openRequestSeries(config.quantiles)
  for (const family of families) register(registry, family)
  const collectorFailures = new Counter({
    name: 'svc_metrics_collector_failures_total',
    help: 'Families left empty because their figures could not be read',
    registers: [registry],
  })
  const collect: Collect = (name, help, labelNames, rows) => {
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
  // Delays of the event loop are measured by our own, so the library's hardly ever looks.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: HOUR_MS })
  for (const name of REPLACED) registry.removeSingleMetric(name)
  // Sums of labelled gauges under names that only a counter may have.
  for (const name of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${name}_total`)
  collectEventLoop(collect)
  return {
    route,
    collect,
    family: long.add,
    ...openJobSeries(registry),
    ...openLearningSeries(registry),
    ...openPage(registry, long),
  }
}

function openPage(registry: Registry, long: LongFamilies): Pick<Metrics, 'page' | 'contentType'> {
  return {
    // The library writes Nan; the format spells it NaN.
    page: async () => {
      const own = (await registry.metrics()).replace(/ Nan$/gm, ' NaN')
      return Buffer.concat([Buffer.from(own), ...(await long.page())])
    },
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  }
}

function openJobSeries(registry: Registry): Pick<Metrics, 'job'> {
  const name = 'svc_job_seconds'
  const bounds = [...DURATION_BOUNDS_S, 60, 120, 600]
  const series = new Map<string, Distribution>()
  register(registry, {
    name,
    type: 'histogram',
    help: 'Time of one job of the worker threads, waiting included',
    read: () => [...series].flatMap(([job, times]) => expose(name, { job }, times)),
  })
  return {
    job: (job, seconds) => {
      let times = series.get(job)
      if (times === undefined) {
        times = newDistribution(bounds)
        series.set(job, times)
      }
      observe(times, seconds)
    },
  }
}

function openLearningSeries(registry: Registry): Pick<Metrics, 'loopLag'> {
  const lag = new Histogram({
    name: 'svc_learning_loop_lag_seconds',
    help: 'Time from the receipt of feedback until searches see it',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 60],
    registers: [registry],
  })
  return { loopLag: (seconds) => lag.observe(seconds) }
}

/** The registry only ever asks a metric for its name and its values, so a plain object will do. */
function register(registry: Registry, { name, help, type, read }: Family): void {
  const get = async () => ({ name, help, type, values: await read(), aggregator: 'sum' })
  registry.registerMetric({ name, help, type, get } as unknown as Metric)
}

function pick({ labels = {}, value }: MetricRow, labelNames: readonly string[]): Sample {
  return { value, labels: Object.fromEntries(labelNames.map((name) => [name, labels[name] ?? ''])) }
}
