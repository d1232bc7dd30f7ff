import { openBreath } from '../../breath.ts'
import { jsonText } from '../../json/gradual-text.ts'
import type { SignalQuery, SignalRecord, SignalRow } from '../../schema/signal.ts'
import type { Store } from '../../store/store.ts'
import { type ListPage, openPage } from '../wire/list-page.ts'
import { wordsOf } from '../wire/words.ts'
import { decodePlace, encodePlace, type Place } from './signal-place.ts'
import type { JournalSignal, JournalSignals } from './signal-sources.ts'
import { readStatus, type SignalStatus, typeKey } from './signal-words.ts'

/** What a list of signals is made from. */
export interface SignalSources {
  store: Store
  journal: JournalSignals
  /** Status of a signal of the journal, and how often taking it was tried. */
  stateOf: (signal: JournalSignal) => { status: SignalStatus; attemptCount: number }
}

const LIMIT = 100
/** Signals that one page, and the count of all pages, may look at; a page goes on behind its cursor. */
const LOOKED_MAX = 20_000

type Found = Pick<JournalSignal, 'timeMs'> & {
  row: () => SignalRow | Promise<SignalRow>
  matches: boolean
  place: Place
}

/** A page of signals, and how many match on all pages. */
interface SignalPage {
  page: ListPage
  nextCursor?: string
  /** Undefined when nothing is asked for but all. */
  matched: Matched | undefined
}

interface Matched {
  total: number
  /** False: there are more than were looked at. */
  complete: boolean
}

/** Signals that match, newest first. Throws VALIDATION_FAILED for an unknown status, INVALID_CURSOR. */
export async function listSignals(sources: SignalSources, query: SignalQuery): Promise<SignalPage> {
  const { limit = LIMIT } = query
  const matches = filterOf(query)
  let place = query.cursor === undefined ? {} : decodePlace(query.cursor)
  const page = openPage(limit)
  let looked = 0
  let total = 0
  for await (const found of walk(sources, matches, place)) {
    const isOver = page.isFull() || looked === LOOKED_MAX
    if (isOver || (found.matches && !page.add(await jsonText(await found.row())))) {
      const nextCursor = encodePlace(place)
      return { page, nextCursor, matched: await countMatching(sources, matches) }
    }
    looked += 1
    place = { ...place, ...found.place }
    total += found.matches ? 1 : 0
  }
  if (query.cursor === undefined && matches !== ALL)
    return { page, matched: { total, complete: true } }
  return { page, matched: await countMatching(sources, matches) }
}

/** Counts from the newest on, whatever page was asked for. */
async function countMatching(
  sources: SignalSources,
  matches: Matches,
): Promise<Matched | undefined> {
  if (matches === ALL) return undefined
  let total = 0
  let looked = 0
  for await (const found of walk(sources, matches, {})) {
    if (looked === LOOKED_MAX) return { total, complete: false }
    looked += 1
    total += found.matches ? 1 : 0
  }
  return { total, complete: true }
}

type Matches = (signal: {
  type: string
  status: string
  sessionId: () => string | undefined
}) => boolean

const ALL: Matches = () => true

function filterOf(query: SignalQuery): Matches {
  const types = wordsOf(query.type)?.map(typeKey)
  const statuses: string[] | undefined = wordsOf(query.status)?.map(readStatus)
  const session = query.sessionId?.toLowerCase()
  if ([types, statuses, session].every((each) => each === undefined)) return ALL
  return ({ type, status, sessionId }) =>
    types?.includes(typeKey(type)) !== false &&
    statuses?.includes(status) !== false &&
    (session === undefined || sessionId()?.toLowerCase() === session)
}

/** All signals from a place on, newest first; lets others go first now and then. */
async function* walk(
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
      ...signalOrder.keys({ ...(start ? { start } : {}), reverse: true, limit: LIMIT + 1 }),
    ].filter((key) => key[0] !== start?.[0] || key[1] !== start[1])
    for (const key of keys) {
      start = key
      const signalId = key[1]
      const record = signals.get(signalId)
      if (record === undefined || isInJournal(signalId, record)) continue
      const { createdMs: timeMs } = record
      yield { timeMs, place: { told: key }, ...toldOf(signalId, record, matches) }
    }
    if (keys.length < LIMIT) return
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
        ...{ signalId, type, status, source: 'external', attemptCount, metadata },
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

/** Those of the journal; what others told of one stands in its place, so that no page shows it again. */
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
      ...{ timeMs, place: { journal: { sequence, at } } },
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
        ...{ signalId, type, source, ...state, created, updated: created },
        ...(session === undefined ? {} : { sessionId: session }),
        ...(metadata === undefined ? {} : { metadata }),
      }
    },
  }
}
