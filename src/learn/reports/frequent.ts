import type { QueryCounts } from '../../schema/analytics-record.ts'

/**
 * The most frequent queries in bounded room: the space-saving sketch of Metwally, Agrawal and El Abbadi, "Efficient
 * Computation of Frequent and Top-k Elements in Data Streams" (2005). Exact until there are more different queries
 * than it has room for; then a count may be too high by at most the least one.
 */
export interface Frequent {
  add: (queryHash: string, query: string) => void
  /** One more of its searches was clicked; says nothing about a query that has no room. */
  click: (queryHash: string) => void
  record: () => QueryCounts[]
}

export function openFrequent(roomMax: number, from: readonly QueryCounts[] = []): Frequent {
  const queries = new Map(from.map((counts) => [counts.queryHash, { ...counts }]))
  /** Those with the least count, the first one last; some may have more by now. */
  let least: QueryCounts[] = []
  let leastCount = 0

  /** Counts never fall, and who comes has more than the least: the list is good until it is used up. */
  function takeLeast(): QueryCounts | undefined {
    for (let found = least.pop(); found !== undefined; found = least.pop())
      if (found.searches === leastCount) return found
    leastCount = Infinity
    for (const { searches } of queries.values()) leastCount = Math.min(leastCount, searches)
    least = [...queries.values()].filter(({ searches }) => searches === leastCount).reverse()
    return least.pop()
  }
  function makeRoom(): number {
    const found = takeLeast()
    if (found === undefined) return 0
    queries.delete(found.queryHash)
    return found.searches
  }
  return {
    add: (queryHash, query) => {
      const known = queries.get(queryHash)
      if (known !== undefined) known.searches += 1
      else {
        const inherited = queries.size < roomMax ? 0 : makeRoom()
        queries.set(queryHash, { queryHash, query, searches: inherited + 1, clicked: 0 })
      }
    },
    click: (queryHash) => {
      const known = queries.get(queryHash)
      if (known !== undefined) known.clicked += 1
    },
    record: () => [...queries.values()],
  }
}
