import { validate } from 'uuid'
import type { Journal, JournalRow } from '../../store/journal.ts'
import type { FeedbackBatch } from '../facts.ts'
import { timeOf } from '../feedback/feedback-ids.ts'
import type { Log } from '../log.ts'
import { typeOfAction } from './signal-words.ts'

/** A signal that stands in the journal itself: a search that showed something, or an entry of feedback. */
export interface JournalSignal {
  signalId: string
  type: string
  source: 'search' | 'feedback'
  /** Read when it is asked for: a search's is inside of what it showed. */
  sessionId: () => string | undefined
  timeMs: number
  /** Journal entry that it stands in, and its place there. */
  sequence: number
  at: number
}

/** The signals in the journal, which are not stored a second time. */
export interface JournalSignals {
  /** Newest first, from behind a place; undefined now and then, so that a long walk can breathe. */
  walk: (
    place: Pick<JournalSignal, 'sequence' | 'at'> | undefined,
  ) => Generator<JournalSignal | undefined>
  find: (signalId: string) => JournalSignal | undefined
  /** How many stand behind an entry; counted up to a bound. */
  countAfter: (sequence: number) => number
}

const SLICE_ROWS = 64
const COUNT_ROWS_MAX = 1000
/** An impression may wait this long for its journal entry; clocks may step a little. */
const WAIT_MS = 5000
const STEP_MS = 1000
const FIND_ROWS_MAX = 5000

export function openJournalSignals(log: Log): JournalSignals {
  const { journal } = log
  return {
    walk: (place) => walk(log, place),
    find: (signalId) => {
      const id = signalId.toLowerCase()
      if (!validate(id)) return undefined
      for (const row of rowsAround(journal, timeOf(id))) {
        const found = signalsOf(log, row).find((signal) => signal.signalId === id)
        if (found !== undefined) return found
      }
      return undefined
    },
    countAfter: (sequence) =>
      journal
        .read({ after: sequence, limit: COUNT_ROWS_MAX })
        .reduce((sum, { entry }) => sum + countOf(entry), 0),
  }
}

function* walk(
  log: Log,
  place: Pick<JournalSignal, 'sequence' | 'at'> | undefined,
): Generator<JournalSignal | undefined> {
  // The entry of the place itself may hold more.
  let after = place === undefined ? undefined : place.sequence + 1
  // One entry may hold a thousand signals: most pages need few entries.
  for (let limit = 2; ; limit = Math.min(SLICE_ROWS, limit * 2)) {
    const range = after === undefined ? {} : { after }
    const rows = log.journal.read({ ...range, limit, reverse: true })
    for (const row of rows) {
      after = row.sequence
      for (const signal of signalsOf(log, row).reverse())
        if (row.sequence !== place?.sequence || signal.at < place.at) yield signal
    }
    if (rows.length < limit) return
    yield undefined
  }
}

function signalsOf(log: Log, { sequence, entry }: JournalRow): JournalSignal[] {
  const { timeMs, sessionId } = entry
  if (entry.type === 'searches')
    return (entry.data as string[]).map((signalId, at) => ({
      ...{ signalId, type: 'SEARCH', source: 'search', timeMs, sequence, at },
      sessionId: () => log.find(signalId)?.impression.sessionId,
    }))
  if (entry.type !== 'feedback') return []
  return (entry.data as FeedbackBatch).entries.map(({ signalId, action }, at) => ({
    ...{ signalId, type: typeOfAction(action), source: 'feedback', timeMs, sequence, at },
    sessionId: () => sessionId,
  }))
}

function countOf({ type, data }: JournalRow['entry']): number {
  if (type === 'searches') return (data as string[]).length
  return type === 'feedback' ? (data as FeedbackBatch).entries.length : 0
}

/** Entries that were written at a time or soon after. */
function* rowsAround(journal: Journal, timeMs: number): Iterable<JournalRow> {
  let after = lastBefore(journal, timeMs - STEP_MS)
  for (let read = 0; read < FIND_ROWS_MAX; read += SLICE_ROWS) {
    const rows = journal.read({ after, limit: SLICE_ROWS })
    for (const row of rows) {
      if (row.entry.timeMs > timeMs + WAIT_MS) return
      yield row
      after = row.sequence
    }
    if (rows.length < SLICE_ROWS) return
  }
}

/** Number of an entry before which all are older than a time: numbers and times rise together. */
function lastBefore(journal: Journal, timeMs: number): number {
  let low = 0
  let high = journal.last()
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [row] = journal.read({ after: middle, limit: 1 })
    if (row !== undefined && row.entry.timeMs < timeMs) low = row.sequence
    else high = middle
  }
  return low
}
