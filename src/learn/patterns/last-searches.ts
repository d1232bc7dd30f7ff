import type { LastSearch, LastSearchRow } from '../../schema/pattern-record.ts'
import type { Store } from '../../store/store.ts'
import { DAY_MS } from '../wire/duration.ts'
import { isAhead } from '../wire/moment.ts'

/**
 * Sessions whose last search is kept, and characters of what they asked, two bytes each at most: a search may have some
 * thousands. Those that searched longest ago go first.
 */
const SESSIONS_MAX = 20_000
const CHARACTERS_MAX = 16 << 20
const KEPT_SHARE = 0.99
/** Nothing follows a search later than this, and no click on it counts here. */
const KEPT_MS = DAY_MS
/** A second query later than this is a matter of its own. */
const REFORMULATED_MS = 5 * 60_000
/** What is older is looked for so often, by the time of the searches. */
const SWEEP_MS = 60_000
/** Rows that one sweep of retention removes at most. */
const SWEPT_ROWS = 1000

/** The last search of each of the most recent sessions. */
export function openLastSearches({ tables: { lastSearches }, release }: Store) {
  let sessions = new Map<string, LastSearch>()
  const changed = new Set<string>()
  let [latestMs, sweptMs, characters] = [0, 0, 0]

  function load(): void {
    sessions = new Map(Array.from(lastSearches.range(), ({ key, value }) => [key, unpack(value)]))
    latestMs = 0
    characters = 0
    for (const { timeMs, query } of sessions.values()) {
      latestMs = Math.max(latestMs, timeMs)
      characters += query.length
    }
    changed.clear()
  }
  function remove(sessionId: string): void {
    characters -= sessions.get(sessionId)?.query.length ?? 0
    if (sessions.delete(sessionId)) changed.add(sessionId)
  }
  /** Removes rows by time alone, so that the same ones go however often the process starts anew in between. */
  function removeOld(timeMs: number): void {
    const stepMs = (atMs: number) => SWEEP_MS * Math.floor(atMs / SWEEP_MS)
    // What was noted while the clock was ahead makes nobody wait until it shows that time again.
    const isBack = isAhead(latestMs, timeMs)
    const isNext = isBack || stepMs(timeMs) > stepMs(latestMs)
    latestMs = isBack ? timeMs : Math.max(latestMs, timeMs)
    if (!isNext) return
    for (const [sessionId, search] of sessions)
      if (search.timeMs < stepMs(timeMs) - KEPT_MS) remove(sessionId)
  }
  /** Many at once, because all are looked through. Those of one moment go together: their order is not kept. */
  function makeRoom(): void {
    const byTime = [...sessions.values()].sort((a, b) => a.timeMs - b.timeMs)
    let [kept, keptCharacters, untilMs] = [byTime.length, characters, 0]
    for (const { timeMs, query } of byTime) {
      if (kept <= SESSIONS_MAX * KEPT_SHARE && keptCharacters <= CHARACTERS_MAX * KEPT_SHARE) break
      kept -= 1
      keptCharacters -= query.length
      untilMs = timeMs
    }
    for (const [sessionId, { timeMs }] of sessions) if (timeMs <= untilMs) remove(sessionId)
  }
  return {
    get: (sessionId: string) => sessions.get(sessionId),
    put: (sessionId: string, search: LastSearch) => {
      removeOld(search.timeMs)
      characters += search.query.length - (sessions.get(sessionId)?.query.length ?? 0)
      // Where it stood: a map from which each is taken out and put back gets new tables all the time.
      sessions.set(sessionId, search)
      changed.add(sessionId)
      if (sessions.size > SESSIONS_MAX || characters > CHARACTERS_MAX) makeRoom()
    },
    load,
    save: () => {
      for (const sessionId of changed) {
        const search = sessions.get(sessionId)
        if (search === undefined) lastSearches.remove(sessionId)
        else lastSearches.put(sessionId, pack(search))
      }
      changed.clear()
    },
    forget: (sessionIds: Iterable<string>) => {
      for (const sessionId of sessionIds) remove(sessionId)
    },
    /** Of a process at rest, too, in which nothing comes that would have them saved. */
    sweep: async (beforeMs: number) => {
      if (beforeMs >= sweptMs && beforeMs < sweptMs + SWEEP_MS) return 0
      const isOld = (sessionId: string) => (sessions.get(sessionId)?.timeMs ?? Infinity) < beforeMs
      const due = [...sessions.keys()].filter(isOld).slice(0, SWEPT_ROWS)
      if (due.length < SWEPT_ROWS) sweptMs = beforeMs
      if (due.length === 0) return 0
      // Some may have searched again by then.
      await release(() => lastSearches.removeAll(due.filter(isOld)))
      for (const sessionId of due) if (isOld(sessionId)) remove(sessionId)
      return due.length
    },
    reset: () => {
      lastSearches.clear()
      load()
    },
  }
}

type Followed = Pick<LastSearch, 'queryHash' | 'timeMs' | 'clicked'>

/** Whether somebody put a query in other words: soon, and with nothing clicked. */
export function isReformulated(before: Followed, now: Followed): boolean {
  return (
    before.queryHash !== now.queryHash &&
    !before.clicked &&
    now.timeMs - before.timeMs <= REFORMULATED_MS
  )
}

function pack(search: LastSearch): LastSearchRow {
  const { queryId, queryHash, query, timeMs, clicked, zeroResults, from } = search
  const row: LastSearchRow = [queryId, queryHash, query, timeMs, clicked, zeroResults]
  if (from !== undefined) row.push(from)
  return row
}

function unpack(row: LastSearchRow): LastSearch {
  const [queryId, queryHash, query, timeMs, clicked, zeroResults, from] = row
  const search: LastSearch = { queryId, queryHash, query, timeMs, clicked, zeroResults }
  if (from !== undefined) search.from = from
  return search
}
