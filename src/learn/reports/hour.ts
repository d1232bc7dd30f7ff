import type { HourReport, SearchCounts } from '../../schema/analytics-record.ts'
import { isFirstPage } from '../../schema/plan.ts'
import type { Impression } from '../facts.ts'
import type { Asker } from '../patterns/askers.ts'
import { latencyBucket } from '../statistics/latency-histogram.ts'
import { reciprocalRank } from '../statistics/reciprocal-rank.ts'
import { type Distinct, openDistinct } from './distinct.ts'
import { type Frequent, openFrequent } from './frequent.ts'
import { type MovedClick, openMovedClicks } from './moved-clicks.ts'

/** One hour while it is being counted. */
export interface Hour {
  addSearch: (impression: Impression) => void
  /**
   * A list's best click so far, on any of its pages: `best` from 1, `before` what was the best until now; 0 when not
   * known.
   */
  addClick: (impression: Impression, best: number, before: number | undefined) => void
  /** A click, if learning moved its list. */
  addMoved: (places: MovedClick | undefined) => void
  addFeedback: (status: string) => void
  addEvent: (type: string) => void
  /** Takes out the words of a query that nobody asked but these times. */
  forget: (queryHash: string, times: number) => void
  /** Takes out the words of queries that one of these alone asked. */
  forgetAskers: (askers: ReadonlySet<Asker>) => void
  record: () => HourReport
}

const QUERIES_MAX = 200
const ZERO_RESULT_QUERIES_MAX = 100
/** Different words of an open vocabulary; what lies beyond is counted together. */
const WORDS_MAX = 100
const OTHERS = 'other'

export function openHour(from: HourReport = EMPTY): Hour {
  const all = countsFrom(from.all)
  const byType = new Map(from.byType.map(([type, counts]) => [type, countsFrom(counts)]))
  const latency = new Map(from.latency)
  const moved = openMovedClicks(from.moved)
  const feedback = new Map(from.feedback)
  const events = new Map(from.events)
  const sessions: Distinct = openDistinct(from.sessions)
  const units: Distinct = openDistinct(from.units)
  const queries: Frequent = openFrequent(QUERIES_MAX, from.queries)
  const zeroes: Frequent = openFrequent(ZERO_RESULT_QUERIES_MAX, from.zeroResultQueries)
  const lists = [queries, zeroes]

  function shownOf({ searchType }: Impression): Required<SearchCounts>[] {
    const type = byType.get(searchType) ?? noSearches()
    byType.set(searchType, type)
    return [all, type]
  }
  return {
    addSearch: (impression) => {
      const { total, tookMs, sessionId, unit } = impression
      // What is clicked on further pages counts for the list.
      if (!isFirstPage(impression)) return
      for (const counts of shownOf(impression)) {
        addSearch(counts, impression)
        if (unit !== undefined) counts.clickable += 1
      }
      addOne(latency, latencyBucket(tookMs))
      // Without a unit the session is over, or there never was one of this id.
      if (sessionId !== undefined && unit !== undefined) sessions.add(sessionId)
      if (unit !== undefined) units.add(unit)
      queries.add(impression)
      if (total === 0) zeroes.add(impression)
    },
    addClick: (impression, best, before) => {
      const isOfNobody = impression.unit === undefined
      const gained = isOfNobody ? 0 : reciprocalRank(best) - reciprocalRank(before ?? 0)
      const first = before === undefined ? 1 : 0
      for (const counts of shownOf(impression)) {
        counts.reciprocal += gained
        counts.clicked += first
        counts.clickedOfNobody += isOfNobody ? first : 0
      }
      if (before === undefined) queries.click(impression)
    },
    addMoved: moved.add,
    addFeedback: (status) => addOne(feedback, status),
    addEvent: (type) => addOne(events, events.has(type) || events.size < WORDS_MAX ? type : OTHERS),
    forget: (queryHash, times) => lists.forEach((list) => void list.forget(queryHash, times)),
    forgetAskers: (askers) => lists.forEach((list) => void list.forgetAskers(askers)),
    record: () => ({
      all: { ...all },
      learned: noSearches(),
      plain: noSearches(),
      moved: moved.record(),
      byType: [...byType].map(([type, counts]) => [type, { ...counts }]),
      latency: [...latency],
      sessions: sessions.record(),
      units: units.record(),
      feedback: [...feedback],
      events: [...events],
      queries: queries.record(),
      zeroResultQueries: zeroes.record(),
    }),
  }
}

export function noSearches(): Required<SearchCounts> {
  return {
    searches: 0,
    clickable: 0,
    zeroResults: 0,
    clicked: 0,
    clickedOfNobody: 0,
    reciprocal: 0,
    tookMs: 0,
  }
}

/** What a row says; rows of earlier versions took every search for one that can be clicked. */
export function countsFrom(row: SearchCounts): Required<SearchCounts> {
  const { clickable = row.searches, clickedOfNobody = 0 } = row
  return { ...row, clickable, clickedOfNobody }
}

function addSearch(counts: Required<SearchCounts>, { total, tookMs }: Impression): void {
  counts.searches += 1
  counts.tookMs += tookMs
  if (total === 0) counts.zeroResults += 1
}

function addOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

const EMPTY: HourReport = {
  all: noSearches(),
  byType: [],
  learned: noSearches(),
  plain: noSearches(),
  latency: [],
  sessions: { hashes: [] },
  units: { hashes: [] },
  feedback: [],
  events: [],
  queries: { names: '[]', counts: new Uint8Array() },
  zeroResultQueries: { names: '[]', counts: new Uint8Array() },
}
