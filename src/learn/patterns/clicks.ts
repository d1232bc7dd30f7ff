import { firstIdOf } from '../../ids.ts'
import type { ClickedSearch } from '../../schema/pattern-record.ts'
import type { Store } from '../../store/store.ts'
import { type Consumer, type Fact, type FeedbackFact, listOf } from '../facts.ts'
import { isOwnClick } from '../feedback/feedback-entries.ts'
import { GROUPS } from '../loop/fold.ts'

/** What a click changes of its list's best one: places from 1, 0 where only clicks on no hit by name were told. */
export interface BestClick {
  best: number
  /** Undefined where it is the first click of all. */
  before: number | undefined
}

/** The newest searches that were clicked by who was shown them: which click was a search's first or best, and what to replay. */
export interface Clicks extends Consumer {
  /**
   * The position from 1 of a list's first click on a hit, on whichever of its pages, if the fact is one; the same for
   * every consumer of the fact.
   */
  firstOfList: (fact: FeedbackFact) => number | undefined
  /** Undefined unless the fact is a list's first click, or better than those before. */
  bestOfList: (fact: FeedbackFact) => BestClick | undefined
  /** The newest clicked searches of a query, or of all (`*`), newest first. */
  newest: (queryHash: string, limit: number) => { queryId: string; search: ClickedSearch }[]
  /** Removes some that were shown before a moment; returns how many. Call again while it removes. */
  sweep: (beforeMs: number) => Promise<number>
}

/** Clicked searches that are kept; an older one's next click counts as a first again. */
const CLICKED_MAX = 5000
const KEPT_SHARE = 0.99
const SWEEP_ROWS = 1000

interface Told {
  first?: number
  best?: BestClick
}

export function openClicks(store: Store): Clicks {
  const { clickedSearches } = store.tables
  let searches = new Map<string, ClickedSearch>()
  const changed = new Set<string>()
  let seen: { fact: Fact; told: Told } | undefined

  function add(fact: FeedbackFact): Told {
    const { entry, impression, hit } = fact
    if (impression === undefined || !isOwnClick(fact)) return {}
    const { queryHash, timeMs, from } = impression
    const place = hit === undefined ? 0 : from + hit + 1
    const { queryId, timeMs: listMs } = listOf(impression)
    const before = bestOf(searches.get(queryId))
    // Further pages are replayed by themselves: of their list no more is kept than its best click.
    const list = clickedOf(queryId, { queryHash, timeMs: listMs, clicked: [] })
    list.best = bestOfTwo(before, place)
    if (hit !== undefined) {
      const { clicked } = clickedOf(entry.queryId, { queryHash, timeMs, clicked: [] })
      if (!clicked.includes(hit)) clicked.push(hit)
    }
    const told = list.best === before ? {} : { best: { best: list.best, before } }
    return place > 0 && !before ? { ...told, first: place } : told
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
  function begin(from: Map<string, ClickedSearch>): void {
    searches = from
    changed.clear()
    seen = undefined
  }
  function toldBy(fact: FeedbackFact): Told {
    if (seen?.fact !== fact) seen = { fact, told: add(fact) }
    return seen.told
  }
  return {
    name: 'clicks',
    group: GROUPS.patterns,
    firstOfList: (fact) => toldBy(fact).first,
    bestOfList: (fact) => toldBy(fact).best,
    newest: (queryHash, limit) => newestOf(searches, queryHash, limit),
    sweep: (beforeMs) => removeBefore(store, beforeMs, (queryId) => searches.delete(queryId)),
    load: () => begin(readAll(store)),
    take: (fact) => {
      if (fact.kind === 'feedback') toldBy(fact)
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
      begin(new Map())
    },
  }
}

/** Ids of searches sort by time, so that the oldest comes first. */
function readAll({ tables: { clickedSearches } }: Store): Map<string, ClickedSearch> {
  return new Map(Array.from(clickedSearches.range(), ({ key, value }) => [key, value] as const))
}

/** Returns how many it removed; `removed` is told of each. */
async function removeBefore(
  { tables: { clickedSearches }, release }: Store,
  beforeMs: number,
  removed: (queryId: string) => void,
): Promise<number> {
  const due = [...clickedSearches.keys({ end: firstIdOf(beforeMs), limit: SWEEP_ROWS })]
  if (due.length > 0) await release(() => clickedSearches.removeAll(due))
  for (const queryId of due) removed(queryId)
  return due.length
}

/** Of rows of earlier versions, and of pages, it is not known: nothing is better. */
function bestOf(list: ClickedSearch | undefined): number | undefined {
  return list === undefined ? undefined : (list.best ?? 1)
}

function bestOfTwo(best: number | undefined, place: number): number {
  if (!best) return place
  return place > 0 ? Math.min(best, place) : best
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
