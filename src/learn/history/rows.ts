import { openBreath } from '../../breath.ts'
import { jsonWith } from '../../json/gradual-text.ts'
import type { LearningEvent, StoredEvent } from '../../schema/event.ts'
import type { Store } from '../../store/store.ts'
import { openTimeOrder, type TimeOrder } from '../../store/time-order.ts'

/** An event and the number under which it stands. */
export interface EventRow {
  sequence: number
  event: Omit<LearningEvent, 'data'>
  /** All of it, as JSON: its data may be long, and are made into nothing else on their way out. */
  json: () => string
}

/** The table of events as one line without holes: the oldest go first, and times fall where the clock was set back alone. */
export interface EventRows {
  order: TimeOrder
  /** Sequence of the oldest one kept; one past the newest when there is none. */
  first: () => number
  last: () => number
  /** The first sequence whose event is not before a time; one past the newest when there is none. */
  at: (timeMs: number) => number
  /** The last sequence whose event is not after a time; one before the oldest when there is none. */
  until: (timeMs: number) => number
  /** The first sequence whose event is not before a time, of each stretch that has one. */
  places: (timeMs: number) => number[]
  /** Whether times do not fall from one sequence to another. */
  isOrdered: (from: number, to: number) => boolean
  /** Some rows from one sequence to another, both included, downwards when that is smaller; none when none is left. */
  some: (from: number, to: number) => EventRow[]
  /**
   * Visits what stands from one sequence to another, both included, upwards or downwards, until `visit` says no.
   * Lets others go first now and then.
   */
  walk: (from: number, to: number, visit: (row: EventRow) => boolean) => Promise<void>
  /** Settles when it is one's turn to hand on what is new: of many who follow one at a time, with turns for others in between. */
  turn: () => Promise<void>
}

/** As answers tell it: with `null` for what it does not speak of, so that all events have the same fields. */
export function showEvent({ told: _, ...event }: StoredEvent): LearningEvent {
  const { correlationId = null, sessionId = null } = event
  return { ...event, correlationId, sessionId }
}

function jsonOf(stored: StoredEvent): string {
  if (stored.told === undefined) return JSON.stringify(showEvent(stored))
  const { data, ...about } = showEvent(stored)
  return jsonWith(about, { data: jsonWith(data, stored.told) })
}

/** Rows that are read in one go, and the time that this may take: what a client sent with one may be long. */
const READ_ROWS = 256
const READ_MS = 4

export function eventRows(store: Store): EventRows {
  const { events, meta } = store.tables
  const timeOf = (sequence: number) => {
    const event = events.get(sequence)
    return event && Date.parse(event.timestamp)
  }
  const order = openTimeOrder(store, 'events', timeOf)

  const last = (): number => meta.get('events') ?? 0
  function first(): number {
    for (const key of events.keys({ limit: 1 })) return key
    return last() + 1
  }
  function some(from: number, to: number): EventRow[] {
    const reverse = to < from
    const end = reverse ? to - 1 : to + 1
    const untilMs = performance.now() + READ_MS
    const rows: EventRow[] = []
    for (const { key, value } of events.range({ start: from, end, reverse, limit: READ_ROWS })) {
      rows.push({ sequence: key, event: showEvent(value), json: () => jsonOf(value) })
      if (performance.now() > untilMs) break
    }
    return rows
  }
  let turns = Promise.resolve()
  const stretches = () => order.stretches(first(), last())
  /** One past the last of a stretch where all of it is before the time. */
  function atIn([from, to]: [number, number], timeMs: number): number {
    let [low, high] = [from, to + 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((timeOf(middle) ?? 0) >= timeMs) high = middle
      else low = middle + 1
    }
    return low
  }
  function places(timeMs: number): number[] {
    return stretches().flatMap((stretch) => {
      const at = atIn(stretch, timeMs)
      return at > stretch[1] ? [] : [at]
    })
  }
  return {
    order,
    first,
    last,
    at: (timeMs) => places(timeMs)[0] ?? last() + 1,
    until: (timeMs) => {
      for (const stretch of stretches().reverse()) {
        const at = atIn(stretch, timeMs + 1)
        if (at > stretch[0]) return at - 1
      }
      return first() - 1
    },
    turn: () => {
      turns = turns.then(() => new Promise<void>((resolve) => setImmediate(resolve)))
      return turns
    },
    places,
    isOrdered: (from, to) => from >= to || order.stretches(from, to).length === 1,
    some,
    walk: async (from, to, visit) => {
      const step = to < from ? -1 : 1
      let at = from
      const breathe = openBreath()
      while ((to - at) * step >= 0) {
        const rows = some(at, to)
        for (const row of rows) if (!visit(row)) return
        const last = rows.at(-1)
        if (last === undefined) return
        at = last.sequence + step
        await breathe()
      }
    },
  }
}
