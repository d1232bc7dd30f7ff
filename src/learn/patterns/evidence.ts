import type { QueryPattern, Reformulation } from '../../schema/pattern-record.ts'

/** The name of an index; undefined once it is deleted. */
export type LiveIndex = (indexId: number) => string | undefined

/** What is known of one query from the searches of the last days. */
export interface QueryEvidence
  extends Pick<
    QueryPattern,
    'query' | 'searches' | 'known' | 'clicked' | 'clickedOfNobody' | 'placed' | 'zeroResults'
  > {
  queryHash: string
  /** Mean position of the first click that named its hit, of each search with one. */
  clickPosition: number | undefined
  /** Documents by clicks, most first; those of an index that is deleted have none. */
  documents: { id: string; index?: string; clicks: number; position: number }[]
}

/** One query put in other words. */
export interface ReformulationEvidence
  extends Pick<Reformulation, 'count' | 'fromNothing' | 'clicked'> {
  /** Both by their hashes. */
  from: string
  to: string
  fromQuery: string
  toQuery: string
}
