import type { ClickedSearch } from '../../schema/pattern-record.ts'
import type { Store } from '../../store/store.ts'
import { type Consumer, type Fact, type FeedbackFact, listOf } from '../facts.ts'
import { hasOpened, isOthers } from '../feedback/feedback-entries.ts'
import { GROUPS } from '../loop/fold.ts'

/** The newest searches whose hits were clicked by who was shown them: which click was a search's first, and what to replay. */
export interface Clicks extends Consumer {
  /**
   * The position from 1 of a list's first click, on whichever of its pages, if the fact is one; the same for every
   * consumer of the fact.
   */
  firstOfList: (fact: FeedbackFact) => number | undefined
  /** The newest clicked searches of a query, or of all (`*`), newest first. */
  newest: (queryHash: string, limit: number) => { queryId: string; search: ClickedSearch }[]
}

/** Clicked searches that are kept; an older one's next click counts as a first again. */
const CLICKED_MAX = 5000
const KEPT_SHARE = 0.99

export function openClicks(store: Store): Clicks {
  const { clickedSearches } = store.tables
  let searches = new Map<string, ClickedSearch>()
  const changed = new Set<string>()
  let seen: { fact: Fact; first: number | undefined } | undefined

  function add(fact: FeedbackFact): number | undefined {
    const { entry, impression, hit } = fact
    if (impression === undefined || hit === undefined || !hasOpened(entry)) return undefined
    if (isOthers(fact)) return undefined
    const { queryHash, timeMs } = impression
    const list = listOf(impression)
    const isFirst = !searches.has(list.queryId)
    // Further pages are replayed by themselves: of their list no more is kept than that it was clicked.
    if (list.queryId !== entry.queryId)
      clickedOf(list.queryId, { queryHash, timeMs: list.timeMs, clicked: [] })
    const { clicked } = clickedOf(entry.queryId, { queryHash, timeMs, clicked: [] })
    if (!clicked.includes(hit)) clicked.push(hit)
    return isFirst ? impression.from + hit + 1 : undefined
  }
  function clickedOf(queryId: string, fresh: ClickedSearch): ClickedSearch {
    changed.add(queryId)
    const known = searches.get(queryId)
    if (known !== undefined) return known
    searches.set(queryId, fresh)
    for (const oldest of spareOf(searches)) {
      searches.delete(oldest)
      changed.add(oldest)
    }
    return fresh
  }
  function firstOfList(fact: FeedbackFact): number | undefined {
    if (seen?.fact !== fact) seen = { fact, first: add(fact) }
    return seen.first
  }
  return {
    name: 'clicks',
    group: GROUPS.patterns,
    firstOfList,
    newest: (queryHash, limit) => newestOf(searches, queryHash, limit),
    load: () => {
      // Ids of searches sort by time, so that the oldest comes first again.
      searches = new Map(
        Array.from(clickedSearches.range(), ({ key, value }) => [key, value] as const),
      )
      changed.clear()
      seen = undefined
    },
    take: (fact) => {
      if (fact.kind === 'feedback') firstOfList(fact)
    },
    save: () => {
      for (const queryId of changed) {
        const search = searches.get(queryId)
        if (search === undefined) clickedSearches.remove(queryId)
        else clickedSearches.put(queryId, search)
      }
      changed.clear()
    },
    *untake({ facts }) {
      for (const fact of facts) {
        if (fact.kind === 'search' && searches.delete(fact.impression.queryId))
          changed.add(fact.impression.queryId)
        yield
      }
    },
    reset: () => {
      clickedSearches.clear()
      searches = new Map()
      changed.clear()
      seen = undefined
    },
  }
}

/** Those that go, the oldest: many at once, because a map takes long to find its first entry when others were before it. */
function spareOf(searches: ReadonlyMap<string, ClickedSearch>): string[] {
  if (searches.size <= CLICKED_MAX) return []
  return [...searches.keys()].slice(0, searches.size - CLICKED_MAX * KEPT_SHARE)
}

function newestOf(
  searches: ReadonlyMap<string, ClickedSearch>,
  queryHash: string,
  limit: number,
): { queryId: string; search: ClickedSearch }[] {
  const found: { queryId: string; search: ClickedSearch }[] = []
  for (const [queryId, search] of [...searches].reverse()) {
    if (found.length >= limit) break
    if (search.clicked.length === 0) continue
    if (queryHash === '*' || search.queryHash === queryHash) found.push({ queryId, search })
  }
  return found
}
