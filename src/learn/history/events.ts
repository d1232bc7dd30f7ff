import { newId } from '../../ids.ts'
import type { EventQuery, LearningEvent, StoredEvent } from '../../schema/event.ts'
import type { Store } from '../../store/store.ts'
import type { Sweep } from '../round.ts'
import { DAY_MS, dayOf } from '../wire/duration.ts'
import { isAhead } from '../wire/moment.ts'
import { type Following, followEvents } from './follow.ts'
import { listEvents } from './list.ts'
import { eventRows, showEvent } from './rows.ts'

export type EventPriority = 'LOW' | 'NORMAL' | 'HIGH' | 'CRITICAL'

/** Part of learning that an event comes from. */
type EventSource = 'feedback' | 'signals' | 'models' | 'adaptations' | 'experiments' | 'subjects'

/** What happened to learning, as whoever did it says it. */
export interface EventReport {
  /** Upper-case word: FEEDBACK_RECEIVED, MODEL_ACTIVATED, ADAPTATION_ROLLED_BACK, … */
  type: string
  status: string
  source: EventSource
  priority?: EventPriority
  correlationId?: string
  sessionId?: string
  modelId?: string
  adaptationId?: string
  data?: Record<string, unknown>
  /** Members of its data that a client sent, as JSON: they may be long. */
  told?: Record<string, string>
}

/** Characters of JSON up to which what was told is kept as what it says. */
const SHORT = 1024

/** The history of learning: append-only, in order; times fall only where the clock was set back. */
export interface Events {
  /** An EventList in UTF-8 JSON: a page of the events that match. Throws VALIDATION_FAILED, INVALID_CURSOR. */
  list: (query: EventQuery) => Promise<Uint8Array>
  /** Follows the events behind the sequence `after`; see history/follow.ts. Throws what is wrong in the query. */
  follow: (query: EventQuery, after: string | undefined) => Following
  /** Inside `store.write`: the event is stored with what it reports, or not at all. */
  recordWithin: (report: EventReport) => LearningEvent
  /** In a transaction of its own. */
  record: (report: EventReport) => Promise<LearningEvent>
  /** Events of each type from the beginning (UTC) of a moment's day until now, while they are kept. */
  counts: (sinceMs: number) => Record<string, number>
  /** Removes events that are past their time, or too many. */
  sweep: Sweep
}

export interface EventLimits {
  retentionMs: number
  eventsMax: number
  eventHeartbeatMs: number
}

const LIMITS: EventLimits = {
  retentionMs: 30 * DAY_MS,
  eventsMax: 1_000_000,
  eventHeartbeatMs: 15_000,
}
const SWEEP_ROWS = 1000

/** `note` runs inside the transaction of each event. */
export function openEvents(
  store: Store,
  clock: () => number,
  sent: Partial<EventLimits> = {},
  note: (event: LearningEvent, sequence: number) => void = () => {},
): Events {
  const limits: EventLimits = { ...LIMITS, ...sent }
  const { events, eventDays, meta } = store.tables
  const rows = eventRows(store)

  function timeOf(sequence: number): number {
    const [nowMs, beforeMs] = [clock(), rows.order.before(sequence)]
    return isAhead(beforeMs, nowMs) ? nowMs : Math.max(nowMs, beforeMs)
  }
  function recordWithin(report: EventReport): LearningEvent {
    const sequence = (meta.get('events') ?? 0) + 1
    const timeMs = timeOf(sequence)
    const { priority = 'NORMAL', data = {}, told = {}, ...same } = report
    const timestamp = new Date(timeMs).toISOString()
    const about = { id: newId(timeMs), ...same, priority, timestamp }
    const stored = { ...about, ...keptOf(data, told) }
    events.put(sequence, stored)
    const event = showEvent(stored)
    meta.put('events', sequence)
    rows.order.noteWithin(sequence, timeMs)
    const day: [number, string] = [dayOf(timeMs), report.type]
    eventDays.put(day, (eventDays.get(day) ?? 0) + 1)
    note(event, sequence)
    return event
  }
  function past(nowMs: number): number[] {
    let spare = events.count() - limits.eventsMax
    const old: number[] = []
    const age = { beforeMs: nowMs - limits.retentionMs, nowMs }
    for (const { key, value } of events.range({ limit: SWEEP_ROWS })) {
      const row = { sequence: key, timeMs: Date.parse(value.timestamp) }
      if (spare <= 0 && !rows.order.isOld(row, age)) break
      spare -= 1
      old.push(key)
    }
    return old
  }
  return {
    list: (query) => listEvents(rows, query),
    follow: (query, after) =>
      followEvents(rows, query, after, { silenceMs: limits.eventHeartbeatMs, clock }),
    recordWithin,
    record: (report) => store.write(() => recordWithin(report)),
    counts: (sinceMs) => {
      const counts: Record<string, number> = {}
      // Days to come were told by a clock that was ahead.
      const end: [number, string] = [dayOf(clock()) + 1, '']
      for (const { key, value } of eventDays.range({ start: [dayOf(sinceMs), ''], end }))
        counts[key[1]] = (counts[key[1]] ?? 0) + value
      return counts
    },
    sweep: async (nowMs) => {
      const old = past(nowMs)
      const end: [number, string] = [dayOf(nowMs - limits.retentionMs), '']
      const days = [...eventDays.keys({ end, limit: SWEEP_ROWS })]
      if (old.length + days.length > 0)
        await store.release(() => {
          events.removeAll(old)
          eventDays.removeAll(days)
        })
      return old.length
    },
  }
}

function keptOf(
  data: Record<string, unknown>,
  told: Record<string, string>,
): Pick<StoredEvent, 'data' | 'told'> {
  const all = Object.entries(told)
  const short = all.filter(([, json]) => json.length <= SHORT)
  const said = short.map(([name, json]) => [name, JSON.parse(json)])
  const kept = { data: { ...data, ...Object.fromEntries(said) } }
  if (short.length === all.length) return kept
  return { ...kept, told: Object.fromEntries(all.filter(([, json]) => json.length > SHORT)) }
}
