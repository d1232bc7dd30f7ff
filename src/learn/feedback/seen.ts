import type { Store } from '../../store/store.ts'

/** What was told, and when: the same is told again within `REPEAT_MS` counts once. */
export interface Seen {
  /** Inside a transaction: whether it was told at most `REPEAT_MS` before or after; else it is now. */
  wasTold: (mark: string, timeMs: number) => boolean
  /** Forgets some of what was told before a moment; returns how much. Call again while it forgets. */
  sweep: (beforeMs: number) => Promise<number>
}

const REPEAT_MS = 30 * 60_000
const SWEEP_ROWS = 1000

/** Two marks of one half hour are the same in any case, so a row for each half hour is enough. */
export function openSeen(store: Store): Seen {
  const { feedbackSeen } = store.tables
  /** There is nothing outside of these half hours. */
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const [halfHour] of feedbackSeen.keys({ limit: 1 })) first = halfHour
  for (const [halfHour] of feedbackSeen.keys({ reverse: true, limit: 1 })) last = halfHour

  return {
    wasTold: (mark, timeMs) => {
      const halfHour = halfHourOf(timeMs)
      const until = Math.min(last, halfHour + 1)
      for (let near = Math.max(first, halfHour - 1); near <= until; near += 1) {
        const toldMs = feedbackSeen.get([near, mark])
        if (toldMs !== undefined && Math.abs(toldMs - timeMs) <= REPEAT_MS) return true
      }
      feedbackSeen.put([halfHour, mark], timeMs)
      first = Math.min(first, halfHour)
      last = Math.max(last, halfHour)
      return false
    },
    sweep: async (beforeMs) => {
      const end = halfHourOf(beforeMs) - 1
      const due = [...feedbackSeen.keys({ end: [end, ''], limit: SWEEP_ROWS })]
      if (due.length > 0)
        await store.release(() => {
          for (const key of due) feedbackSeen.remove(key)
        })
      return due.length
    },
  }
}

function halfHourOf(timeMs: number): number {
  return Math.floor(timeMs / REPEAT_MS)
}
