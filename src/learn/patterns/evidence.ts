/** What is known of one query from the searches of the last days. */
export interface QueryEvidence {
  queryHash: string
  query: string
  searches: number
  /** Searches that can be clicked: of somebody, or clicked all the same. */
  known: number
  clicked: number
  zeroResults: number
  /** Mean position of each search's first click. */
  clickPosition: number | undefined
  /** Documents by clicks, most first. */
  documents: { id: string; indexId: number; clicks: number; position: number }[]
}

/** One query put in other words. */
export interface ReformulationEvidence {
  from: string
  fromQuery: string
  to: string
  toQuery: string
  count: number
  fromNothing: number
  clicked: number
}
