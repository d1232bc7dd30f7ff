/** Counts of searches: of a whole hour, of one kind of search, or of one query. */
export interface SearchCounts {
  searches: number
  /** Searches that found nothing. */
  zeroResults: number
  /** Searches with at least one click. */
  clicked: number
  /** Sum of 1 / best clicked position. */
  reciprocal: number
  tookMs: number
}

/** One of the most frequent queries of an hour. */
export interface QueryCounts {
  query: string
  searches: number
  /** Searches that may have been another query's: what this one took over (Metwally, Agrawal, El Abbadi 2005). */
  surplus: number
  clicked: number
}

/** A set of which only its size is asked: 32-bit hashes while they are few, then HyperLogLog registers. */
export interface DistinctRecord {
  hashes: number[]
  registers?: Uint8Array
}

/** What the store keeps of one hour, by the time of its searches. */
export interface HourReport {
  all: SearchCounts
  byType: Record<string, SearchCounts>
  /** Searches whose ranking learning changed, and those that it left alone. */
  learned: SearchCounts
  plain: SearchCounts
  /** Searches by latency bucket, see learn/statistics/latency-histogram.ts: bucket → count. */
  latency: Record<string, number>
  sessions: DistinctRecord
  units: DistinctRecord
  /** Feedback entries received in this hour, by status. */
  feedback: Record<string, number>
  /** Analytics events received in this hour, by type. */
  events: Record<string, number>
  /** Query hash → counts. */
  queries: Record<string, QueryCounts>
  zeroResultQueries: Record<string, QueryCounts>
}

export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary'

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
  /** Of a histogram: values by its own bounds, the last beyond all of them. */
  bounds?: number[]
}
