import type { MetricType } from './metric.ts'

/** One series of a metric that clients record. */
export interface MetricSeries {
  metricId: string
  type: MetricType
  labels: Record<string, string>
  /** Epoch ms of the newest value. */
  updatedMs: number
  count: number
  sum: number
  min: number
  max: number
  last: number
  /** [bucket, values in it], the lowest bucket first; see learn/metrics/sketch.ts. */
  sketch: [number, number][]
  /** The values themselves, ascending, while they are few. Those of all time only if there are `count` of them. */
  values?: number[]
  /** Of a histogram: values by its own bounds, the last beyond all of them. */
  bounds?: number[]
}
