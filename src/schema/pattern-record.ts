/** A search that was clicked. */
export interface ClickedSearch {
  queryHash: string
  timeMs: number
  /** Places of the clicked hits among those shown, from 0; none where only further pages of its list, or no hit by name, were clicked. */
  clicked: number[]
  /** Of a list, the best place from 1 that was clicked on any of its pages; 0 where it was no hit by name. */
  best?: number
}

/** What searchers did with one query in one period. */
export interface QueryPattern {
  /** Its words as they were last sent. */
  query: string
  searches: number
  /** Searches of somebody; in rows of earlier versions, those of nobody that were clicked, too. */
  known: number
  clicked: number
  /** Of the clicked ones, those of nobody: no rate counts them, as nobody knows which others were seen. */
  clickedOfNobody: number
  zeroResults: number
  /** Of the clicked ones, those with a click that named its hit, which has a position. */
  placed: number
  /** Sum of the positions of the first of these clicks of each list. */
  firstPositions: number
  /**
   * Sum of 1/position of each list's best click of somebody within the first ten, in parts of `RANK_PARTS`; undefined
   * when some of it was counted before ranks were.
   */
  reciprocalRanks: number | undefined
  /** Who asked it, see learn/patterns/askers.ts. */
  asker: number
  /** Documents that were clicked most: `index id/id` → clicks, sum of positions. */
  documents: Map<string, readonly [clicks: number, positions: number]>
}

/** Every 1/position up to the tenth is a whole number of these: their sum is exact in any order. */
export const RANK_PARTS = 2520

/**
 * A query pattern as it is written, in this order: there are many rows, and names would take most of the time. Rows
 * of earlier versions lack the last of these counts, or all of them, and go on with their documents.
 */
export type QueryPatternRow = [
  query: string,
  searches: number,
  known: number,
  clicked: number,
  zeroResults: number,
  firstPositions: number,
  ...moreCountsAndDocuments: (number | undefined | WrittenDocument)[],
]

export type WrittenDocument = [key: string, clicks: number, positions: number]

/** How often one query followed another that had got no click. */
export interface Reformulation {
  /** Both in words, as they were last sent. */
  from: string
  to: string
  count: number
  /** The first had found nothing. */
  fromNothing: number
  /** The second was clicked. */
  clicked: number
  /** Who did that, see learn/patterns/askers.ts. */
  asker: number
}

/** A reformulation as it is written, in this order; rows of earlier versions lack the asker. */
export type ReformulationRow = [
  from: string,
  to: string,
  count: number,
  fromNothing: number,
  clicked: number,
  asker?: number,
]

export interface LastSearch {
  queryId: string
  queryHash: string
  query: string
  timeMs: number
  clicked: boolean
  zeroResults: boolean
  /** Hash of the query that this one put in other words. */
  from?: string
}

/** A last search as it is written, in this order. */
export type LastSearchRow = [
  queryId: string,
  queryHash: string,
  query: string,
  timeMs: number,
  clicked: boolean,
  zeroResults: boolean,
  from?: string,
]

/** Feedback, and what was shown, in one period. */
export interface FeedbackPattern {
  entries: number
  unmatched: number
  duplicates: number
  actions: Record<string, number>
  /** By position from 1, at index 0: times shown to somebody, first clicks. */
  positions: [shown: number, clicked: number][]
  devices: Record<string, { searches: number; clicked: number; entries: number }>
  /** Ratings from 0 to 1 in ten steps, 1 in the last. */
  ratings: number[]
  ratingSum: number
}
