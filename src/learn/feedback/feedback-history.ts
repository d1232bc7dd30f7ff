import { setImmediate as breathe } from 'node:timers/promises'
import { invalid } from '../../errors.ts'
import { oneSpelling } from '../../ids.ts'
import type { FeedbackPage, FeedbackQuery, FeedbackRow } from '../../schema/feedback.ts'
import { PAGE_ROWS } from '../../schema/page-rows.ts'
import type { Journal } from '../../store/journal.ts'
import type { JournalEntry } from '../../store/tables.ts'
import { asLogEntry, type FeedbackBatch } from '../entries.ts'
import type { FeedbackEntry } from '../facts.ts'
import { durationOf } from '../wire/duration.ts'

/** Reads what was told, newest first, from the journal itself. */
export type ReadFeedback = (query: FeedbackQuery) => Promise<FeedbackPage>

const TIMEFRAME = '30d'
/** What one reading may look at; a summary over less than all says so. */
const JOURNAL_ROWS_MAX = 50_000
const ENTRIES_MAX = 100_000
/** Different actions that a summary tells apart: clients may send any word. */
const ACTIONS_MAX = 64
const OTHERS = 'other'
/** Journal entries between two breaths of the main thread. */
const SLICE_ROWS = 64
/** Time that reading them may take. */
const STRETCH_MS = 4

/** In milliseconds. Throws VALIDATION_FAILED. */
function readTimeframe(sent: string): number {
  const ms = durationOf(sent) ?? 0
  if (ms === 0)
    throw invalid('timeframe', 'must be a time back with its unit, like 30m, 24h, 7d or PT30M')
  return ms
}

export function openFeedbackHistory(journal: Journal, clock: () => number): ReadFeedback {
  return async (query) => {
    const { timeframe = TIMEFRAME, limit = PAGE_ROWS } = query
    const sessionId = oneSpelling(query.sessionId ?? '')
    const queryId = oneSpelling(query.queryId ?? '')
    const sinceMs = Math.max(0, clock() - readTimeframe(timeframe))
    const feedback: FeedbackRow[] = []
    const summary = openSummary()
    let looked = 0
    let rows = 0
    for await (const { entry, batch } of feedbackSince(journal, sinceMs, () => ++rows)) {
      if (sessionId !== '' && oneSpelling(entry.sessionId ?? '') !== sessionId) continue
      looked += batch.entries.length
      for (const told of batch.entries.toReversed()) {
        if (queryId !== '' && told.queryId !== queryId) continue
        if (feedback.length < limit) feedback.push(describe(entry, batch, told))
        summary.count(told)
      }
      if (looked >= ENTRIES_MAX) break
    }
    const complete = looked < ENTRIES_MAX && rows < JOURNAL_ROWS_MAX
    return { feedback, limit, summary: { ...summary.counted(), complete } }
  }
}

/** Counts entries; a duplicate says nothing but that it is one. */
function openSummary() {
  const byAction = new Map<string, number>()
  let ratings = 0
  let total = 0
  let duplicates = 0
  return {
    count: ({ status, rating, action }: FeedbackEntry): void => {
      if (status === 'duplicate') {
        duplicates += 1
        return
      }
      total += 1
      ratings += rating
      byAction.set(action, (byAction.get(action) ?? 0) + 1)
    },
    counted: () => ({
      total,
      duplicates,
      byAction: mostFrequent(byAction),
      averageRating: total === 0 ? null : ratings / total,
    }),
  }
}

/** The most frequent actions first; the others are counted together. */
function mostFrequent(byAction: ReadonlyMap<string, number>): Record<string, number> {
  const sorted = [...byAction].sort(([, a], [, b]) => b - a)
  const shown = new Map(sorted.slice(0, ACTIONS_MAX))
  for (const [, count] of sorted.slice(ACTIONS_MAX))
    shown.set(OTHERS, (shown.get(OTHERS) ?? 0) + count)
  return Object.fromEntries(shown)
}

/** `count` hears of each journal entry that was looked at. */
async function* feedbackSince(
  journal: Journal,
  sinceMs: number,
  count: () => number,
): AsyncIterable<{ entry: JournalEntry; batch: FeedbackBatch }> {
  let after: number | undefined
  let young: number | undefined
  for (;;) {
    const rows = journal.read({
      ...(after === undefined ? {} : { after }),
      limit: SLICE_ROWS,
      reverse: true,
      stretchMs: STRETCH_MS,
    })
    for (const { sequence, entry } of rows) {
      const isOld = entry.timeMs < sinceMs
      if (isOld && (young === undefined || sequence <= young)) {
        young = findYoung(journal, sinceMs, sequence)
        if (young === undefined) return
      }
      after = sequence
      const looked = count()
      const { type, data } = asLogEntry(entry)
      if (type === 'feedback' && !isOld) yield { entry, batch: data }
      if (looked >= JOURNAL_ROWS_MAX) return
    }
    if (rows.length === 0) return
    await breathe()
  }
}

/**
 * Number of an entry before this one that is not too old, if there is any: while the machine's clock was set back, as
 * after a start without a network, what was told was noted as older than what came before. Looked for at distances that
 * double, so that one falls among those if they are as many as the old ones behind them.
 */
function findYoung(journal: Journal, sinceMs: number, before: number): number | undefined {
  for (let distance = 1; distance < before && distance < JOURNAL_ROWS_MAX; distance *= 2) {
    const [row] = journal.read({ after: before - distance + 1, limit: 1, reverse: true })
    if (row !== undefined && row.entry.timeMs >= sinceMs) return row.sequence
  }
  return undefined
}

function describe(
  { timeMs, sessionId = '' }: JournalEntry,
  { feedbackId }: FeedbackBatch,
  entry: FeedbackEntry,
): FeedbackRow {
  const { signalId, queryId, resultId, action, rating } = entry
  return {
    feedbackId,
    signalId,
    sessionId,
    queryId,
    ...(resultId === undefined ? {} : { resultId }),
    action,
    rating,
    status: entry.status.toUpperCase() as FeedbackRow['status'],
    timestamp: new Date(entry.timeMs).toISOString(),
    received: new Date(timeMs).toISOString(),
    ...metadataOf(entry),
  }
}

/** What was sent of an entry as its metadata; what is long of it stays where it is, so that a page has a bound. */
function metadataOf(entry: FeedbackEntry): Pick<FeedbackRow, 'metadata'> {
  const { userAction, engagementType, resultId, queryHash, metadata, long } = entry
  const sent = {
    ...(userAction === undefined ? {} : { userAction }),
    ...(engagementType === undefined ? {} : { engagementType }),
    ...(resultId === undefined ? {} : { resultId }),
    ...(queryHash === undefined ? {} : { queryHash }),
    ...(long === undefined ? metadata : {}),
  }
  return Object.keys(sent).length === 0 ? {} : { metadata: sent }
}
