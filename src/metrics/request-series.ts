import { openRolling, type Rolling } from './rolling.ts'

const QUANTILES = [0.5, 0.9, 0.95, 0.99]
export const DURATION_BOUNDS_S = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]
const SIZE_BOUNDS_BYTES = [128, 512, 2048, 8192, 32_768, 131_072, 524_288, 2_097_152, 8_388_608]

/** Records the requests of one method and endpoint. */
export interface RouteMeter {
  labels: { method: string; endpoint: string }
  begin: () => void
  /** `error` is the code of the failure; undefined for a success. */
  end: (status: number, tookMs: number, bytes: number, error?: string) => void
}

type Labels = Record<string, string>

/** One line of the page. */
export interface Sample {
  labels: Labels
  value: number
  metricName?: string
}

/** One metric as the page shows it; samples without a name of their own carry the family's. */
export interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram' | 'summary'
  read: () => Sample[] | Promise<Sample[]>
}

export interface Distribution {
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

/** Where the rolling quantiles go: after the histogram's lines, into a family of their own, or nowhere. */
export type Quantiles = 'inline' | 'family' | 'off'

export interface RequestRecorder {
  route: (method: string, endpoint: string) => RouteMeter
  families: Family[]
}

/** Own counters for what every request records: prom-client's hash their labels at each call. */
export function openRequestSeries(quantiles: Quantiles): RequestRecorder {
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
  if (quantiles === 'family')
    families.push({
      name: 'svc_api_request_duration_quantile_seconds',
      help: 'Quantiles of the request time over the last minute',
      type: 'summary',
      read: each(exposeQuantiles),
    })
  const route: RequestRecorder['route'] = (method, endpoint) =>
    openMeter(all, active, { method, endpoint })
  return { route, families }
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
    labels,
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

export function newDistribution(bounds: readonly number[]): Distribution {
  return { bounds, counts: new Float64Array(bounds.length + 1), sum: 0 }
}

/** Counts a value, in the unit of the bounds; one that lies on a bound belongs below it. */
export function observe(distribution: Distribution, value: number): void {
  const { bounds, counts } = distribution
  let at = 0
  while (at < bounds.length && value > (bounds[at] as number)) at += 1
  counts[at] = (counts[at] as number) + 1
  distribution.sum += value
}

/** The lines of a histogram: each bucket counts all values up to its bound. */
export function expose(name: string, labels: Labels, distribution: Distribution): Sample[] {
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
