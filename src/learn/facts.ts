import { timeOfId } from '../ids.ts'
import type { DocumentKey } from '../schema/document-key.ts'
import type { SearchType } from '../schema/tuning.ts'

export interface ShownHit {
  indexId: number
  id: string
}

/** Hits in their order, shared by all impressions that show the same ones: not to be changed. */
export interface ShownPage {
  hits: readonly ShownHit[]
  keys: readonly DocumentKey[]
  /** The keys as JSON. */
  json: string
}

/** What one search showed, and everything that decided its order. Kept for `RETENTION_MS`. */
export interface Impression {
  queryId: string
  queryHash: string
  /** The query's words as they were sent, cut to 256 UTF-16 units. */
  query: string
  searchType: SearchType
  /** Milliseconds since the epoch. */
  timeMs: number
  tookMs: number
  /** The session that the search named, known or not. */
  sessionId?: string
  /** Who counts in experiments and learning: the session's user, else the session. Absent: nobody, nothing is learned. */
  unit?: string
  deviceType?: string
  total: number
  /** Hits before the first one shown: the first has position `from` + 1. */
  from: number
  /** The query id of the first page, on further pages of the session's own list, where it is known and the session lasts. */
  list?: string
  generation: number
  page: ShownPage
  /** The score of each hit. */
  scores: number[]
  /** So many hits, the first ones, are pinned: neither a model nor a draw moves them. Absent: none. */
  pinned?: number
  /** `id@version` of the model that ranked; absent where rankings of two models were dealt. */
  model?: string
  /** `id@version` of the adaptations that applied. */
  adaptations: string[]
  /** [test id, variant id] of the experiments whose variant applied. */
  variants: [string, string][]
  /** The order may have been drawn: what decided it, and for a drawn page where its first hits stood in greedy order. */
  exploration?: {
    seed: number
    epsilon: number
    temperature: number
    explored: boolean
    /** Scores have no common span: the temperature is relative to the highest. */
    relative: boolean
    /** So many hits, the first ones, are pinned: no draw moves them. */
    pinned?: number
    order?: number[]
    /** Only in impressions of earlier versions: P(hit at its place) for each hit. */
    propensities?: number[]
  }
  /** Two rankings dealt as teams: 'a' or 'b' for each hit, '-' for one that neither is credited with. */
  interleaved?: { testId: string; seed: number; teams: string }
  /** `id@version` of the model in shadow, and what it would have said of each hit. */
  shadowModel?: string
  shadowScores?: number[]
  /** How many documents' scores were changed by what was learned or set. */
  addedScores?: number
  /** Numbers a hit has in the feature block. */
  features: number
}

/** What running a search again needs besides: kept beside the impression, and read only for that. */
export interface ReplayRecord {
  /** Ids of the indices searched. */
  indices: number[]
  /** The core's request, and the other ranking's. */
  request: object
  otherRequest?: object
  otherAdded?: { documents: string; values: string; count: number }
  /** Which hits of the list that both were dealt into, so deep, the page shows. */
  dealt?: { from: number; size: number; depth: number }
  /** The query's own vector, base64 of little-endian float32. */
  vector?: string
  /** What was added to scores: [index id, id, value] each. */
  added?: [number, string, number][]
}

/** An impression as it is kept: most who read one want no more than what was shown. */
export interface StoredImpression {
  impression: Impression
  /** Row-major; read from the bytes when they are asked for. */
  features: () => Float32Array
  /** What running the search again needs; read from the bytes when it is asked for. */
  replay: () => ReplayRecord
}

/** The list that a page belongs to, and when it was begun; one whose list is not known is a list by itself. */
export function listOf({ queryId, timeMs, list }: Impression): {
  queryId: string
  timeMs: number
} {
  return list === undefined ? { queryId, timeMs } : { queryId: list, timeMs: timeOfId(list) }
}

/** A page of a search as the processor hands it on; whoever counts searches takes first pages alone (`isFirstPage`). */
export interface SearchFact {
  kind: 'search'
  sequence: number
  impression: Impression
}

/** What became of an entry; only one that is learned carries weight. */
export type FeedbackStatus = 'learned' | 'duplicate' | 'unmatched' | 'late'

/** One entry of a feedback request as the journal keeps it. */
export interface FeedbackEntry {
  signalId: string
  queryId: string
  resultId?: string
  /** Lower-case word: click, purchase, dwell, … open. */
  action: string
  /** As sent: whether an action was named at all. */
  userAction?: string
  engagementType?: string
  /** 0..1 */
  rating: number
  /** When it happened, epoch ms. */
  timeMs: number
  /** 1-based. */
  position?: number
  dwellMs?: number
  queryHash?: string
  metadata?: Record<string, unknown>
  /** All of the metadata as JSON, where it is long: `metadata` then holds only what learning reads. */
  long?: string
  status: FeedbackStatus
}

/** One feedback entry as the processor hands it on, joined to what was shown. */
export interface FeedbackFact {
  kind: 'feedback'
  sequence: number
  /** When it was received, epoch ms: the journal entry's time. */
  receivedMs: number
  sessionId: string
  unit: string | undefined
  entry: FeedbackEntry
  /** What the entry speaks of; undefined when it is unmatched. */
  impression: Impression | undefined
  /** The hit among the impression's, from 0; undefined when the entry names none or another. */
  hit: number | undefined
}

/** An analytics event (POST /cortex/analytics/search) as the journal keeps it. */
export interface AnalyticsFact {
  kind: 'analytics'
  sequence: number
  timeMs: number
  sessionId: string | undefined
  data: Record<string, unknown>
}

/** Something that happened to a model: activated, rolled back, trained, … */
export interface ModelFact {
  kind: 'model'
  sequence: number
  timeMs: number
  signalId: string
}

export type Fact = SearchFact | FeedbackFact | AnalyticsFact | ModelFact

/** What is told between a session that is to be forgotten and another one of its user. */
export interface Beside {
  /** Lists that it spoke of and did not make, by the query ids of their first pages: these stay. */
  lists: ReadonlySet<string>
  /** What others told of them. */
  told: readonly FeedbackFact[]
  /** What others told of searches that go. */
  orphans: readonly FeedbackFact[]
}

/** Somebody who is to be forgotten, and what the log still says of them. */
export interface Doomed {
  /** Ids of their sessions, and the user's own name. */
  names: ReadonlySet<string>
  /** What they did, in the order in which it was taken. */
  facts: readonly Fact[]
  beside?: Beside
  /** Sequence of the last entry that was looked at. */
  sequence: number
}

/** Consumers that are saved together. */
export interface ConsumerGroup {
  /** By this name its place is kept. */
  name: string
  /** Time between two saves. The longer, the less is written twice, and the longer one save holds the main thread. */
  saveMs: number
}

/**
 * One part of the learned state. It is a fold over the journal: the same entries in the same order give the
 * same state, whatever the clock says. `take` changes memory only; `save` writes what changed, inside the
 * transaction that also moves the processor's place in the journal; `publish` runs when that is on the disk; for consumers
 * of a group after each slice.
 */
export interface Consumer {
  name: string
  /**
   * Consumers of one group keep a place in the journal of their own, and are saved together some time after they took
   * their facts: what changes again until then is written once. Absent: saved as soon as anything was told.
   */
  group?: ConsumerGroup
  /** Reads the state from the store: at start, and again when a transaction failed. */
  load: () => void
  take: (fact: Fact) => void
  save: () => void
  /** Makes the new state visible to searches. */
  publish?: () => void
  /** For state that is folded anew when somebody is forgotten: empties it, inside a transaction. */
  reset?: () => void
  /**
   * Forgets when the log no longer holds all that the state was made of, so that a fold anew would lose what others
   * taught: takes out what the forgotten ones taught, and whatever names them. Sums that name nobody may stay. A
   * consumer without `reset` is asked in either case. Like `take` it changes memory only; it yields wherever others
   * may use the main thread in between.
   */
  untake?: (doomed: Doomed) => Iterable<unknown>
  /** After `untake`, inside the transaction of the `save` that follows: removes rows that are held in no memory. */
  forget?: (doomed: Doomed) => void
}
