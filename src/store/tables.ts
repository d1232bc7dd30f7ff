import type {
  AdaptationRecord,
  AdaptationUnitRow,
  ArmTotals,
  RankingScope,
  RankingVersion,
  RuleRecord,
  SuggestionRecord,
} from '../schema/adaptation-record.ts'
import type { HourReport } from '../schema/analytics-record.ts'
import type { KeptAnswer } from '../schema/answer.ts'
import type { StoredEvent } from '../schema/event.ts'
import type {
  ArmRow,
  ExperimentRecord,
  ObservedRow,
  SearchOutcome,
  SumsRow,
  UnitRow,
} from '../schema/experiment-record.ts'
import type { IndexRecord } from '../schema/indices.ts'
import type { AttributionRow, ExaminationDay, RememberedRow } from '../schema/memory-record.ts'
import type { MetricSeries } from '../schema/metric-record.ts'
import type {
  Judgement,
  ModelRecord,
  ModelUsage,
  TrialUnit,
  VersionRecord,
} from '../schema/model-record.ts'
import type {
  ClickedSearch,
  FeedbackPattern,
  LastSearchRow,
  QueryPatternRow,
  ReformulationRow,
} from '../schema/pattern-record.ts'
import type { SessionRecord, SessionTotals } from '../schema/session.ts'
import type { DeadSignalRecord, SignalRecord } from '../schema/signal.ts'

/** One thing that happened, as the journal keeps it. */
export interface JournalEntry {
  /** Milliseconds since the epoch. */
  timeMs: number
  /** What happened: any word to the store; those that there are, and their data, are in learn/entries.ts. */
  type: string
  sessionId?: string
  data?: unknown
  /** JSON of what was told, where that is long: `data` then has no more of it than is read when the entry comes by. */
  long?: string
}

/** A request that carried an Idempotency-Key, and is done. */
export interface DoneRequest {
  route: string
  bodyHash: string
  /** Milliseconds since the epoch after which it is forgotten. */
  expiresMs: number
}

/** The first answer to such a request. */
export type StoredAnswer = KeptAnswer & DoneRequest

/** A table: how its values are written, and what its keys and values are. */
interface Declared<Key, Value> {
  encoding: 'msgpack' | 'binary'
  /** For the compiler alone: nothing is there when it runs. */
  row: { key: Key; value: Value }
}

/** Structured values. */
function packed<Key, Value>(): Declared<Key, Value> {
  return { encoding: 'msgpack' } as Declared<Key, Value>
}

/** Bytes, as they are. */
function bytes<Key>(): Declared<Key, Uint8Array> {
  return { encoding: 'binary' } as Declared<Key, Uint8Array>
}

/** Every table of the record store: key → value. Numbers in keys order numerically, text by bytes. */
export const TABLES = {
  /** Facts about the store and its parts, by name: `MetaRows` in schema/meta-record.ts has them all. */
  meta: packed<string, unknown>(),
  /** Index id → definition. */
  indices: packed<number, IndexRecord>(),
  /** [index id, document id] → document number. */
  documents: packed<[number, string], number>(),
  /** [index id, document number] → record. */
  records: bytes<[number, number]>(),
  /** [index id, sequence] → numbers of the documents that this write removed. */
  removals: packed<[number, number], number[]>(),
  /** [time in ms, index id, document number] → true: a record that a newer version replaced. */
  superseded: packed<[number, number, number], true>(),
  /** [index id, document id] → the numbers it had before, newest first, as long as their records are kept. */
  earlierOrds: packed<[number, string], number[]>(),
  /** [index id, document number] → vector as little-endian float32. */
  vectors: bytes<[number, number]>(),
  /** [index id, document id] → true: its vector comes from an endpoint that has not given it yet. */
  unvectorized: packed<[number, string], true>(),
  /** Session id → session. */
  sessions: packed<string, SessionRecord>(),
  /** Session id → what was done in it. */
  sessionTotals: packed<string, SessionTotals>(),
  /** Sequence → what happened; append-only. */
  journal: packed<number, JournalEntry>(),
  /** Sequence → event of the history of learning; append-only. */
  events: packed<number, StoredEvent>(),
  /** Query id → what the search showed; see learn/impressions/impression.ts. */
  impressions: bytes<string>(),
  /** First query id → impressions in a row; read and written as part of `impressions`, see blocks.ts. */
  impressionBlocks: bytes<string>(),
  /** Model id → model. */
  models: packed<string, ModelRecord>(),
  /** [model id, version] → what is known of it. */
  modelVersions: packed<[string, number], VersionRecord>(),
  /** [model id, version] → the state as canonical JSON. */
  modelStates: bytes<[string, number]>(),
  /** `id@version`, or '' for no model → how it was used. */
  modelUsage: packed<string, ModelUsage>(),
  /** Query id → the gains of its hits. */
  judgements: packed<string, Judgement>(),
  /** [number of the trial, unit] → what the unit did meanwhile. */
  trialUnits: packed<[number, string], TrialUnit>(),
  /** Adaptation id → adaptation. */
  adaptations: packed<string, AdaptationRecord>(),
  /** Version → one state of a scope's ranking; see learn/adaptations/versions.ts. */
  rankingVersions: packed<number, RankingVersion>(),
  /** Query hash or `*` → the version that is in force, and the changes that are or may come into force. */
  rankingScopes: packed<string, RankingScope>(),
  /** [adaptation id, minute since the epoch] → searches with it and without; `*` counts all searches. */
  adaptationFigures: packed<[string, number], { with: ArmTotals; without: ArmTotals }>(),
  /** [adaptation id, 1 with it or 0 without, unit] → searches, clicked ones, ones without results. */
  adaptationUnits: packed<[string, number, string], AdaptationUnitRow>(),
  /** Rule id → rule. */
  adaptationRules: packed<string, RuleRecord>(),
  /** Suggestion id → suggestion. */
  suggestions: packed<string, SuggestionRecord>(),
  /** Hash of what was suggested → suggestion id. */
  suggestionKeys: packed<string, string>(),
  /** Query id → a search whose hits were clicked; the newest ones. */
  clickedSearches: packed<string, ClickedSearch>(),
  /** [1 hour or 24, period since the epoch, query hash] → what searchers did; see learn/patterns. */
  queryPatterns: packed<[number, number, string], QueryPatternRow>(),
  /** [1 hour or 24, period since the epoch, query hash and the next one's] → how often one followed the other. */
  reformulations: packed<[number, number, string], ReformulationRow>(),
  /** Session id → its last search; the most recent sessions. */
  lastSearches: packed<string, LastSearchRow>(),
  /** [1 hour or 24, period since the epoch, ''] → counts of feedback and of what was shown. */
  feedbackPatterns: packed<[number, number, string], FeedbackPattern>(),
  /**
   * [half hour since the epoch, query id] → marks (hashes of session, query, result and action) and when each happened,
   * epoch ms. Rows of earlier versions have a mark in their key, and its time as value.
   */
  feedbackSeen: packed<[number, string], [string, number][] | number>(),
  /** Query hash → what is remembered of its documents; see learn/memory/click-memory.ts. */
  clickMemory: packed<string, RememberedRow>(),
  /** [session id, query hash] → what this session has taught; see learn/memory/attributions.ts. */
  attributions: packed<[string, string], AttributionRow>(),
  /** Signal id → a signal that others told of. */
  signals: packed<string, SignalRecord>(),
  /** [creation in ms, signal id] → true. */
  signalOrder: packed<[number, string], true>(),
  /** Signal id → a signal of the service's own that learning could not take. */
  deadSignals: packed<string, DeadSignalRecord>(),
  /** Session id → when it was found to report the same over and over, epoch ms; it teaches nothing. */
  flaggedSessions: packed<string, number>(),
  /** Experiment id → test or experiment. */
  experiments: packed<string, ExperimentRecord>(),
  /** [kind, name] → experiment id. */
  experimentNames: packed<[string, string], string>(),
  /** [experiment id, number of the arm] → what its units did. */
  experimentArms: packed<[string, number], ArmRow>(),
  /** [experiment id, unit] → what the unit did. */
  experimentUnits: packed<[string, string], UnitRow>(),
  /** Query id → what came of a search in an experiment. */
  experimentSearches: packed<string, SearchOutcome>(),
  /** [experiment id, metric, number of the arm] → sums of a reported metric. */
  experimentReported: packed<[string, string, number], SumsRow>(),
  /** [experiment id, unit, metric] → what was reported of one unit. */
  experimentObserved: packed<[string, string, string], ObservedRow>(),
  /** Day since the epoch → what clicks on drawn orders say of how people look; see learn/memory/examination.ts. */
  examinations: packed<number, ExaminationDay>(),
  /** [day since the epoch, type] → events of learning. */
  eventDays: packed<[number, string], number>(),
  /** Hour since the epoch → what happened to the searches of that hour; see learn/reports. */
  hourReports: packed<number, HourReport>(),
  /** Query id → the best position clicked, from 1; 0 when it is not known. */
  reportedClicks: packed<string, number>(),
  /** [name of a metric, hash of its labels] → the series so far. */
  metricSeries: packed<[string, string], MetricSeries>(),
  /** Idempotency-Key → first answer, or, until there is one, that the request is done. */
  idempotency: packed<string, StoredAnswer | DoneRequest>(),
  /** [time in ms, Idempotency-Key] → true: when that may be forgotten. */
  idempotencyExpiry: packed<[number, string], true>(),
} as const

export type TableName = keyof typeof TABLES
export type Rows = { [Name in TableName]: (typeof TABLES)[Name]['row'] }

/**
 * Version of the tables above; a store written by a newer one is refused. Raise it when rows are written that the
 * version before would misread: that version must not, for example, go on with tests whose sums it can't read, and
 * end them because of it.
 */
export const FORMAT = 5

/** Tables that an environment may hold; LMDB wants to know before it opens the first. */
export const TABLES_MAX = 64

/** Threads and open walks that may read at the same time. */
export const READERS_MAX = 512
