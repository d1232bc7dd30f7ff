import { join } from 'node:path'
import type {
  AdaptationRecord,
  ArmTotals,
  RankingVersion,
  RuleRecord,
  SuggestionRecord,
} from '../schema/adaptation-record.ts'
import type { IndexRecord } from '../schema/indices.ts'
import type { LearningEvent } from '../schema/learning.ts'
import type { SessionRecord, SessionTotals } from '../schema/session.ts'

/** One thing that happened, as the journal keeps it. */
export interface JournalEntry {
  /** Milliseconds since the epoch. */
  timeMs: number
  /** What happened: an open vocabulary. */
  type: string
  sessionId?: string
  data?: unknown
}

/** The first answer to a request that carried an Idempotency-Key. */
export interface StoredAnswer {
  route: string
  bodyHash: string
  status: number
  body: Uint8Array
  /** Milliseconds since the epoch after which the answer is forgotten. */
  expiresMs: number
}

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
  /** [index id, document number] → vector as little-endian float32. */
  vectors: { key: [number, number]; value: Uint8Array }
  /** [index id, document id] → true: its vector comes from an endpoint that has not given it yet. */
  unvectorized: { key: [number, string]; value: true }
  sessions: { key: string; value: SessionRecord }
  sessionTotals: { key: string; value: SessionTotals }
  /** Sequence → what happened; append-only. */
  journal: { key: number; value: JournalEntry }
  /** Sequence → event of the history of learning; append-only. */
  events: { key: number; value: LearningEvent }
  /** Query id → what the search showed; see learn/impression.ts. */
  impressions: { key: string; value: Uint8Array }
  /** Idempotency-Key → first answer. */
  idempotency: { key: string; value: StoredAnswer }
  /** [time in ms, Idempotency-Key] → true: when that answer may be forgotten. */
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
  vectors: 'binary',
  unvectorized: 'msgpack',
  sessions: 'msgpack',
  sessionTotals: 'msgpack',
  journal: 'msgpack',
  events: 'msgpack',
  impressions: 'binary',
  idempotency: 'msgpack',
  idempotencyExpiry: 'msgpack',
} as const satisfies Record<TableName, 'msgpack' | 'binary'>

/** Version of the tables above; a store written by a newer one is refused. */
export const FORMAT = 1

/** Tables that an environment may hold; LMDB wants to know before it opens the first. */
export const TABLES_MAX = 64

/** Threads and open walks that may read at the same time. */
export const READERS_MAX = 512

/** The folder of the environment inside the data folder. */
export function recordsDirectory(dataDir: string): string {
  return join(dataDir, 'records')
}
