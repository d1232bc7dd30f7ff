import { openBreath } from '../../breath.ts'
import { oneSpelling } from '../../ids.ts'
import { asObject } from '../../object.ts'
import type { AnalyticsEvent } from '../../schema/analytics.ts'
import type { LogEntry } from '../entries.ts'
import { atLength } from '../loop/at-length.ts'
import { hasFigures } from '../signals/signal-words.ts'

/** An event before the transaction that stores it, in which nobody else has a turn. */
export interface ReadEvent {
  event: AnalyticsEvent
  isSignal: boolean
  /** The JSON of what was told, if it is long. */
  long: string | undefined
}

export async function readEvents(events: readonly AnalyticsEvent[]): Promise<ReadEvent[]> {
  const breathe = openBreath()
  const read: ReadEvent[] = []
  for (const event of events) {
    const isSignal = hasFigures(event.performance)
    const writing = atLength(event)
    read.push({ event, isSignal, long: writing === undefined ? undefined : await writing })
    const pause = breathe()
    if (pause !== undefined) await pause
  }
  return read
}

export function entryOf(
  { event, isSignal, long }: ReadEvent,
  eventId: string,
  timeMs: number,
): LogEntry {
  const { sessionId, ...told } = event
  const entry = { timeMs, type: 'analytics' as const }
  const session = sessionId === undefined ? {} : { sessionId: oneSpelling(sessionId) }
  if (long === undefined) return { ...entry, data: { eventId, ...told }, ...session }
  const userId = userIn(told)
  const data = {
    eventId,
    eventType: told.eventType,
    ...(userId === undefined ? {} : { userId }),
    // Any figure stands for those that make it a signal.
    ...(isSignal ? { performance: 0 } : {}),
  }
  return { ...entry, data, long, ...session }
}

/** Whom an event names by itself: clients may send it without a session. */
export function userIn(told: Record<string, unknown>): string | undefined {
  const userId = told.userId ?? asObject(told.metadata)?.userId
  return typeof userId === 'string' ? userId : undefined
}
