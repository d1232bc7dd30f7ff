import { join } from 'node:path'
import type {
  AdaptationRecord,
  AdaptationUnitRow,
  ArmTotals,
  RankingScope,
  RankingVersion,
  RuleRecord,
  SuggestionRecord,
} from '../schema/adaptation-record.ts'
import type { ExaminationDay, HourReport, MetricSeries } from '../schema/analytics-record.ts'
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
import type { AttributionRow, RememberedRow } from '../schema/memory-record.ts'
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
  /** What happened: an open vocabulary. */
  type: string
  sessionId?: string
  data?: unknown
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

/** Key and value of every table of the record store. Numbers in keys order numerically, text by bytes. */
export interface Rows {
  /** Facts about the store itself: `format`, `owner`, and the sequences of the parts. */
  meta: { key: string; value: unknown }
  /** Index id → definition. */
  indices: { key: number; value: IndexRecord }
  /** [index id, document id] → document number. */
  documents: { key: [number, string]; value: number }
  /** [index id, document number] → record. */
  records: { key: [number, number]; value: Uint8Array }
  /** [index id, sequence] → numbers of the documents that this write removed. */
  removals: { key: [number, number]; value: number[] }
  /** [time in ms, index id, document number] → true: a record that a newer version replaced. */
  superseded: { key: [number, number, number]; value: true }
  /** [index id, document id] → the numbers it had before, newest first, as long as their records are kept. */
  earlierOrds: { key: [number, string]; value: number[] }
  /** [index id, document number] → vector as little-endian float32. */
  vectors: { key: [number, number]; value: Uint8Array }
  /** [index id, document id] → true: its vector comes from an endpoint that has not given it yet. */
  unvectorized: { key: [number, string]; value: true }
  sessions: { key: string; value: SessionRecord }
  sessionTotals: { key: string; value: SessionTotals }
  /** Sequence → what happened; append-only. */
  journal: { key: number; value: JournalEntry }
  /** Sequence → event of the history of learning; append-only. */
  events: { key: number; value: StoredEvent }
  /** Query id → what the search showed; see learn/impressions/impression.ts. */
  impressions: { key: string; value: Uint8Array }
  /** First query id → impressions in a row; read and written as part of `impressions`, see blocks.ts. */
  impressionBlocks: { key: string; value: Uint8Array }
  models: { key: string; value: ModelRecord }
  /** [model id, version] → what is known of it. */
  modelVersions: { key: [string, number]; value: VersionRecord }
  /** [model id, version] → the state as canonical JSON. */
  modelStates: { key: [string, number]; value: Uint8Array }
  /** `id@version`, or '' for no model → how it was used. */
  modelUsage: { key: string; value: ModelUsage }
  /** Query id → the gains of its hits. */
  judgements: { key: string; value: Judgement }
  /** [number of the trial, unit] → what the unit did meanwhile. */
  trialUnits: { key: [number, string]; value: TrialUnit }
  /** Adaptation id → adaptation. */
  adaptations: { key: string; value: AdaptationRecord }
  /** Version → one state of a scope's ranking; see learn/adaptations/versions.ts. */
  rankingVersions: { key: number; value: RankingVersion }
  /** Query hash or `*` → the version that is in force, and the changes that are or may come into force. */
  rankingScopes: { key: string; value: RankingScope }
  /** [adaptation id, minute since the epoch] → searches with it and without; `*` counts all searches. */
  adaptationFigures: { key: [string, number]; value: { with: ArmTotals; without: ArmTotals } }
  /** [adaptation id, 1 with it or 0 without, unit] → searches, clicked ones, ones without results. */
  adaptationUnits: { key: [string, number, string]; value: AdaptationUnitRow }
  adaptationRules: { key: string; value: RuleRecord }
  suggestions: { key: string; value: SuggestionRecord }
  /** Hash of what was suggested → suggestion id. */
  suggestionKeys: { key: string; value: string }
  /** Query id → a search whose hits were clicked; the newest ones. */
  clickedSearches: { key: string; value: ClickedSearch }
  /** [1 hour or 24, period since the epoch, query hash] → what searchers did; see learn/patterns. */
  queryPatterns: { key: [number, number, string]; value: QueryPatternRow }
  /** [1 hour or 24, period since the epoch, query hash and the next one's] → how often one followed the other. */
  reformulations: { key: [number, number, string]; value: ReformulationRow }
  /** Session id → its last search; the most recent sessions. */
  lastSearches: { key: string; value: LastSearchRow }
  /** [1 hour or 24, period since the epoch, ''] → counts of feedback and of what was shown. */
  feedbackPatterns: { key: [number, number, string]; value: FeedbackPattern }
  /**
   * [half hour since the epoch, query id] → marks (hashes of session, query, result and action) and when each happened,
   * epoch ms. Rows of before have a mark in their key, and its time as value.
   */
  feedbackSeen: { key: [number, string]; value: [string, number][] | number }
  /** Query hash → what is remembered of its documents; see learn/memory/click-memory.ts. */
  clickMemory: { key: string; value: RememberedRow }
  /** [session id, query hash] → what this session has taught; see learn/memory/attributions.ts. */
  attributions: { key: [string, string]; value: AttributionRow }
  /** Signal id → a signal that others told of. */
  signals: { key: string; value: SignalRecord }
  /** [creation in ms, signal id] → true. */
  signalOrder: { key: [number, string]; value: true }
  /** Signal id → a signal of the service's own that learning could not take. */
  deadSignals: { key: string; value: DeadSignalRecord }
  /** Session id → when it was found to report the same over and over, epoch ms; it teaches nothing. */
  flaggedSessions: { key: string; value: number }
  /** Experiment id → test or experiment. */
  experiments: { key: string; value: ExperimentRecord }
  /** [kind, name] → experiment id. */
  experimentNames: { key: [string, string]; value: string }
  /** [experiment id, number of the arm] → what its units did. */
  experimentArms: { key: [string, number]; value: ArmRow }
  /** [experiment id, unit] → what the unit did. */
  experimentUnits: { key: [string, string]; value: UnitRow }
  /** Query id → what came of a search in an experiment. */
  experimentSearches: { key: string; value: SearchOutcome }
  /** [experiment id, metric, number of the arm] → sums of a reported metric. */
  experimentReported: { key: [string, string, number]; value: SumsRow }
  /** [experiment id, unit, metric] → what was reported of one unit. */
  experimentObserved: { key: [string, string, string]; value: ObservedRow }
  /** Day since the epoch → clicks on pairs of neighbours that might have been swapped; see learn/memory/examination.ts. */
  examinations: { key: number; value: ExaminationDay }
  /** [day since the epoch, type] → events of learning. */
  eventDays: { key: [number, string]; value: number }
  /** Hour since the epoch → what happened to the searches of that hour; see learn/reports. */
  hourReports: { key: number; value: HourReport }
  /** Query id → the best position clicked, from 1; 0 when it is not known. */
  reportedClicks: { key: string; value: number }
  /** [name of a metric, its labels as canonical JSON] → the series so far. */
  metricSeries: { key: [string, string]; value: MetricSeries }
  /** Idempotency-Key → first answer, or, until there is one, that the request is done. */
  idempotency: { key: string; value: StoredAnswer | DoneRequest }
  /** [time in ms, Idempotency-Key] → true: when that may be forgotten. */
  idempotencyExpiry: { key: [number, string]; value: true }
}

export type TableName = keyof Rows

/** Every table and how its values are written: structured values by msgpack, bytes as they are. */
export const TABLES = {
  meta: 'msgpack',
  indices: 'msgpack',
  documents: 'msgpack',
  records: 'binary',
  removals: 'msgpack',
  superseded: 'msgpack',
  earlierOrds: 'msgpack',
  vectors: 'binary',
  unvectorized: 'msgpack',
  sessions: 'msgpack',
  sessionTotals: 'msgpack',
  journal: 'msgpack',
  events: 'msgpack',
  impressions: 'binary',
  impressionBlocks: 'binary',
  feedbackSeen: 'msgpack',
  clickMemory: 'msgpack',
  attributions: 'msgpack',
  flaggedSessions: 'msgpack',
  signals: 'msgpack',
  signalOrder: 'msgpack',
  deadSignals: 'msgpack',
  models: 'msgpack',
  modelVersions: 'msgpack',
  modelStates: 'binary',
  modelUsage: 'msgpack',
  judgements: 'msgpack',
  trialUnits: 'msgpack',
  adaptations: 'msgpack',
  rankingVersions: 'msgpack',
  rankingScopes: 'msgpack',
  adaptationFigures: 'msgpack',
  adaptationUnits: 'msgpack',
  adaptationRules: 'msgpack',
  suggestions: 'msgpack',
  suggestionKeys: 'msgpack',
  clickedSearches: 'msgpack',
  queryPatterns: 'msgpack',
  reformulations: 'msgpack',
  lastSearches: 'msgpack',
  feedbackPatterns: 'msgpack',
  experiments: 'msgpack',
  experimentNames: 'msgpack',
  experimentArms: 'msgpack',
  experimentUnits: 'msgpack',
  experimentSearches: 'msgpack',
  experimentReported: 'msgpack',
  experimentObserved: 'msgpack',
  examinations: 'msgpack',
  eventDays: 'msgpack',
  hourReports: 'msgpack',
  reportedClicks: 'msgpack',
  metricSeries: 'msgpack',
  idempotency: 'msgpack',
  idempotencyExpiry: 'msgpack',
} as const satisfies Record<TableName, 'msgpack' | 'binary'>

/**
 * Version of the tables above; a store written by a newer one is refused. Raised by whatever writes rows that the version
 * before would misread: it must not take part in tests, say, whose sums it can't read, and end them for that.
 */
export const FORMAT = 4

/** Tables that an environment may hold; LMDB wants to know before it opens the first. */
export const TABLES_MAX = 64

/** Threads and open walks that may read at the same time. */
export const READERS_MAX = 512

/** The folder of the environment inside the data folder. */
export function recordsDirectory(dataDir: string): string {
  return join(dataDir, 'records')
}
