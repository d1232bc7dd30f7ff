import type { Store } from './store.ts'

/** Rows numbered as they came, each with the time of the system's clock: in order, but for where that was set back. */
export interface TimeOrder {
  /** Inside the transaction that adds a row. */
  noteWithin: (sequence: number, timeMs: number) => void
  /** The time of the last row before a number; 0 where there is none. */
  before: (sequence: number) => number
  /** First and last number of each stretch from one number to another within which the clock was not set back. */
  stretches: (first: number, last: number) => [first: number, last: number][]
  /**
   * Whether a row is older than `beforeMs`, by itself, or, where its time is still to come, by the age of what came once the
   * clock was right: it would stay until that time, and all behind it.
   */
  isOld: (
    row: { sequence: number; timeMs: number },
    age: { beforeMs: number; nowMs: number },
  ) => boolean
}

/** A row may be noted so much after the time that it tells; a clock that is set back by less is none. */
export const TIME_STEP_MS = 1000
/** How often the clock may be set back while rows of before are kept; where it was long ago is forgotten beyond. */
const SET_BACK_MAX = 100

/** `timeOf` gives the time of a row that is kept. */
export function openTimeOrder(
  { tables: { meta } }: Store,
  name: 'events' | 'journal',
  timeOf: (sequence: number) => number | undefined,
): TimeOrder {
  const kept = `${name} set back` as const
  /** The row that was noted last, also in a transaction that failed since: then another one gets its number. */
  let newest = { sequence: 0, timeMs: 0 }

  /** Numbers of the rows before which the clock was set back. */
  const setBack = () => meta.get(kept) ?? []
  const before = (sequence: number) =>
    newest.sequence === sequence - 1 ? newest.timeMs : (timeOf(sequence - 1) ?? 0)
  return {
    noteWithin: (sequence, timeMs) => {
      if (timeMs < before(sequence) - TIME_STEP_MS)
        meta.put(kept, [...setBack(), sequence].slice(-SET_BACK_MAX))
      newest = { sequence, timeMs }
    },
    before,
    stretches: (first, last) => {
      const begins = setBack().filter((sequence) => sequence > first && sequence <= last)
      return [first, ...begins].map((from, at) => [from, (begins[at] ?? last + 1) - 1])
    },
    isOld: ({ sequence, timeMs }, { beforeMs, nowMs }) => {
      if (timeMs <= nowMs) return timeMs < beforeMs
      for (const later of setBack()) {
        const laterMs = later > sequence ? (timeOf(later) ?? 0) : Infinity
        if (laterMs <= nowMs) return laterMs < beforeMs
      }
      return false
    },
  }
}
