import { hash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { validate } from 'uuid'
import type { Feedback, FeedbackReceipt } from '../../schema/feedback.ts'
import type { Store } from '../../store/store.ts'
import type { FeedbackBatch, FeedbackEntry, FeedbackStatus } from '../facts.ts'
import type { Events } from '../history/events.ts'
import type { Log } from '../loop/log.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { DAY_MS } from '../wire/duration.ts'
import { type ReadEntry, readEntries } from './feedback-entries.ts'
import { openFeedbackHistory, type ReadFeedback } from './feedback-history.ts'
import { feedbackIdAt, signalIdOf } from './feedback-ids.ts'
import type { Gains } from './gains.ts'
import { openSeen, type Telling } from './seen.ts'
import { warningsOf } from './warnings.ts'

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
  gains: Gains
  config: { sessionAbsoluteMs: number }
  clock: () => number
  /** Counts for a session, inside the transaction. */
  addTotals: (sessionId: string, delta: { feedback: number; clicks: number }) => void
}

const LATE_MS = 30 * DAY_MS

type Counts = Record<FeedbackStatus, number>

export function openFeedback(parts: FeedbackParts): FeedbackIntake {
  const { store, log, sessions, gains, clock } = parts
  const seen = openSeen(store)
  const totals: Counts = { learned: 0, duplicate: 0, unmatched: 0, late: 0 }

  return {
    submit: async ({ sessionId, feedback }) => {
      const read = readEntries(feedback, clock())
      const session = sessions.peek(sessionId)
      if (session?.active) sessions.touch(sessionId)
      const unit = session?.active ? (session.userId ?? session.sessionId) : undefined
      const id = session?.sessionId ?? sessionId
      const told = unit === undefined ? unmatched(read) : await match(log, id, read)
      const { receipt, counts } = await log.append(() => {
        // The id carries the time under which the entry stands, so that it can be found again.
        const timeMs = clock()
        const feedbackId = feedbackIdAt(timeMs)
        const counts: Counts = { learned: 0, duplicate: 0, unmatched: 0, late: 0 }
        const telling = seen.begin()
        const entries = told.map(({ entry, mark }, at): FeedbackEntry => {
          const status = statusOf(telling, { entry, mark }, timeMs)
          counts[status] += 1
          return { ...entry, signalId: signalIdOf(feedbackId, at), status }
        })
        telling.save()
        record(parts, id, feedbackId, { entries, counts, isKnown: session !== undefined })
        const data: FeedbackBatch = { feedbackId, entries, ...(unit === undefined ? {} : { unit }) }
        const receipt = makeReceipt(feedbackId, timeMs, entries.length, counts)
        return {
          entry: { timeMs, type: 'feedback', sessionId: id, data },
          value: { receipt, counts },
        }
      })
      for (const status of Object.keys(totals) as FeedbackStatus[]) totals[status] += counts[status]
      return { ...receipt, ...warningsOf(feedback, read, gains) }
    },
    read: openFeedbackHistory(log.journal, clock),
    // By then the session is long over, and its feedback no longer matches.
    sweep: (nowMs) => seen.sweep(nowMs - parts.config.sessionAbsoluteMs),
    submitted: () => Object.values(totals).reduce((sum, count) => sum + count, 0),
    figures: () => ({ ...totals }),
  }
}

/** An entry, and under what it is marked as told; without a mark it speaks of no search that is known. */
interface Told {
  entry: ReadEntry
  mark: string | undefined
}

/** Time for which the entries of one request may hold the main thread before it is its turn again. */
const SLICE_MS = 0.5

function unmatched(read: ReadEntry[]): Told[] {
  return read.map((entry) => ({ entry, mark: undefined }))
}

/** Looks up, before the transaction, what need not be looked up inside: nothing else runs while that does. */
async function match(log: Log, sessionId: string, read: ReadEntry[]): Promise<Told[]> {
  const shown = new Map<string, boolean>()
  const isShown = (queryId: string) => {
    const known = shown.get(queryId) ?? (validate(queryId) && log.isShown(queryId))
    shown.set(queryId, known)
    return known
  }
  const told: Told[] = []
  let startedMs = performance.now()
  for (const sent of read) {
    const entry = isShown(sent.queryId) ? resolveResult(log, sent) : sent
    told.push({ entry, mark: isShown(sent.queryId) ? markOf(sessionId, entry) : undefined })
    if (performance.now() - startedMs < SLICE_MS) continue
    await new Promise(setImmediate)
    startedMs = performance.now()
  }
  return told
}

/** An entry that names a position and no result means what stood there. */
function resolveResult(log: Log, entry: ReadEntry): ReadEntry {
  const { queryId, resultId, position } = entry
  if (resultId !== undefined || position === undefined) return entry
  const impression = log.shown(queryId)
  const shown = impression?.hits[position - 1 - impression.from]
  return shown === undefined ? entry : { ...entry, resultId: shown.id }
}

/** The same for all entries of a session that say the same. */
function markOf(sessionId: string, { queryId, resultId = '', action }: ReadEntry): string {
  const text = `${sessionId}\n${queryId}\n${action}\n${resultId}`
  return hash('sha1', text, 'base64url').slice(0, 22)
}

/** Inside the transaction: what was told before is decided there, once. */
function statusOf(telling: Telling, { entry, mark }: Told, nowMs: number): FeedbackStatus {
  if (mark === undefined) return 'unmatched'
  if (entry.timeMs < nowMs - LATE_MS) return 'late'
  return telling.wasTold(entry.queryId, mark, entry.timeMs) ? 'duplicate' : 'learned'
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
