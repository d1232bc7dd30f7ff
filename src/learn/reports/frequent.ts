import type { QueryCounts, QueryList } from '../../schema/analytics-record.ts'
import type { Impression } from '../facts.ts'
import { type Asked, type Asker, NOBODY, SEVERAL, withAsker } from '../patterns/askers.ts'

type Searched = Asked & Pick<Impression, 'queryHash' | 'query'>

/**
 * The most frequent queries in bounded room: the space-saving sketch of Metwally, Agrawal and El Abbadi, "Efficient
 * Computation of Frequent and Top-k Elements in Data Streams" (2005). Exact until there are more different queries
 * than it has room for; then a count may be too high by at most the least one.
 */
export interface Frequent {
  /** One more search; one of nobody can't be clicked. */
  add: (search: Searched) => void
  /**
   * One more of its searches was clicked, or a page whose list is not known. A list that began before this may be of a
   * query that nobody has asked since: it is taken where there is room, and takes none from queries that were asked.
   */
  click: (search: Searched) => void
  /** Takes a query out that was asked no more often than this. */
  forget: (queryHash: string, searches: number) => void
  /** Takes out what one of these alone asked. */
  forgetAskers: (askers: ReadonlySet<Asker>) => void
  record: () => QueryList
}

/** Numbers of a query. */
const WIDTH = 5
const NONE: QueryList = { names: '[]', counts: new Uint8Array() }

export function openFrequent(roomMax: number, from: QueryList = NONE): Frequent {
  const queries = new Map(readQueries(from).map((counts) => [counts.queryHash, counts]))
  /** Undefined when there are other queries by now. */
  let names: string | undefined = from.names
  /** The queries with the least count, the first one last; some may have more by now. */
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
  function hasRoom(): boolean {
    return queries.size < roomMax
  }
  /** A query that comes in; with the searches of one that went for it, which may have been its own. */
  function begin({ queryHash, query }: Searched, searches: number): QueryCounts {
    const none = { clickable: 0, clicked: 0, clickedOfNobody: 0, asker: NOBODY }
    const begun = { queryHash, query, searches, ...none }
    queries.set(queryHash, begun)
    names = undefined
    return begun
  }
  function remove(queryHash: string): void {
    queries.delete(queryHash)
    names = undefined
    least = []
  }
  return {
    add: (search) => {
      const { queryHash } = search
      const known = queries.get(queryHash) ?? begin(search, hasRoom() ? 0 : makeRoom())
      known.searches += 1
      known.clickable += search.unit === undefined ? 0 : 1
      known.asker = withAsker(known.asker, search)
    },
    click: (search) => {
      const known = queries.get(search.queryHash) ?? (hasRoom() ? begin(search, 0) : undefined)
      if (known === undefined) return
      known.clicked += 1
      known.clickedOfNobody += search.unit === undefined ? 1 : 0
      known.asker = withAsker(known.asker, search)
    },
    forget: (queryHash, searches) => {
      if ((queries.get(queryHash)?.searches ?? Infinity) <= searches) remove(queryHash)
    },
    forgetAskers: (askers) => {
      for (const { queryHash, asker } of queries.values()) if (askers.has(asker)) remove(queryHash)
    },
    record: () => {
      const counts = new Float64Array(WIDTH * queries.size)
      const texts: string[] = []
      let at = 0
      for (const row of queries.values()) {
        counts[at] = row.searches
        counts[at + 1] = row.clicked
        counts[at + 2] = row.clickable
        counts[at + 3] = row.asker
        counts[at + 4] = row.clickedOfNobody
        at += WIDTH
        if (names === undefined) texts.push(row.queryHash, row.query)
      }
      names ??= JSON.stringify(texts)
      return { names, counts: new Uint8Array(counts.buffer) }
    },
  }
}

/** The queries of a list, in its order. */
export function readQueries({ names, counts }: QueryList): QueryCounts[] {
  const texts: string[] = JSON.parse(names)
  const numbers = new Float64Array(new Uint8Array(counts).buffer)
  const length = texts.length / 2
  const width = numbers.length / length
  return Array.from({ length }, (_, at) => {
    const searches = numbers[width * at] as number
    return {
      queryHash: texts[2 * at] as string,
      query: texts[2 * at + 1] as string,
      searches,
      clicked: numbers[width * at + 1] as number,
      clickable: width > 2 ? (numbers[width * at + 2] as number) : searches,
      asker: width > 3 ? (numbers[width * at + 3] as number) : SEVERAL,
      clickedOfNobody: width > 4 ? (numbers[width * at + 4] as number) : 0,
    }
  })
}
