import { hash } from 'node:crypto'
import { oneSpelling, timeOfId } from '../../ids.ts'
import type { NoteDone } from '../../schema/answer.ts'
import type { Feedback, FeedbackReceipt } from '../../schema/feedback.ts'
import type { Store } from '../../store/store.ts'
import type { FeedbackBatch, LogEntry } from '../entries.ts'
import type { FeedbackEntry, FeedbackStatus } from '../facts.ts'
import type { Events } from '../history/events.ts'
import type { Log } from '../loop/log.ts'
import type { Sweep } from '../round.ts'
import { liveUnit } from '../sessions/glimpse.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { isLate, readEntries, shortened } from './feedback-entries.ts'
import { openFeedbackHistory, type ReadFeedback } from './feedback-history.ts'
import { feedbackIdAt, signalIdOf } from './feedback-ids.ts'
import type { Gains } from './gains.ts'
import { match, type Told } from './match.ts'
import { type MarksPlace, openSeen, type Telling } from './seen.ts'
import { feedbackWarnings } from './warnings.ts'

/** Takes feedback: whatever is answered is durable, and learned from within seconds. */
export interface FeedbackIntake {
  /**
   * Stores all entries of a request in one transaction, or none. Throws VALIDATION_FAILED with the place of an
   * entry that happened in the future.
   */
  submit: (request: Feedback, noteDone?: NoteDone) => Promise<FeedbackReceipt>
  /** What was told, newest first. */
  read: ReadFeedback
  /** Forgets some of what was told long ago. */
  sweep: Sweep
  /** Entries stored since the start. */
  submitted: () => number
  /** Entries stored since the start, by status. */
  figures: () => Record<FeedbackStatus, number>
}

export interface FeedbackParts {
  store: Store
  log: Log
  events: Events
  sessions: Pick<Sessions, 'peek' | 'touch'>
  gains: Gains
  config: { sessionAbsoluteMs: number; learning: boolean }
  clock: () => number
  /** Resolves when it disturbs searches least to hold the main thread. */
  lull: () => Promise<void>
  /** Counts for a session, inside the transaction. */
  addTotalsWithin: (sessionId: string, delta: { feedback: number; clicks: number }) => void
}

type Counts = Record<FeedbackStatus, number>

export function openFeedback(parts: FeedbackParts): FeedbackIntake {
  const { store, log, sessions, gains, clock, lull } = parts
  const seen = openSeen(store)
  const totals: Counts = { learned: 0, duplicate: 0, unmatched: 0, late: 0 }

  return {
    submit: async (sent, noteDone) => {
      const { sessionId, feedback } = sent
      const read = await shortened(readEntries(feedback, clock()))
      const session = sessions.peek(sessionId)
      if (session?.active) sessions.touch(sessionId)
      const unit = liveUnit(session)
      const id = session?.sessionId ?? oneSpelling(sessionId)
      const told = await match(read, { sessionId: id, unit }, { log, lull })
      // What it told is remembered from here on, and so for as long as it lasts.
      const sinceMs = unit === undefined ? 0 : timeOfId(id)
      const unmatched = unmatchedOf(id, sinceMs)
      const { receipt, counts } = await log.append(() => {
        noteDone?.()
        // The id carries the time under which the entry stands, so that it can be found again.
        const timeMs = clock()
        const feedbackId = feedbackIdAt(timeMs)
        const counts: Counts = { learned: 0, duplicate: 0, unmatched: 0, late: 0 }
        const telling = seen.beginWithin()
        const entries = told.map((each, at): FeedbackEntry => {
          const status = decideWithin(telling, each, { unmatched, sinceMs, nowMs: timeMs })
          counts[status] += 1
          return { ...each.entry, signalId: signalIdOf(feedbackId, at), status }
        })
        telling.save()
        const clicks = entries.filter((entry, at) => isClick(entry) && told[at]?.isUnshown !== true)
        const isLive = unit !== undefined
        recordWithin(parts, id, feedbackId, { entries, counts, clicks: clicks.length, isLive })
        const data: FeedbackBatch = { feedbackId, entries, ...(unit === undefined ? {} : { unit }) }
        const receipt = makeReceipt(feedbackId, timeMs, entries.length, counts)
        return {
          entry: { timeMs, type: 'feedback', sessionId: id, data } satisfies LogEntry,
          value: { receipt, counts },
        }
      })
      for (const status of Object.keys(totals) as FeedbackStatus[]) totals[status] += counts[status]
      return {
        ...receipt,
        ...feedbackWarnings(sent, told, {
          gains,
          isLive: unit !== undefined,
          learning: parts.config.learning,
          nowMs: clock(),
        }),
      }
    },
    read: openFeedbackHistory(log.journal, clock),
    // By then the session is long over, and its feedback no longer matches.
    sweep: (nowMs) => seen.sweep(nowMs - parts.config.sessionAbsoluteMs),
    submitted: () => Object.values(totals).reduce((sum, count) => sum + count, 0),
    figures: () => ({ ...totals }),
  }
}

/** Where what a session says of unknown searches is marked; as a hash, since both can be any text. */
function unmatchedOf(sessionId: string, sinceMs: number): MarksPlace {
  return { name: hash('sha1', sessionId, 'base64url').slice(0, 22), sinceMs }
}

/** Inside the transaction: what was told before is decided there, once, whatever else an entry is. */
function decideWithin(
  telling: Telling,
  { entry: { queryId, timeMs }, mark, isMatched }: Told,
  { unmatched, sinceMs, nowMs }: { unmatched: MarksPlace; sinceMs: number; nowMs: number },
): FeedbackStatus {
  // The search may be of an earlier session of the same user.
  const shown = { name: queryId, sinceMs: Math.max(sinceMs, timeOfId(queryId)) }
  const place = isMatched ? shown : unmatched
  if (telling.wasTold(place, mark, timeMs)) return 'duplicate'
  if (!isMatched) return 'unmatched'
  return isLate(timeMs, nowMs) ? 'late' : 'learned'
}

function isClick({ action, status }: FeedbackEntry): boolean {
  return action === 'click' && status === 'learned'
}

interface Recorded {
  entries: FeedbackEntry[]
  counts: Counts
  /** Entries that the session's totals count as clicks. */
  clicks: number
  /** One that expired did what it did: neither searches nor events count for it any more. */
  isLive: boolean
}

/** The history's line and the session's totals. */
function recordWithin(
  { events, addTotalsWithin }: FeedbackParts,
  sessionId: string,
  feedbackId: string,
  { entries, counts, clicks, isLive }: Recorded,
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
  if (!isLive) return
  addTotalsWithin(sessionId, { feedback: entries.length - duplicate, clicks })
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
