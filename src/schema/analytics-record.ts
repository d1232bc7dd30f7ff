/** Counts of searches: of a whole hour, of one kind of search, or of one query. */
export interface SearchCounts {
  searches: number
  /** Searches of somebody. Rows of earlier versions don't have it, or count those of nobody that were clicked, too. */
  clickable?: number
  /** Searches that found nothing. */
  zeroResults: number
  /** Searches with at least one click. */
  clicked: number
  /** Of these, those of nobody: no rate counts them, as nobody knows which others were seen. Absent in earlier rows. */
  clickedOfNobody?: number
  /** Sum of 1 / best clicked position of somebody's, up to the tenth; in rows of earlier versions, of those behind it too. */
  reciprocal: number
  tookMs: number
}

/** One of the most frequent queries of an hour. */
export interface QueryCounts {
  queryHash: string
  query: string
  searches: number
  clickable: number
  clicked: number
  clickedOfNobody: number
  /** Who asked it, see learn/patterns/askers.ts. */
  asker: number
}

/** Such queries as they are written: one text and one block of bytes take less time than many small rows. */
export interface QueryList {
  /** [query hash, query, …] as JSON. */
  names: string
  /** [searches, clicked, clickable, asker, clicked of nobody, …] as float64; earlier versions wrote two to four of them. */
  counts: Uint8Array
}

/** A set of which only the size is asked: 32-bit hashes while they are few, then HyperLogLog registers. */
export interface DistinctRecord {
  hashes: number[]
  registers?: Uint8Array
}

/** What the store keeps of one hour, by the time of its searches. Maps are lists of pairs. */
export interface HourReport {
  all: SearchCounts
  byType: [string, SearchCounts][]
  /** Empty: earlier versions add them up. */
  learned: SearchCounts
  plain: SearchCounts
  /**
   * Clicks on lists that learning moved, [place, place without learning, clicks], see learn/reports/moved-clicks.ts. Rows of
   * earlier versions don't have it.
   */
  moved?: [number, number, number][]
  /** Searches by latency bucket, see learn/statistics/latency-histogram.ts. */
  latency: [number, number][]
  sessions: DistinctRecord
  units: DistinctRecord
  /** Feedback entries received in this hour, by status. */
  feedback: [string, number][]
  /** Analytics events received in this hour, by type. */
  events: [string, number][]
  queries: QueryList
  zeroResultQueries: QueryList
}
