import type { Reply } from '../../bench/service.ts'

/** A feedback request: what it says, and what has to come of it when it is stored for the first time. */
export interface Told {
  body: { sessionId: string; feedback: unknown[] }
  entries: number
  /** Entries that say something new. */
  distinct: number
  /** Clicks among those. */
  clicks: number
}

/** A request that was never answered: all of it happened, or nothing. */
type Pending = { told: Told } | { events: number; clicks: number }

/** What one session was promised. */
export interface SessionPromise {
  id: string
  totals: { feedback: number; clicks: number; events: number }
  /** Searches may be lost by a crash, but not those that were once seen counted. */
  searches: { kept: number; sent: number }
  /** Feedback id → entries. */
  told: Map<string, number>
  pending: Pending | undefined
}

/** Something with a state of its own, under a name that the client gave. */
export interface Thing {
  kind: 'signal' | 'test' | 'adaptation' | 'newest model' | 'active model'
  name: string
  /** The server's name for it, when that is another. */
  id?: string
  /** Undefined = acknowledged as absent. */
  settled: string | undefined
  /** A change under way, or cut off; ANY when the client can't tell to what. */
  pending: string | undefined
}

/** Everything that learning has promised. */
export interface Promises {
  sessions: Map<string, SessionPromise>
  /** Those with traffic since the last check. */
  touched: Set<SessionPromise>
  things: Map<string, Thing>
  /** Analytics events that were acknowledged, and those that a check found to be stored. */
  eventIds: Set<string>
  eventsFound: number
  /** Series → values recorded; whether one more was cut off. */
  counters: Map<string, { settled: number; pending: boolean }>
  acknowledged: number
  /** For names that nothing else has. */
  numbers: number
}

export const ANY = '*'

export function openPromises(): Promises {
  return {
    sessions: new Map(),
    touched: new Set(),
    things: new Map(),
    eventIds: new Set(),
    eventsFound: 0,
    counters: new Map(),
    acknowledged: 0,
    numbers: 0,
  }
}

export function newSession(promises: Promises, id: string): SessionPromise {
  const session: SessionPromise = {
    id,
    totals: { feedback: 0, clicks: 0, events: 0 },
    searches: { kept: 0, sent: 0 },
    told: new Map(),
    pending: undefined,
  }
  promises.sessions.set(id, session)
  promises.touched.add(session)
  return session
}

export function thingOf(promises: Promises, kind: Thing['kind'], name: string): Thing {
  const key = `${kind} ${name}`
  const known = promises.things.get(key)
  if (known !== undefined) return known
  const thing: Thing = { kind, name, settled: undefined, pending: undefined }
  promises.things.set(key, thing)
  return thing
}

/** Counts a stored feedback request; `isNew` unless the same was stored before. Returns what its answer must not say. */
export function takeReceipt(
  session: SessionPromise,
  { entries, distinct, clicks }: Told,
  { feedbackId, accepted, duplicate, unmatched }: Reply['data'],
  expected: 'new' | 'stored before' | 'perhaps unmatched',
): string | undefined {
  session.told.set(feedbackId, entries)
  session.totals.feedback += accepted - duplicate
  if (unmatched === 0 && duplicate < entries) session.totals.clicks += clicks
  const repeated = expected === 'stored before' ? entries : entries - distinct
  const isLost = expected === 'perhaps unmatched' && unmatched === distinct
  if (accepted === entries && duplicate === repeated && (unmatched === 0 || isLost)) return
  return `feedback ${feedbackId} (${expected}): of ${entries} entries ${accepted} accepted, ${duplicate} duplicate, ${unmatched} unmatched`
}

/** Counts a request of analytics events. */
export function takeEvents(session: SessionPromise, events: number, clicks: number): void {
  session.totals.events += events
  session.totals.clicks += clicks
}
