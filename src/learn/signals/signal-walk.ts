import { openBreath } from '../../breath.ts'
import type { SignalRecord, SignalRow } from '../../schema/signal.ts'
import type { SignalStatus } from '../../schema/statuses.ts'
import type { Store } from '../../store/store.ts'
import type { Place } from './signal-place.ts'
import type { JournalSignal, JournalSignals } from './signal-sources.ts'

/** Where signals are found: in the journal, and in rows of their own where others told of them. */
export interface SignalSources {
  store: Store
  journal: JournalSignals
  /** Status of a signal of the journal, and how often taking it was tried. */
  stateOf: (signal: JournalSignal) => { status: SignalStatus; attemptCount: number }
}

/** Whether somebody asked for such a signal; the session is looked up only when it matters. */
export type Matches = (signal: {
  type: string
  status: string
  sessionId: () => string | undefined
}) => boolean

type Found = Pick<JournalSignal, 'timeMs'> & {
  row: () => SignalRow | Promise<SignalRow>
  matches: boolean
  place: Place
}

/** Keys of the store that are read at once. */
const KEYS = 100

/** All signals from a place on, newest first; lets others go first now and then. */
export async function* walkSignals(
  sources: SignalSources,
  matches: Matches,
  place: Place,
): AsyncGenerator<Found> {
  const breathe = openBreath()
  for (const found of merge(tellings(sources, matches, place), journals(sources, matches, place))) {
    await breathe()
    if (found !== undefined) yield found
  }
}

/** Joins two walks from new to old: the newer one's next comes first. */
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

/** Signals that others told of, but for those that stand in the journal, whose place is there. */
function* tellings(
  { store, journal }: SignalSources,
  matches: Matches,
  { told }: Place,
): Generator<Found | undefined> {
  const { signals, signalOrder } = store.tables
  const isInJournal = openIsInJournal(journal)
  let start = told
  for (;;) {
    // A page at a time: a walk that stays open would keep old pages of the store alive.
    const keys = [
      ...signalOrder.keys({ ...(start ? { start } : {}), reverse: true, limit: KEYS + 1 }),
    ].filter((key) => key[0] !== start?.[0] || key[1] !== start[1])
    for (const key of keys) {
      start = key
      const signalId = key[1]
      const record = signals.get(signalId)
      if (record === undefined || isInJournal(signalId, record)) continue
      const { createdMs: timeMs } = record
      yield { timeMs, place: { told: key }, ...toldOf(signalId, record, matches) }
    }
    if (keys.length < KEYS) return
    yield undefined
  }
}

/** `ownSession` is that of one in the journal. */
function toldOf(
  signalId: string,
  { type, status, attemptCount, createdMs, updatedMs, metadata }: SignalRecord,
  matches: Matches,
  ownSession: JournalSignal['sessionId'] = () => undefined,
): Pick<Found, 'matches' | 'row'> {
  return {
    matches: matches({ type, status, sessionId: () => ownSession() ?? sessionIn(metadata) }),
    row: () => {
      const session = ownSession()
      return {
        signalId,
        type,
        status,
        source: 'external',
        attemptCount,
        metadata,
        created: new Date(createdMs).toISOString(),
        updated: new Date(updatedMs).toISOString(),
        ...(session === undefined ? {} : { sessionId: session }),
      }
    },
  }
}

/** Neighbours in a list often stand in one entry. */
function openIsInJournal(journal: Pick<JournalSignals, 'idsIn'>) {
  let read: { sequence: number; ids: ReadonlySet<string> } | undefined
  return (signalId: string, { sequence }: SignalRecord): boolean => {
    if (sequence === undefined) return false
    if (read?.sequence !== sequence) read = { sequence, ids: journal.idsIn(sequence) }
    return read.ids.has(signalId)
  }
}

function sessionIn(metadata: Record<string, unknown>): string | undefined {
  const { sessionId } = metadata
  return typeof sessionId === 'string' ? sessionId : undefined
}

/** Signals of the journal; what others told of one stands in its place, so that no page shows it again. */
function* journals(
  { store, journal, stateOf }: SignalSources,
  matches: Matches,
  place: Place,
): Generator<Found | undefined> {
  for (const signal of journal.walk(place.journal)) {
    const told = signal === undefined ? undefined : store.tables.signals.get(signal.signalId)
    // Stores of earlier versions do not say of one told of that it stands here.
    if (signal === undefined || (told !== undefined && told.sequence === undefined)) {
      yield undefined
      continue
    }
    const { signalId, timeMs, sequence, at } = signal
    yield {
      timeMs,
      place: { journal: { sequence, at } },
      ...(told === undefined
        ? ownOf(signal, stateOf(signal), matches)
        : toldOf(signalId, told, matches, signal.sessionId)),
    }
  }
}

function ownOf(
  signal: JournalSignal,
  state: ReturnType<SignalSources['stateOf']>,
  matches: Matches,
): Pick<Found, 'matches' | 'row'> {
  const { signalId, type, source, sessionId, timeMs } = signal
  const created = new Date(timeMs).toISOString()
  return {
    matches: matches({ type, status: state.status, sessionId }),
    row: async () => {
      const session = sessionId()
      const metadata = await signal.metadata?.()
      return {
        signalId,
        type,
        source,
        ...state,
        created,
        updated: created,
        ...(session === undefined ? {} : { sessionId: session }),
        ...(metadata === undefined ? {} : { metadata }),
      }
    },
  }
}
