import { setTimeout as sleep } from 'node:timers/promises'
import { unknownCursor } from '../../errors.ts'
import { isId, timeOfId } from '../../ids.ts'
import type { EventQuery } from '../../schema/event.ts'
import { type Filter, readEventFilter } from './filter.ts'
import type { EventRow, EventRows } from './rows.ts'

/** The events of a query as they are stored, until `signal` is aborted; undefined after a silence. */
export type Following = (signal: AbortSignal) => AsyncIterable<EventRow | undefined>

/** Longest time from the commit of an event until those who follow hear of it. */
const POLL_MS = 50
/** So long after `endDate` an event that happened before it may still be on its way to the disk. */
const COMMIT_MS = 1000

/**
 * Follows the events that match and come behind `after`, the id or the sequence of one; without it from `startDate` on,
 * else from now on; to `endDate`, if there is one. Undefined comes after each silence of `silenceMs`. Throws at once what is
 * wrong in the query.
 */
export function followEvents(
  rows: EventRows,
  query: EventQuery,
  after: string | undefined,
  { silenceMs, clock }: Pace,
): Following {
  const filter = readEventFilter(query)
  const start = filter.startMs > -Infinity ? rows.at(filter.startMs) - 1 : rows.last()
  // Another store may have given a greater number than this one has reached.
  const isNew = after === undefined || after.trim() === ''
  const from = isNew ? start : Math.min(readPlace(rows, after.trim(), clock()), rows.last())
  return (signal) => follow(rows, filter, { from, silenceMs, clock, signal })
}

interface Pace {
  silenceMs: number
  /** Epoch ms. */
  clock: () => number
}

async function* follow(
  rows: EventRows,
  filter: Filter,
  { from, silenceMs, clock, signal }: Pace & { from: number; signal: AbortSignal },
): AsyncIterable<EventRow | undefined> {
  let at = from
  let saidMs = performance.now()
  while (!signal.aborted) {
    const isOver = clock() > filter.endMs + COMMIT_MS
    const to = rows.last()
    if (at < to) await rows.turn()
    // Read at once: the client may take long over each, and no walk may stay open meanwhile.
    const some = at < to ? rows.some(at + 1, to) : []
    for (const row of some) {
      const isBehind = Date.parse(row.event.timestamp) > filter.endMs
      // Behind where the clock was set back there may be more.
      if (isBehind && rows.isOrdered(row.sequence, to)) return
      // A place before the dates was asked for as well, or they are still to come.
      if (!filter.matches(row.event)) continue
      yield row
      saidMs = performance.now()
      if (signal.aborted) return
    }
    at = some.at(-1)?.sequence ?? to
    if (isOver && at >= to) return
    if (performance.now() - saidMs >= silenceMs) {
      yield undefined
      saidMs = performance.now()
    }
    const restMs = at < to ? 0 : Math.min(POLL_MS, silenceMs)
    await sleep(restMs, undefined, { signal }).catch(() => {})
  }
}

/** The sequence of an event by its id, or as streams of before named it. */
function readPlace(rows: EventRows, text: string, nowMs: number): number {
  const sequence = /^\d{1,15}$/.test(text) ? Number(text) : placeOf(rows, text.toLowerCase(), nowMs)
  if (sequence !== undefined) return sequence
  throw unknownCursor('Last-Event-ID')
}

/** A browser that is refused never comes back, so one whose event is gone goes on with what is kept. */
function placeOf(rows: EventRows, id: string, nowMs: number): number | undefined {
  if (!isId(id)) return undefined
  const timeMs = timeOfId(id)
  const found = findEvent(rows, id, timeMs)
  if (found !== undefined) return found
  const [first, last] = [rows.first(), rows.last()]
  if (first > 1 && rows.at(timeMs) === first) return first - 1
  // Of a store that was put back from a backup.
  return timeMs <= nowMs && rows.at(timeMs) > last ? last : undefined
}

/** An event's id begins with its time, which falls nowhere but between stretches. */
function findEvent(rows: EventRows, id: string, timeMs: number): number | undefined {
  for (const place of rows.places(timeMs)) {
    const found = findFrom(rows, place, { id, timeMs })
    if (found !== undefined) return found
  }
  return undefined
}

function findFrom(
  rows: EventRows,
  place: number,
  { id, timeMs }: { id: string; timeMs: number },
): number | undefined {
  // Behind the last one the rows would be read backwards.
  for (let at = place; at <= rows.last(); ) {
    const some = rows.some(at, rows.last())
    for (const { sequence, event } of some) {
      if (event.id === id) return sequence
      if (Date.parse(event.timestamp) !== timeMs) return undefined
      at = sequence + 1
    }
    if (some.length === 0) return undefined
  }
  return undefined
}
