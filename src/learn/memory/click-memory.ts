import type { Config } from '../../config.ts'
import type { DocumentKey } from '../../schema/document-key.ts'
import { type AddedScores, NOTHING_ADDED } from '../../schema/plan.ts'
import type { Store } from '../../store/store.ts'
import type { Consumer } from '../facts.ts'
import type { Gains } from '../feedback/gains.ts'
import type { Events } from '../history/events.ts'
import { GROUPS, isFoldedAnew } from '../loop/fold.ts'
import type { Sweep } from '../round.ts'
import type { PlaceChances } from '../statistics/place-chances.ts'
import { dayOf } from '../wire/duration.ts'
import { isAhead } from '../wire/moment.ts'
import { type Life, openAttributions } from './attributions.ts'
import { ENTRIES_MAX, openLessons, type Teach } from './click-memory-lessons.ts'
import { type MemoryView, openPairs, type Pairs, type Remembered } from './click-memory-pairs.ts'
import { type ClickReasons, reasonsOf } from './click-memory-reasons.ts'
import { viewOf } from './click-memory-view.ts'
import type { MemorySettings } from './click-rate.ts'
import { scoreAt } from './click-scores.ts'
import { unteach } from './unteach.ts'

/**
 * What people chose among what a query showed them, corrected for how likely they were to look at it: for a query
 * hash and a document the added score is λ · (min(1, (c + a·p₀) / (e + a)) − p₀), with c the gains of feedback, e the
 * examinations (the chance that it was looked at, see `likelyLooks`; none up to a third of one where c is 0), and a·p₀ / a
 * what is expected of a document that nobody has met.
 */
export interface ClickMemory extends Consumer {
  /** The greatest changes; none for a query that nobody gained from. */
  added: (queryHash: string) => AddedScores
  /** Whether somebody gained from the query, which no strength changes. */
  isClicked: (queryHash: string) => boolean
  /** Whether nothing counts that a session tells, by the entries taken so far. */
  isFlagged: (sessionId: string) => boolean
  /** Where a document's added score comes from; undefined when nothing is known. */
  describe: (queryHash: string, key: DocumentKey) => ClickReasons | undefined
  figures: () => ClickMemoryFigures
  /** Since the start, how often changes of queries with a gain came to the disk, and all was learned anew. */
  changes: () => { saved: number; relearned: number }
  /** Removes what sessions taught that are long over, where nobody comes any more; returns how much. */
  sweep: Sweep
}

interface ClickMemoryFigures {
  pairs: number
  queries: number
  /** Queries with at least one gain. */
  gained: number
  evicted: number
  /** Sessions whose teaching was taken out again, since the start. */
  flagged: number
}

type MemoryConfig = MemorySettings &
  Pick<Config, 'memoryPairsMax' | 'sessionAbsoluteMs' | 'retentionMs'>

interface MemoryParts {
  store: Store
  events: Pick<Events, 'recordWithin'>
  gains: Gains
  config: MemoryConfig
  /** How people look; what is known of it changes. */
  chances: () => PlaceChances
  clock: () => number
}

/** Time after a session's end in which its last feedback may still be on its way. */
const GRACE_MS = 30 * 60_000

/** A session that told the same over and over, and of what. */
interface Flagged {
  sessionId: string
  queryHash: string
  document: DocumentKey
}

interface State extends Pick<MemoryParts, 'config' | 'gains' | 'chances' | 'clock'> {
  /** What facts change; another than `read` while the log is folded anew. */
  written: Pairs
  read: Pairs
  /** Queries whose view is older than their evidence. */
  stale: Set<Remembered>
}

export function openClickMemory(parts: MemoryParts): ClickMemory {
  const { store, events, gains, config, chances, clock } = parts
  const noteSessions = () => openAttributions(store, lifeOf(config))
  const attributions = noteSessions()
  const stale = new Set<Remembered>()
  const openAll = () => openPairs(store, config, (query) => keepView(state, query))
  const first = openAll()
  const state: State = { config, gains, chances, clock, stale, written: first, read: first }
  const lessonsTo = (teach: Teach, known = noteSessions()) =>
    openLessons({ attributions: known, gains, teach })
  const lessons = lessonsTo((change) => state.written.add(change), attributions)
  let flaggedNow: Flagged[] = []
  let flagged = 0
  /** The newest moment among the facts since the clock was last set back: the only clock of the fold. */
  let latestMs = 0
  const changes = { saved: 0, relearned: 0 }
  /** What changed is on its way to the disk. */
  let isSaving = false
  let isAnew = false

  return {
    name: 'click-memory',
    group: GROUPS.memory,
    load: () => {
      attributions.load()
      stale.clear()
      state.written = state.read = openAll()
      flaggedNow = []
    },
    take: (fact) => {
      if (fact.kind === 'analytics' || fact.kind === 'model') return
      const isSearch = fact.kind === 'search'
      latestMs = later(latestMs, isSearch ? fact.impression.timeMs : fact.receivedMs)
      if (isSearch) return lessons.seen(fact)
      const repeated = lessons.told(fact)
      if (repeated !== undefined) flaggedNow.push({ sessionId: fact.sessionId, ...repeated })
    },
    save: () => {
      isSaving = state.written.save() || isSaving
      attributions.save(latestMs)
      // A fold anew repeats what the history tells already.
      const news = isFoldedAnew(store) ? [] : flaggedNow
      for (const each of news) tellWithin(events, each)
      flagged += news.length
      flaggedNow = []
    },
    publish: () => {
      for (const remembered of stale) remembered.view = undefined
      stale.clear()
      if (isAnew) changes.relearned += 1
      if (isSaving) changes.saved += 1
      isSaving = isAnew = false
      state.read = state.written
    },
    reset: () => {
      store.tables.clickMemory.clear()
      attributions.reset()
      state.written = openAll()
      isAnew = true
      latestMs = 0
    },
    untake: (doomed) => {
      isAnew = true
      return unteach(doomed, { lessons, again: lessonsTo, teach: state.written.add })
    },
    ...readingOf(state),
    isFlagged: attributions.isFlagged,
    figures: () => ({ ...state.read.figures(), flagged }),
    changes: () => changes,
    sweep: attributions.sweep,
  }
}

function later(latestMs: number, timeMs: number): number {
  return isAhead(latestMs, timeMs) ? timeMs : Math.max(latestMs, timeMs)
}

function lifeOf({ sessionAbsoluteMs, retentionMs }: MemoryConfig): Life {
  return { lifeMs: sessionAbsoluteMs + GRACE_MS, toldMs: retentionMs }
}

/** Before evidence changes: until `publish`, searches see what was true before. */
function keepView(state: State, remembered: Remembered): void {
  if (state.stale.has(remembered)) return
  if (state.written === state.read) remembered.view ??= viewNow(state, remembered)
  state.stale.add(remembered)
}

function readingOf(state: State): Pick<ClickMemory, 'added' | 'isClicked' | 'describe'> {
  return {
    added: (queryHash) => added(state, queryHash),
    isClicked: (queryHash) => (state.read.find(queryHash)?.gain ?? 0) > 0,
    describe: (queryHash, key) => describe(state, queryHash, key),
  }
}

function added(state: State, queryHash: string): AddedScores {
  const remembered = state.read.find(queryHash)
  if (remembered === undefined || state.config.memoryStrength === 0) return NOTHING_ADDED
  const { view } = remembered
  if (view?.day === dayOf(state.clock()) && view.chances === state.chances()) return view.added
  remembered.view = viewNow(state, remembered)
  return remembered.view.added
}

function viewNow({ config, gains, chances, clock }: State, remembered: Remembered): MemoryView {
  const settings = { ...config, chances: chances(), clickGain: gains.click }
  return viewOf(remembered, dayOf(clock()), settings)
}

function describe({ read, config, gains, chances, clock }: State, query: string, key: DocumentKey) {
  const documents = read.find(query)?.documents
  const evidence = documents?.get(key)
  if (documents === undefined || evidence === undefined) return undefined
  const settings = { ...config, chances: chances(), clickGain: gains.click }
  const place = [...documents.keys()].indexOf(key)
  const score = scoreAt(place, documents.values(), dayOf(clock()), settings)
  return { ...score, ...reasonsOf(evidence, settings) }
}

function tellWithin(events: Pick<Events, 'recordWithin'>, { sessionId, ...data }: Flagged): void {
  events.recordWithin({
    type: 'SESSION_FLAGGED',
    status: 'COMPLETED',
    source: 'feedback',
    priority: 'HIGH',
    sessionId,
    data: { ...data, entriesMax: ENTRIES_MAX },
  })
}
