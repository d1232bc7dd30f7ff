import { openBreath } from '../../breath.ts'
import { isId, timeOfId } from '../../ids.ts'
import { readGradually } from '../../json/gradual.ts'
import type { StoredEvent } from '../../schema/event.ts'
import type { Journal, JournalRow } from '../../store/journal.ts'
import type { Store } from '../../store/store.ts'
import { TIME_STEP_MS } from '../../store/time-order.ts'
import { asLogEntry } from '../entries.ts'
import type { Fact } from '../facts.ts'
import type { Log } from '../loop/log.ts'
import { hasFigures, typeOfAction } from './signal-words.ts'

type Metadata = Record<string, unknown> | undefined

/**
 * A signal that stands in the journal itself: a search that showed something, an entry of feedback, an analytics event
 * with figures of performance, or something that happened to a model.
 */
export interface JournalSignal {
  signalId: string
  type: string
  source: 'search' | 'feedback' | 'analytics' | 'models'
  /** Read when it is asked for: a search's is inside of what it showed. */
  sessionId: () => string | undefined
  /** What is known of it besides, read when it is asked for. */
  metadata?: () => Metadata | Promise<Metadata>
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
  /** Lets others go first now and then. */
  find: (signalId: string) => Promise<JournalSignal | undefined>
  /** The ids of those that stand in an entry; none when it is gone. */
  idsIn: (sequence: number) => ReadonlySet<string>
  /** How many stand behind an entry; counted up to a bound. */
  countAfter: (sequence: number) => number
}

const SLICE_ROWS = 64
/** Time that reading them may take. */
const STRETCH_MS = 4
const COUNT_ROWS_MAX = 1000
/** An impression may wait this long for its journal entry; clocks may step a little. */
const WAIT_MS = 5000
const FIND_ROWS_MAX = 5000

export function openJournalSignals(log: Log, store: Store): JournalSignals {
  const signalsOf = (row: JournalRow) => read(log, store, row)
  const { journal } = log
  async function look(id: string): Promise<JournalSignal | undefined> {
    for await (const row of rowsAround(journal, timeOfId(id))) {
      const found = signalsOf(row).find((signal) => signal.signalId === id)
      if (found !== undefined) return found
    }
    return undefined
  }
  return {
    walk: (place) => walk(log.journal, signalsOf, place),
    find: async (signalId) => {
      const id = signalId.toLowerCase()
      if (!isId(id)) return undefined
      const found = await look(id)
      if (found !== undefined || !log.isShown(id)) return found
      // A search that waits to be written.
      await log.flush()
      return look(id)
    },
    idsIn: (sequence) => {
      const [row] = journal.read({ after: sequence - 1, limit: 1 })
      return new Set(
        row?.sequence === sequence ? signalsOf(row).map(({ signalId }) => signalId) : [],
      )
    },
    countAfter: (sequence) =>
      journal
        .read({ after: sequence, limit: COUNT_ROWS_MAX })
        .reduce((sum, { entry }) => sum + countOf(entry), 0),
  }
}

function* walk(
  journal: Journal,
  signalsOf: (row: JournalRow) => JournalSignal[],
  place: Pick<JournalSignal, 'sequence' | 'at'> | undefined,
): Generator<JournalSignal | undefined> {
  // The entry of the place itself may hold more.
  let after = place === undefined ? undefined : place.sequence + 1
  // One entry may hold a thousand signals: most pages need few entries.
  for (let limit = 2; ; limit = Math.min(SLICE_ROWS, limit * 2)) {
    const range = after === undefined ? {} : { after }
    const rows = journal.read({ ...range, limit, reverse: true, stretchMs: STRETCH_MS })
    for (const row of rows) {
      after = row.sequence
      for (const signal of signalsOf(row).reverse())
        if (row.sequence !== place?.sequence || signal.at < place.at) yield signal
    }
    if (rows.length === 0) return
    yield undefined
  }
}

/** An event as it was sent. */
async function readLong(json: string): Promise<Record<string, unknown>> {
  const { value } = await readGradually(Buffer.from(json), Infinity)
  return value as Record<string, unknown>
}

function read(
  log: Log,
  { tables }: Store,
  { sequence, entry: stored }: JournalRow,
): JournalSignal[] {
  const entry = asLogEntry(stored)
  const { timeMs, sessionId, long } = entry
  if (entry.type === 'analytics') {
    if (entry.data === undefined || !hasFigures(entry.data.performance)) return []
    const { eventId, eventType, performance } = entry.data
    const place = { signalId: eventId, timeMs, sequence, at: 0, sessionId: () => sessionId }
    const metadata = async () => ({
      eventType,
      performance: long === undefined ? performance : (await readLong(long)).performance,
    })
    return [{ ...place, type: 'PERFORMANCE', source: 'analytics', metadata }]
  }
  if (entry.type === 'model') {
    const { signalId, event } = entry.data
    const place = { signalId, timeMs, sequence, at: 0, sessionId: () => undefined }
    const metadata = () => describe(tables.events.get(event))
    return [{ ...place, type: 'MODEL_PERFORMANCE', source: 'models', metadata }]
  }
  if (entry.type === 'searches')
    return entry.data.map((signalId, at) => ({
      signalId,
      type: 'SEARCH',
      source: 'search',
      timeMs,
      sequence,
      at,
      sessionId: () => log.who(signalId)?.sessionId,
    }))
  if (entry.type !== 'feedback') return []
  return entry.data.entries.map(({ signalId, action }, at) => ({
    signalId,
    type: typeOfAction(action),
    source: 'feedback',
    timeMs,
    sequence,
    at,
    sessionId: () => sessionId,
  }))
}

function describe(event: StoredEvent | undefined): Record<string, unknown> | undefined {
  if (event === undefined) return undefined
  const { type, status, modelId, data } = event
  return { event: type, status, modelId, ...data }
}

/** Whether a fact is a signal: all are, but for events without figures of performance. */
export function isSignal(fact: Fact): boolean {
  return fact.kind !== 'analytics' || hasFigures(fact.data.performance)
}

function countOf(entry: JournalRow['entry']): number {
  const { type, data } = asLogEntry(entry)
  if (type === 'searches') return data.length
  if (type === 'analytics') return hasFigures(data?.performance) ? 1 : 0
  if (type === 'model') return 1
  return type === 'feedback' ? data.entries.length : 0
}

/** Entries that were written at a time or soon after, each time that the clock showed it. */
async function* rowsAround(journal: Journal, timeMs: number): AsyncIterable<JournalRow> {
  let read = 0
  for (const [first, last] of journal.stretches()) {
    const after = await lastBefore(journal, timeMs - TIME_STEP_MS, { low: first - 1, high: last })
    for await (const row of journal.stroll(after)) {
      if (row.sequence > last || row.entry.timeMs > timeMs + WAIT_MS) break
      if (read === FIND_ROWS_MAX) return
      yield row
      read += 1
    }
  }
}

/** Number of an entry, of those between two, before which all are older than a time: numbers and times rise together. */
async function lastBefore(
  journal: Journal,
  timeMs: number,
  { low, high }: { low: number; high: number },
): Promise<number> {
  const breathe = openBreath()
  let [least, most] = [low, high]
  while (least < most) {
    const middle = Math.floor((least + most) / 2)
    const [row] = journal.read({ after: middle, limit: 1 })
    await breathe()
    if (row !== undefined && row.sequence <= high && row.entry.timeMs < timeMs) least = row.sequence
    else most = middle
  }
  return least
}
