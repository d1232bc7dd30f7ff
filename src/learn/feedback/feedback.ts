import { hash } from 'node:crypto'
import { validate } from 'uuid'
import type { Feedback, FeedbackReceipt } from '../../schema/feedback.ts'
import type { Store } from '../../store/store.ts'
import type { FeedbackBatch, FeedbackEntry, FeedbackStatus } from '../facts.ts'
import type { Events } from '../history/events.ts'
import type { Log } from '../log.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type ReadEntry, readEntries } from './feedback-entries.ts'
import { openFeedbackHistory, type ReadFeedback } from './feedback-history.ts'
import { feedbackIdAt, signalIdOf } from './feedback-ids.ts'

/** Takes feedback: whatever is answered is durable, and learned from within seconds. */
export interface FeedbackIntake {
  /**
   * Stores all entries of a request in one transaction, or none. Throws VALIDATION_FAILED with the place of an
   * entry that happened in the future.
   */
  submit: (request: Feedback) => Promise<FeedbackReceipt>
  /** What was told, newest first. */
  read: ReadFeedback
  /** Forgets some of what was told; returns how much. Call again while it forgets. */
  sweep: (nowMs: number) => Promise<number>
  /** Entries stored since the start. */
  submitted: () => number
  /** The same by status. */
  figures: () => Record<FeedbackStatus, number>
}

export interface FeedbackParts {
  store: Store
  log: Log
  events: Events
  sessions: Pick<Sessions, 'peek' | 'touch'>
  config: { sessionAbsoluteMs: number }
  clock: () => number
  /** Counts for a session, inside the transaction. */
  addTotals: (sessionId: string, delta: { feedback: number; clicks: number }) => void
}

/** Entries that say the same within this time count once. */
const REPEAT_MS = 30 * 60_000
const LATE_MS = 30 * 86_400_000
const SWEEP_ROWS = 1000

type Counts = Record<FeedbackStatus, number>

export function openFeedback(parts: FeedbackParts): FeedbackIntake {
  const { store, log, sessions, clock } = parts
  const { feedbackSeen } = store.tables
  const totals: Counts = { learned: 0, duplicate: 0, unmatched: 0, late: 0 }

  return {
    submit: async ({ sessionId, feedback }) => {
      const read = readEntries(feedback, clock())
      const session = sessions.peek(sessionId)
      if (session?.active) sessions.touch(sessionId)
      const unit = session?.active ? (session.userId ?? session.sessionId) : undefined
      const id = session?.sessionId ?? sessionId
      const { receipt, counts } = await log.append(() => {
        // The id carries the time under which the entry stands, so that it can be found again.
        const timeMs = clock()
        const feedbackId = feedbackIdAt(timeMs)
        const counts: Counts = { learned: 0, duplicate: 0, unmatched: 0, late: 0 }
        const entries = read.map((sent, at): FeedbackEntry => {
          const entry = unit === undefined ? sent : resolveResult(log, sent)
          const status = unit === undefined ? 'unmatched' : statusOf(store, id, entry, timeMs)
          counts[status] += 1
          return { ...entry, signalId: signalIdOf(feedbackId, at), status }
        })
        record(parts, id, feedbackId, { entries, counts, isKnown: session !== undefined })
        const data: FeedbackBatch = { feedbackId, entries, ...(unit === undefined ? {} : { unit }) }
        const receipt = makeReceipt(feedbackId, timeMs, entries.length, counts)
        return {
          entry: { timeMs, type: 'feedback', sessionId: id, data },
          value: { receipt, counts },
        }
      })
      for (const status of Object.keys(totals) as FeedbackStatus[]) totals[status] += counts[status]
      return receipt
    },
    read: openFeedbackHistory(log.journal, clock),
    sweep: async (nowMs) => {
      // By then the session is long over, and its feedback no longer matches.
      const end = halfHourOf(nowMs - parts.config.sessionAbsoluteMs) - 1
      const due = [...feedbackSeen.keys({ end: [end, ''], limit: SWEEP_ROWS })]
      if (due.length > 0)
        await store.release(() => {
          for (const key of due) feedbackSeen.remove(key)
        })
      return due.length
    },
    submitted: () => Object.values(totals).reduce((sum, count) => sum + count, 0),
    figures: () => ({ ...totals }),
  }
}

/** An entry that names a position and no result means what stood there. */
function resolveResult(log: Log, entry: ReadEntry): ReadEntry {
  const { queryId, resultId, position } = entry
  if (resultId !== undefined || position === undefined || !validate(queryId)) return entry
  const impression = log.find(queryId)?.impression
  const shown = impression?.hits[position - 1 - impression.from]
  return shown === undefined ? entry : { ...entry, resultId: shown.id }
}

/** Inside the transaction, where impressions that waited until now are stored. */
function statusOf(store: Store, sessionId: string, entry: ReadEntry, nowMs: number) {
  const { impressions } = store.tables
  if (!validate(entry.queryId) || !impressions.has(entry.queryId)) return 'unmatched'
  if (entry.timeMs < nowMs - LATE_MS) return 'late'
  return wasTold(store, sessionId, entry) ? 'duplicate' : 'learned'
}

/**
 * Whether the same was told for a time at most `REPEAT_MS` away. Two entries of one half hour are the same in
 * any case, so a row for each is enough.
 */
function wasTold({ tables }: Store, sessionId: string, entry: ReadEntry): boolean {
  const { queryId, resultId = '', action, timeMs } = entry
  const text = `${sessionId}\n${queryId}\n${action}\n${resultId}`
  const digest = hash('sha1', text, 'base64url').slice(0, 22)
  const halfHour = halfHourOf(timeMs)
  for (let near = halfHour - 1; near <= halfHour + 1; near++) {
    const toldMs = tables.feedbackSeen.get([near, digest])
    if (toldMs !== undefined && Math.abs(toldMs - timeMs) <= REPEAT_MS) return true
  }
  tables.feedbackSeen.put([halfHour, digest], timeMs)
  return false
}

function halfHourOf(timeMs: number): number {
  return Math.floor(timeMs / REPEAT_MS)
}

interface Recorded {
  entries: FeedbackEntry[]
  counts: Counts
  isKnown: boolean
}

/** The history's line and the session's totals. */
function record(
  { events, addTotals }: FeedbackParts,
  sessionId: string,
  feedbackId: string,
  { entries, counts, isKnown }: Recorded,
): void {
  const { duplicate, unmatched, late } = counts
  events.recordWithin({
    type: 'FEEDBACK_RECEIVED',
    status: 'COMPLETED',
    source: 'feedback',
    correlationId: feedbackId,
    sessionId,
    data: { accepted: entries.length, duplicate, unmatched, late },
  })
  if (!isKnown) return
  const clicks = entries.filter(({ action, status }) => action === 'click' && status === 'learned')
  addTotals(sessionId, { feedback: entries.length - duplicate, clicks: clicks.length })
}

function makeReceipt(
  feedbackId: string,
  timeMs: number,
  accepted: number,
  { duplicate, unmatched, late }: Counts,
): FeedbackReceipt {
  const timestamp = new Date(timeMs).toISOString()
  return { feedbackId, processed: true, timestamp, accepted, duplicate, unmatched, late }
}
