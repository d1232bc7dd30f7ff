import { openBreath } from '../../breath.ts'
import type { LearningEvent, StoredEvent } from '../../schema/event.ts'
import type { Store } from '../../store/store.ts'

/** An event and the number under which it stands. */
export interface EventRow {
  sequence: number
  event: LearningEvent
}

/** The table of events as one line without holes: the oldest go first, and times never fall. */
export interface EventRows {
  /** Sequence of the oldest one kept; one past the newest when there is none. */
  first: () => number
  last: () => number
  /** The first sequence whose event is not before a time. */
  at: (timeMs: number) => number
  /** Some rows from one sequence to another, both included, downwards when that is smaller; none when none is left. */
  some: (from: number, to: number) => EventRow[]
  /**
   * Visits what stands from one sequence to another, both included, upwards or downwards, until `visit` says no.
   * Lets others go first now and then.
   */
  walk: (from: number, to: number, visit: (row: EventRow) => boolean) => Promise<void>
}

/** With `null` for what it does not speak of: all events have the same fields. */
export function whole(event: StoredEvent): LearningEvent {
  const { correlationId = null, sessionId = null } = event
  return { ...event, correlationId, sessionId }
}

const READ_ROWS = 256

export function eventRows(store: Store): EventRows {
  const { events, meta } = store.tables

  const last = (): number => (meta.get('events') as number | undefined) ?? 0
  function first(): number {
    for (const key of events.keys({ limit: 1 })) return key
    return last() + 1
  }
  function some(from: number, to: number): EventRow[] {
    const reverse = to < from
    const end = reverse ? to - 1 : to + 1
    const rows = events.range({ start: from, end, reverse, limit: READ_ROWS })
    return Array.from(rows, ({ key, value }) => ({ sequence: key, event: whole(value) }))
  }
  return {
    first,
    last,
    at: (timeMs) => {
      let low = first()
      let high = last() + 1
      while (low < high) {
        const middle = (low + high) >>> 1
        const event = events.get(middle)
        if (event !== undefined && Date.parse(event.timestamp) >= timeMs) high = middle
        else low = middle + 1
      }
      return low
    },
    some,
    walk: async (from, to, visit) => {
      const step = to < from ? -1 : 1
      let at = from
      const breathe = openBreath()
      while ((to - at) * step >= 0) {
        const rows = some(at, to)
        for (const row of rows) if (!visit(row)) return
        if (rows.length < READ_ROWS) return
        at = (rows.at(-1) as EventRow).sequence + step
        await breathe()
      }
    },
  }
}
