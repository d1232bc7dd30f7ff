import type { JournalRow } from '../store/journal.ts'
import type { Fact, FeedbackBatch } from './facts.ts'
import type { StoredImpression } from './impressions/impression.ts'
import type { Log } from './log.ts'
import type { ModelNote } from './signals/model-signals.ts'

/** What a journal entry says, joined to what was shown. Entries of other types say nothing to learning. */
export function* factsOf(
  { sequence, entry }: JournalRow,
  log: Log,
  seen: Map<string, StoredImpression | undefined>,
): Iterable<Fact> {
  if (entry.type === 'searches')
    for (const queryId of entry.data as string[]) {
      const shown = log.find(queryId)
      if (shown !== undefined) yield { kind: 'search', sequence, ...shown }
    }
  else if (entry.type === 'feedback') yield* feedbackFacts(sequence, entry, log, seen)
  else if (entry.type === 'analytics')
    yield {
      kind: 'analytics',
      sequence,
      timeMs: entry.timeMs,
      sessionId: entry.sessionId,
      data: (entry.data ?? {}) as Record<string, unknown>,
    }
  else if (entry.type === 'model') {
    const { signalId } = entry.data as ModelNote
    yield { kind: 'model', sequence, timeMs: entry.timeMs, signalId }
  }
}

function* feedbackFacts(
  sequence: number,
  { timeMs, sessionId = '', data }: JournalRow['entry'],
  log: Log,
  seen: Map<string, StoredImpression | undefined>,
): Iterable<Fact> {
  const { unit, entries } = data as FeedbackBatch
  for (const entry of entries) {
    if (!seen.has(entry.queryId)) seen.set(entry.queryId, log.find(entry.queryId))
    const impression = seen.get(entry.queryId)?.impression
    const place = impression?.hits.findIndex(({ id }) => id === entry.resultId) ?? -1
    const hit = place < 0 ? undefined : place
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
