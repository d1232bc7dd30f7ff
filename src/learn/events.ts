import { v7 as uuid } from 'uuid'
import type { LearningEvent } from '../schema/learning.ts'
import type { Store } from '../store/store.ts'

export type EventPriority = 'LOW' | 'NORMAL' | 'HIGH' | 'CRITICAL'

/** What happened to learning, as whoever did it says it. */
export interface EventReport {
  /** Upper-case word: FEEDBACK_RECEIVED, MODEL_ACTIVATED, ADAPTATION_ROLLED_BACK, … */
  type: string
  status: string
  /** Part of the service that it comes from: feedback, models, adaptations, experiments, … */
  source: string
  priority?: EventPriority
  correlationId?: string
  sessionId?: string
  modelId?: string
  adaptationId?: string
  data?: Record<string, unknown>
}

/** The history of learning: append-only, in order. */
export interface Events {
  /** Inside `store.write`: the event is stored with what it reports, or not at all. */
  recordWithin: (report: EventReport) => LearningEvent
  /** In a transaction of its own. */
  record: (report: EventReport) => Promise<LearningEvent>
}

export function openEvents(store: Store, clock: () => number): Events {
  const { events, meta } = store.tables

  function recordWithin(report: EventReport): LearningEvent {
    const sequence = ((meta.get('events') as number | undefined) ?? 0) + 1
    const timeMs = clock()
    const { priority = 'NORMAL', data = {}, ...same } = report
    const timestamp = new Date(timeMs).toISOString()
    const event = { id: uuid({ msecs: timeMs }), ...same, priority, timestamp, data }
    events.put(sequence, event)
    meta.put('events', sequence)
    return event
  }
  return { recordWithin, record: (report) => store.write(() => recordWithin(report)) }
}
