import type { Store } from '../../store/store.ts'

/** What was told, and when: the same is told again within `REPEAT_MS` counts once. */
export interface Seen {
  /** What one request tells. Only inside a transaction, whose end `save` must come before. */
  beginWithin: () => Telling
  /** Forgets some of what was told before a moment; returns how much. Call again while it forgets. */
  sweep: (beforeMs: number) => Promise<number>
}

export interface Telling {
  /** Whether the same mark was told at most `REPEAT_MS` before or after; else it is now. */
  wasTold: (place: MarksPlace, mark: string, timeMs: number) => boolean
  save: () => void
}

/** Where marks stand together: those of one search, or of one session that spoke of unknown ones. */
export interface MarksPlace {
  name: string
  /** What is said to have happened before stands with what happened then. */
  sinceMs: number
}

const REPEAT_MS = 30 * 60_000
const SWEEP_ROWS = 1000
/** Marks of one place and half hour that share a row; of those after, which no person sends, each has its own. */
const ROW_MARKS = 256

/** When each mark of a row was told of. */
interface Row {
  key: [halfHour: number, name: string]
  times: Map<string, number>
  isChanged: boolean
}

/** Two marks of one half hour are the same in any case, so one time for each half hour is enough. */
export function openSeen(store: Store): Seen {
  const { feedbackSeen } = store.tables
  /** There is nothing outside of these half hours. */
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const [halfHour] of feedbackSeen.keys({ limit: 1 })) first = halfHour
  for (const [halfHour] of feedbackSeen.keys({ reverse: true, limit: 1 })) last = halfHour

  return {
    beginWithin: () => {
      const rows = openRows(store)
      return {
        wasTold: (place, mark, timeMs) => {
          const told = halfHourOf(timeMs)
          const least = halfHourOf(place.sinceMs)
          for (let near = told - 1; near <= told + 1; near += 1) {
            const halfHour = Math.max(near, least)
            if (halfHour < first || halfHour > last) continue
            const name = nameIn(halfHour, mark, near)
            const toldMs = rows.of(halfHour, place.name, name).times.get(name)
            if (toldMs !== undefined && Math.abs(toldMs - timeMs) <= REPEAT_MS) return true
          }
          const halfHour = Math.max(told, least)
          const name = nameIn(halfHour, mark, told)
          const row = rows.of(halfHour, place.name, name)
          row.times.set(name, timeMs)
          row.isChanged = true
          first = Math.min(first, halfHour)
          last = Math.max(last, halfHour)
          return false
        },
        save: rows.save,
      }
    },
    sweep: async (beforeMs) => {
      const end = halfHourOf(beforeMs) - 1
      const due = [...feedbackSeen.keys({ end: [end, ''], limit: SWEEP_ROWS })]
      if (due.length > 0)
        await store.release(() => {
          feedbackSeen.removeAll(due)
        })
      return due.length
    },
  }
}

/**
 * The name by which a mark of some half hour stands in a row. What is said to have happened before its search stands in
 * the row of that search: rows go by the age of their half hour, and a mark must stay for as long as it may be told again.
 */
function nameIn(halfHour: number, mark: string, told: number): string {
  return told < halfHour ? `${mark} ${told}` : mark
}

/** The rows that a request looks at: each is read and written once, and most requests speak of few searches. */
function openRows({ tables: { feedbackSeen } }: Store) {
  const rows = new Map<string, Row>()
  /** What is said of one search mostly comes together. */
  let latest: Row | undefined

  function read(halfHour: number, name: string): Row {
    if (latest?.key[0] === halfHour && latest.key[1] === name) return latest
    const id = `${halfHour}/${name}`
    let row = rows.get(id)
    if (row === undefined) {
      const known = feedbackSeen.get([halfHour, name])
      const times = new Map(typeof known === 'number' ? [[name, known]] : known)
      row = { key: [halfHour, name], times, isChanged: false }
      rows.set(id, row)
    }
    latest = row
    return row
  }
  return {
    /** The row in which a mark stands, or would. */
    of: (halfHour: number, place: string, mark: string): Row => {
      const shared = read(halfHour, place)
      return shared.times.has(mark) || shared.times.size < ROW_MARKS ? shared : read(halfHour, mark)
    },
    save: () => {
      for (const { key, times, isChanged } of rows.values())
        if (isChanged) feedbackSeen.put(key, [...times])
    },
  }
}

function halfHourOf(timeMs: number): number {
  return Math.floor(timeMs / REPEAT_MS)
}
