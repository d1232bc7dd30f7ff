import type { JournalRow } from '../../store/journal.ts'
import { asLogEntry, type LogEntry } from '../entries.ts'
import type { Fact, FeedbackEntry, Impression } from '../facts.ts'
import type { Log } from './log.ts'

/** What a journal entry says, joined to what was shown. Entries of other types say nothing to learning. */
export function* factsOf(
  row: JournalRow,
  log: Log,
  seen: Map<string, Impression | undefined>,
): Iterable<Fact> {
  const { sequence } = row
  const entry = asLogEntry(row.entry)
  if (entry.type === 'searches')
    for (const queryId of entry.data) {
      const impression = log.shown(queryId)
      if (impression !== undefined) yield { kind: 'search', sequence, impression }
    }
  else if (entry.type === 'feedback') yield* feedbackFacts(sequence, entry, log, seen)
  else if (entry.type === 'analytics')
    yield {
      kind: 'analytics',
      sequence,
      timeMs: entry.timeMs,
      sessionId: entry.sessionId,
      data: entry.data ?? {},
    }
  else if (entry.type === 'model') {
    const { signalId } = entry.data
    yield { kind: 'model', sequence, timeMs: entry.timeMs, signalId }
  }
}

function* feedbackFacts(
  sequence: number,
  { timeMs, sessionId = '', data }: Extract<LogEntry, { type: 'feedback' }>,
  log: Log,
  seen: Map<string, Impression | undefined>,
): Iterable<Fact> {
  const { unit, entries } = data
  for (const entry of entries) {
    if (!seen.has(entry.queryId)) seen.set(entry.queryId, log.shown(entry.queryId))
    const impression = seen.get(entry.queryId)
    const hit = impression === undefined ? undefined : hitOf(impression, entry)
    yield {
      kind: 'feedback',
      sequence,
      receivedMs: timeMs,
      sessionId,
      unit,
      entry,
      impression,
      hit,
    }
  }
}

/** The hit that is spoken of: by its id; where hits of two indices share one, by the position that was told. */
export function hitOf(
  { page: { hits }, from }: Impression,
  entry: Pick<FeedbackEntry, 'resultId' | 'position'>,
): number | undefined {
  const { resultId, position = 0 } = entry
  if (resultId === undefined) return undefined
  const told = position - from - 1
  if (hits[told]?.id === resultId) return told
  const place = hits.findIndex(({ id }) => id === resultId)
  return place < 0 ? undefined : place
}
