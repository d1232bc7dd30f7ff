import { labelText, lineOf } from '../../metrics/long-families.ts'
import type { MetricSeries } from '../../schema/metric-record.ts'
import { HISTOGRAM_BOUNDS, quantileOf } from './series.ts'

const QUANTILES = [0.5, 0.9, 0.95, 0.99]
const ENDS = [...HISTOGRAM_BOUNDS.map(String), '+Inf']

/** The lines of one series on the metrics page; `name` is the family's. */
export function linesOf(name: string, series: MetricSeries): string {
  const { type, sum, count, last } = series
  const labels = labelText(series.labels)
  if (type === 'gauge') return lineOf(name, labels, last)
  if (type === 'counter') return lineOf(name, labels, sum)
  const before = labels === '' ? '' : `${labels},`
  const parts =
    type === 'histogram'
      ? bucketsOf(`${name}_bucket`, before, series)
      : quantilesOf(name, before, series)
  return `${parts}${lineOf(`${name}_sum`, labels, sum)}${lineOf(`${name}_count`, labels, count)}`
}

function bucketsOf(name: string, labels: string, { bounds = [] }: MetricSeries): string {
  let total = 0
  let lines = ''
  bounds.forEach((count, at) => {
    total += count
    lines += lineOf(name, `${labels}le="${ENDS[at]}"`, total)
  })
  return lines
}

function quantilesOf(name: string, labels: string, series: MetricSeries): string {
  return QUANTILES.map((share) =>
    lineOf(name, `${labels}quantile="${share}"`, quantileOf(series, share)),
  ).join('')
}
