import { momentWarnings } from '../../doubtful-moment.ts'
import { invalid, serviceError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import {
  type AnalyticsBody,
  AnalyticsEvent,
  type AnalyticsReceipt,
  type AnalyticsReceipts,
} from '../../schema/analytics.ts'
import type { NoteDone } from '../../schema/answer.ts'
import type { SessionTotals } from '../../schema/session.ts'
import type { LogEntry } from '../entries.ts'
import type { Log } from '../loop/log.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { sumTotals, type Totals } from '../sessions/totals.ts'
import { readHappened } from '../wire/moment.ts'
import { bodyOf, unreadFields } from '../wire/unread-fields.ts'
import { entryOf, type ReadEvent, readEvents } from './event-entry.ts'

/** What clients tell of their searchers. */
export interface Analytics {
  /**
   * Resolves when all of the events are on the disk, in their order. One that names no session, or one that is unknown
   * or expired, is kept too, as unmatched. Throws OVERLOADED when too many wait.
   */
  record: (
    sent: AnalyticsBody,
    noteDone?: NoteDone,
  ) => Promise<AnalyticsReceipt | AnalyticsReceipts>
  /** Events since the start that are signals: those with figures of performance. */
  submitted: () => number
  /** Forgets what sessions told since they are unknown, or over. */
  forget: (sessionIds: readonly string[]) => void
}

export interface AnalyticsOptions {
  log: Log
  sessions: Pick<Sessions, 'peek' | 'touch' | 'totals'>
  clock: () => number
}

/** Events that wait for their commit; beyond it the service says that it has enough to do. */
const WAITING_MAX = 100_000
/** Sessions that are unknown, or over, whose events are remembered; when there are more, all begin anew. */
const STRANGERS_MAX = 10_000
/** However a client joins the words. */
const CLICK = /(?:^|[_.\s-])click(?:ed)?$/i

export function openAnalytics({ log, sessions, clock }: AnalyticsOptions): Analytics {
  const { totals } = sessions
  const strangers = openStrangers()
  let waiting = 0
  let submitted = 0

  /** Inside the transaction. */
  function countWithin(event: AnalyticsEvent, eventId: string): AnalyticsReceipt {
    const delta = deltaOf(event)
    const session = event.sessionId === undefined ? undefined : sessions.peek(event.sessionId)
    if (session?.active !== true) {
      const metrics = strangers.count(event.sessionId, delta, totals)
      return { eventId, processed: true, unmatched: true, metrics }
    }
    totals.addWithin(session.sessionId, delta)
    const metrics = totals.of(session.sessionId)
    return { eventId, processed: true, unmatched: false, metrics }
  }
  function store(
    read: readonly ReadEvent[],
    noteDone: NoteDone | undefined,
  ): Promise<AnalyticsReceipt[]> {
    return log.append(() => {
      noteDone?.()
      const timeMs = clock()
      const receipts: AnalyticsReceipt[] = []
      const entries: LogEntry[] = []
      for (const each of read) {
        const eventId = newId(timeMs)
        receipts.push(countWithin(each.event, eventId))
        entries.push(entryOf(each, eventId, timeMs))
      }
      const last = entries.pop() as LogEntry
      for (const entry of entries) log.journal.appendWithin(entry)
      return { entry: last, value: receipts }
    })
  }
  async function take(
    events: readonly AnalyticsEvent[],
    noteDone: NoteDone | undefined,
  ): Promise<AnalyticsReceipt[]> {
    if (waiting + events.length > WAITING_MAX)
      throw serviceError('OVERLOADED', 'Too many events wait to be stored; try again soon.', {
        retryAfterS: 1,
      })
    for (const { sessionId } of events) if (sessionId !== undefined) sessions.touch(sessionId)
    waiting += events.length
    try {
      const read = await readEvents(events)
      const receipts = await store(read, noteDone)
      submitted += read.filter(({ isSignal }) => isSignal).length
      return receipts
    } finally {
      waiting -= events.length
    }
  }
  return {
    record: async (sent, noteDone) => {
      const { events, place, isList } = eventsIn(sent)
      for (const [at, { timestamp }] of events.entries())
        if (timestamp !== undefined) readHappened(timestamp, clock(), `${place(at)}timestamp`)
      const receipts = (await take(events, noteDone)).map((receipt, at) =>
        at < EVENTS_TOLD_MAX ? warned(receipt, events[at] as AnalyticsEvent) : receipt,
      )
      return isList ? listed(receipts) : (receipts[0] as AnalyticsReceipt)
    },
    submitted: () => submitted,
    forget: strangers.forget,
  }
}

/** Events of a list whose receipts tell what is not read: a client makes the same mistake in each. */
const EVENTS_TOLD_MAX = 8
const BODY = bodyOf('an event', AnalyticsEvent, {
  userId: 'sessionId',
  user: 'sessionId',
  session: 'sessionId',
  type: 'eventType',
  event: 'eventType',
  actions: 'userActions',
  hits: 'results',
  time: 'timestamp',
  ...Object.fromEntries(
    ['data', 'properties', 'payload', 'context', 'url'].map((name) => [name, 'metadata']),
  ),
})

function warned(receipt: AnalyticsReceipt, event: AnalyticsEvent): AnalyticsReceipt {
  const warnings = [...unreadFields(event, BODY), ...momentWarnings(event.timestamp, 'timestamp')]
  return warnings.length > 0 ? { ...receipt, warnings } : receipt
}

const PARTS = Object.keys(AnalyticsEvent.properties)

/** The events of a body, and where each of them stands in it: one that comes alone is the body itself. */
function eventsIn(sent: AnalyticsBody): {
  events: readonly AnalyticsEvent[]
  place: (at: number) => string
  isList: boolean
} {
  if (Array.isArray(sent)) return { events: sent, place: (at) => `[${at}].`, isList: true }
  const { events, ...single } = sent
  if (events === undefined)
    return { events: [single as AnalyticsEvent], place: () => '', isList: false }
  refuseBoth(single)
  return { events, place: (at) => `events[${at}].`, isList: true }
}

/** What stands beside a list belongs to none of its events and would be lost. */
function refuseBoth(beside: object): void {
  const part = PARTS.find((name) => Object.hasOwn(beside, name))
  if (part !== undefined)
    throw invalid(
      part,
      'is sent beside events; send one event, or events with everything in each of them',
    )
}

function listed(events: AnalyticsReceipt[]): AnalyticsReceipts {
  const unmatched = events.filter((event) => event.unmatched).length
  return { processed: true, total: events.length, unmatched, events }
}

/** What sessions that are unknown, or over, told since the start: counted nowhere, but told in answers. */
function openStrangers() {
  const told = new Map<string, SessionTotals>()
  return {
    /** The totals of a session with what it told since. */
    count: (
      sessionId: string | undefined,
      delta: Partial<SessionTotals>,
      totals: Pick<Totals, 'of'>,
    ): SessionTotals => {
      if (sessionId === undefined || sessionId === '') return sumTotals(delta)
      const id = sessionId.toLowerCase()
      const sum = sumTotals(told.get(id), delta)
      // Not one by one: a map takes long to find its first entry when others were before it.
      if (told.size >= STRANGERS_MAX && !told.has(id)) told.clear()
      told.set(id, sum)
      return sumTotals(totals.of(sessionId), sum)
    },
    forget: (sessionIds: readonly string[]) => {
      for (const sessionId of sessionIds) told.delete(sessionId.toLowerCase())
    },
  }
}

/** A search of which a client tells was counted when it was made. */
function deltaOf({ eventType }: AnalyticsEvent): Partial<SessionTotals> {
  return CLICK.test(eventType) ? { events: 1, clicks: 1 } : { events: 1 }
}
