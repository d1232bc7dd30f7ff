import type { JournalEntry } from '../store/tables.ts'
import type { FeedbackEntry } from './facts.ts'

/** What the log holds under each type of entry. */
interface DataByType {
  /** Ids of searches that showed something: what that was is kept beside the journal. */
  searches: string[]
  feedback: FeedbackBatch
  analytics: AnalyticsData | undefined
  model: ModelNote
  /** How much went with somebody who was forgotten: says nothing to learning. */
  forget: Record<string, number>
}

/** One request of feedback. */
export interface FeedbackBatch {
  feedbackId: string
  /** The session's user, else the session; absent when the session is unknown or expired. */
  unit?: string
  entries: FeedbackEntry[]
}

/** An event of a client's as it was sent; of a long one, what is read when it comes by. */
interface AnalyticsData extends Record<string, unknown> {
  eventId: string
  eventType: string
  performance?: unknown
}

/** Where something that happened to a model stands in the history. */
export interface ModelNote {
  signalId: string
  /** Sequence in the history of learning. */
  event: number
}

/** An entry of the journal as learning writes it. */
export type LogEntry = {
  [Type in keyof DataByType]: Omit<JournalEntry, 'type' | 'data'> & {
    type: Type
    data: DataByType[Type]
  }
}[keyof DataByType]

/** The entry with what stands under its type. The journal itself takes any: whoever writes one holds it against `LogEntry`. */
export function asLogEntry(entry: JournalEntry): LogEntry {
  return entry as LogEntry
}
