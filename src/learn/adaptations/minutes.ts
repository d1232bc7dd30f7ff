import type { ArmTotals } from '../../schema/adaptation-record.ts'
import type { Store } from '../../store/store.ts'
import { addArms, emptyArm } from './figures.ts'
import { WINDOW_MS_MAX } from './triggers.ts'

/** Searches with a change and, of the same time and queries, those without it. */
export interface Arms {
  with: ArmTotals
  without: ArmTotals
}

export type ArmName = keyof Arms

/** Figures of one adaptation: in all, and by the minute as far back as a trigger may look. */
export interface Minutes {
  /** To count into; it is written with the next save. */
  totals: () => Arms
  minute: (timeMs: number) => Arms
  /** Sum of the minutes from that of `sinceMs` on, without those that had not ended at `endedMs`. */
  since: (sinceMs: number, endedMs?: number) => Arms
  load: () => void
  /** Inside a transaction; forgets what is too old by the newest minute counted. */
  save: () => void
}

const MINUTE_MS = 60_000
/** Minutes that begin so much later than now were counted while the clock was ahead. */
export const YOUNGEST_MS = 2 * MINUTE_MS
/** Key of the totals: no minute of ours lies there. */
const TOTALS = 0

export function emptyArms(): Arms {
  return { with: emptyArm(), without: emptyArm() }
}

export function openMinutes(store: Store, adaptationId: string): Minutes {
  const { adaptationFigures } = store.tables
  const minutes = new Map<number, Arms>()
  const changed = new Set<number>()

  function armsOf(minute: number): Arms {
    let arms = minutes.get(minute)
    if (arms === undefined) {
      arms = emptyArms()
      minutes.set(minute, arms)
    }
    changed.add(minute)
    return arms
  }
  function load(): void {
    minutes.clear()
    changed.clear()
    for (const { key, value } of adaptationFigures.range(rangeOf(adaptationId, TOTALS)))
      minutes.set(key[1], wholeArms(value))
  }
  function forgetOld(): void {
    const oldest = Math.max(0, ...changed) - WINDOW_MS_MAX / MINUTE_MS
    for (const minute of minutes.keys())
      if (minute !== TOTALS && minute < oldest) {
        minutes.delete(minute)
        changed.add(minute)
      }
  }
  load()
  return {
    totals: () => armsOf(TOTALS),
    minute: (timeMs) => armsOf(Math.max(1, Math.floor(timeMs / MINUTE_MS))),
    since: (sinceMs, endedMs = Infinity) => {
      const first = Math.max(1, Math.floor(sinceMs / MINUTE_MS))
      const end = Math.floor(endedMs / MINUTE_MS)
      const arms = [...minutes]
        .filter(([minute]) => minute >= first && minute < end)
        .map(([, each]) => each)
      return {
        with: addArms(arms.map((each) => each.with)),
        without: addArms(arms.map((each) => each.without)),
      }
    },
    load,
    save: () => {
      forgetOld()
      for (const minute of changed) {
        const arms = minutes.get(minute)
        if (arms === undefined) adaptationFigures.remove([adaptationId, minute])
        else adaptationFigures.put([adaptationId, minute], arms)
      }
      changed.clear()
    },
  }
}

/** Totals of an adaptation that is not followed any more. */
export function readTotals(store: Store, adaptationId: string): Arms {
  const row = store.tables.adaptationFigures.get([adaptationId, TOTALS])
  return row === undefined ? emptyArms() : wholeArms(row)
}

/** What a row of an earlier version did not count begins at 0: added to nothing, it would be no number for good. */
function wholeArms(row: Arms): Arms {
  return { with: { ...emptyArm(), ...row.with }, without: { ...emptyArm(), ...row.without } }
}

/** Inside a transaction: removes some minutes, but not the totals; returns how many. */
export function removeMinutesWithin(store: Store, adaptationId: string, limit: number): number {
  const { adaptationFigures } = store.tables
  const keys = [...adaptationFigures.keys({ ...rangeOf(adaptationId, TOTALS + 1), limit })]
  adaptationFigures.removeAll(keys)
  return keys.length
}

/** Inside a transaction: no figures at all, not even totals. */
export function resetMinutesWithin({ tables }: Store, adaptationId: string): void {
  tables.adaptationFigures.removeAll([
    ...tables.adaptationFigures.keys(rangeOf(adaptationId, TOTALS)),
  ])
}

function rangeOf(adaptationId: string, first: number) {
  return {
    start: [adaptationId, first] as [string, number],
    end: [adaptationId, Number.MAX_SAFE_INTEGER] as [string, number],
  }
}
