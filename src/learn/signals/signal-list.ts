import { setImmediate as breathe } from 'node:timers/promises'
import { serviceError } from '../../errors.ts'
import type { SignalQuery, SignalRow } from '../../schema/signal.ts'
import type { Store } from '../../store/store.ts'
import type { JournalSignal, JournalSignals } from './signal-sources.ts'
import { readStatus, readType, type SignalStatus } from './signal-words.ts'

/** What a list of signals is made from. */
export interface SignalSources {
  store: Store
  journal: JournalSignals
  /** Status of a signal of the journal, and how often taking it was tried. */
  stateOf: (signal: JournalSignal) => { status: SignalStatus; attemptCount: number }
}

/** How far a list has come in each of the two places that signals stand in. */
interface Place {
  told?: [number, string]
  journal?: { sequence: number; at: number }
}

const LIMIT = 100
/** Signals that one request may look at; what is left is on the next page. */
const LOOKED_MAX = 20_000

type Found = { row: () => SignalRow; matches: boolean; timeMs: number; place: Place }

/** Signals that match, newest first. Throws VALIDATION_FAILED for an unknown status, INVALID_CURSOR. */
export async function listSignals(
  sources: SignalSources,
  query: SignalQuery,
): Promise<{ signals: SignalRow[]; nextCursor?: string }> {
  const { limit = LIMIT } = query
  const matches = filterOf(query)
  let place = query.cursor === undefined ? {} : decodePlace(query.cursor)
  const signals: SignalRow[] = []
  let looked = 0
  const walk = merge(tellings(sources, matches, place), journals(sources, matches, place))
  for (const found of walk) {
    if (found === undefined) {
      await breathe()
      continue
    }
    if (signals.length === limit || looked === LOOKED_MAX)
      return { signals, nextCursor: encodePlace(place) }
    looked += 1
    place = { ...place, ...found.place }
    if (found.matches) signals.push(found.row())
  }
  return { signals }
}

type Matches = (signal: {
  type: string
  status: string
  sessionId: () => string | undefined
}) => boolean

function filterOf({ type, status, sessionId }: SignalQuery): Matches {
  const types = type === undefined ? undefined : new Set(wordsOf(type).map(readType))
  const statuses = status === undefined ? undefined : new Set(wordsOf(status).map(readStatus))
  const session = sessionId?.toLowerCase()
  return (signal) =>
    types?.has(signal.type) !== false &&
    statuses?.has(signal.status as SignalStatus) !== false &&
    (session === undefined || signal.sessionId()?.toLowerCase() === session)
}

function wordsOf(sent: string[]): string[] {
  return sent.flatMap((text) => text.split(',')).filter((word) => word.trim() !== '')
}

/** Of two walks from new to old, the newer one's next. */
function* merge(
  a: Iterator<Found | undefined>,
  b: Iterator<Found | undefined>,
): Iterable<Found | undefined> {
  let left = a.next()
  let right = b.next()
  while (left.done !== true || right.done !== true) {
    const pause = [left, right].find(({ done, value }) => done !== true && value === undefined)
    if (pause !== undefined) {
      yield undefined
      if (pause === left) left = a.next()
      else right = b.next()
      continue
    }
    const first = left.done === true ? undefined : left.value
    const second = right.done === true ? undefined : right.value
    if (second === undefined || (first !== undefined && first.timeMs >= second.timeMs)) {
      yield first
      left = a.next()
    } else {
      yield second
      right = b.next()
    }
  }
}

/** Signals that others told of. */
function* tellings(
  { store }: SignalSources,
  matches: Matches,
  { told }: Place,
): Generator<Found | undefined> {
  const { signals, signalOrder } = store.tables
  let start = told
  for (;;) {
    // A page at a time: a walk that stays open would keep old pages of the store alive.
    const keys = [
      ...signalOrder.keys({ ...(start ? { start } : {}), reverse: true, limit: LIMIT + 1 }),
    ].filter((key) => key[0] !== start?.[0] || key[1] !== start[1])
    for (const key of keys) {
      start = key
      const signalId = key[1]
      const record = signals.get(signalId)
      if (record === undefined) continue
      const { type, status, attemptCount, createdMs, updatedMs, metadata } = record
      yield {
        timeMs: createdMs,
        place: { told: key },
        matches: matches({ type, status, sessionId: () => sessionIn(metadata) }),
        row: () => ({
          ...{ signalId, type, status, source: 'external', attemptCount, metadata },
          created: new Date(createdMs).toISOString(),
          updated: new Date(updatedMs).toISOString(),
        }),
      }
    }
    if (keys.length < LIMIT) return
    yield undefined
  }
}

function sessionIn(metadata: Record<string, unknown>): string | undefined {
  const { sessionId } = metadata
  return typeof sessionId === 'string' ? sessionId : undefined
}

/** Those of the journal, but for the ones that others have told of. */
function* journals(
  { store, journal, stateOf }: SignalSources,
  matches: Matches,
  place: Place,
): Generator<Found | undefined> {
  for (const signal of journal.walk(place.journal)) {
    if (signal === undefined || store.tables.signals.has(signal.signalId)) {
      yield undefined
      continue
    }
    const { signalId, type, source, sessionId, timeMs, sequence, at } = signal
    const state = stateOf(signal)
    const created = new Date(timeMs).toISOString()
    yield {
      timeMs,
      place: { journal: { sequence, at } },
      matches: matches({ type, status: state.status, sessionId }),
      row: () => {
        const session = sessionId()
        const metadata = signal.metadata?.()
        return {
          ...{ signalId, type, source, ...state, created, updated: created },
          ...(session === undefined ? {} : { sessionId: session }),
          ...(metadata === undefined ? {} : { metadata }),
        }
      },
    }
  }
}

function encodePlace({ told, journal }: Place): string {
  const parts = [told ?? null, journal === undefined ? null : [journal.sequence, journal.at]]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** Throws INVALID_CURSOR. */
function decodePlace(cursor: string): Place {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    parts = undefined
  }
  const [told, journal] = Array.isArray(parts) ? parts : [undefined, undefined]
  if (!isPair(told, 'string') || !isPair(journal, 'number'))
    throw serviceError('INVALID_CURSOR', 'cursor is not one that this service gave.', {
      details: [{ path: 'cursor', message: 'is not one that this service gave' }],
    })
  const place: Place = {}
  if (told !== null) place.told = told as [number, string]
  if (journal !== null) {
    const [sequence, at] = journal as [number, number]
    place.journal = { sequence, at }
  }
  return place
}

function isPair(value: unknown, second: 'string' | 'number'): boolean {
  if (value === null) return true
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    Number.isFinite(value[0]) &&
    typeof value[1] === second
  )
}
