import type { MetricSample } from '../../metrics/metrics.ts'
import type { MetricSeries } from '../../schema/analytics-record.ts'
import { HISTOGRAM_BOUNDS, quantileOf } from './series.ts'

const QUANTILES = [0.5, 0.9, 0.95, 0.99]

/** The lines of one series on the metrics page; `name` is the family's. */
export function samplesOf(name: string, series: MetricSeries): MetricSample[] {
  const { type, labels, sum, count, last } = series
  if (type === 'gauge') return [{ labels, value: last }]
  if (type === 'counter') return [{ labels, value: sum }]
  const totals = [
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
  return [...(type === 'histogram' ? bucketsOf(name, series) : quantilesOf(series)), ...totals]
}

function bucketsOf(name: string, { labels, bounds = [] }: MetricSeries): MetricSample[] {
  let total = 0
  return bounds.map((count, at) => {
    total += count
    const le = String(HISTOGRAM_BOUNDS[at] ?? '+Inf')
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total }
  })
}

function quantilesOf(series: MetricSeries): MetricSample[] {
  return QUANTILES.map((share) => ({
    labels: { ...series.labels, quantile: String(share) },
    value: quantileOf(series, share),
  }))
}
