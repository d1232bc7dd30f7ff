import type { Trial, TrialUnit } from '../../schema/model-record.ts'
import type { Store } from '../../store/store.ts'
import type { Impression } from '../facts.ts'
import { BUCKETS, bucketOf } from '../statistics/buckets.ts'
import { nameOf } from './versions.ts'

/** What users do while a model has its share of them: part of the fold, written by `saveWithin`. */
export interface TrialUnits {
  /** The row of the unit that searched, to be counted up; undefined when the search is not part of a trial. */
  of: (impression: Impression) => TrialUnit | undefined
  saveWithin: () => void
  /** Drops what was not saved. */
  drop: () => void
  clearWithin: () => void
  /** Removes the rows of these users. */
  forgetWithin: (names: ReadonlySet<string>) => void
}

interface PendingRow {
  key: [number, string]
  value: TrialUnit
}

/** Users of a trial that are counted; beyond it only known ones are. */
const UNITS_MAX = 100_000

export function openTrialUnits(store: Store, trial: () => Trial | undefined): TrialUnits {
  const { trialUnits } = store.tables
  const rows = new Map<string, PendingRow>()
  let counted = { trial: -1, units: 0 }

  function newcomer(number: number, arm: TrialUnit['arm']): TrialUnit | undefined {
    if (counted.trial !== number) {
      const known = [...trialUnits.keys({ start: [number, ''], end: [number + 1, ''] })]
      counted = { trial: number, units: known.length }
    }
    if (counted.units >= UNITS_MAX) return undefined
    counted.units += 1
    return { arm, searches: 0, clicked: 0, reciprocalRank: 0 }
  }
  function drop(): void {
    rows.clear()
    counted = { trial: -1, units: 0 }
  }
  return {
    of: (impression) => {
      const now = trial()
      const { unit, timeMs } = impression
      if (now?.stage !== 'CANARY' || unit === undefined || timeMs < now.sinceMs) return undefined
      const arm = armOf(impression, unit, now)
      if (arm === undefined) return undefined
      const id = `${now.number}/${unit}`
      const pending = rows.get(id)
      if (pending !== undefined) return pending.value.arm === arm ? pending.value : undefined
      const key: [number, string] = [now.number, unit]
      const known = trialUnits.get(key)
      const value = known === undefined ? newcomer(now.number, arm) : { ...known }
      if (value === undefined || value.arm !== arm) return undefined
      rows.set(id, { key, value })
      return value
    },
    saveWithin: () => {
      for (const { key, value } of rows.values()) trialUnits.put(key, value)
      rows.clear()
    },
    drop,
    clearWithin: () => {
      drop()
      trialUnits.clear()
    },
    forgetWithin: (names) => {
      drop()
      const now = trial()
      if (now !== undefined)
        trialUnits.removeAll(Array.from(names, (unit) => [now.number, unit] as [number, string]))
    },
  }
}

/** Whether a user belongs to those whom the model on trial ranks: always the same for one version. */
export function isInShare(trial: Trial, unit: string): boolean {
  return bucketOf(`model:${nameOf(trial)}`, unit, 'inclusion') < Math.round(trial.share * BUCKETS)
}

/**
 * In which arm a search was: the user's, when the model of that arm ranked it, or none did. A model that learned from clicks
 * leaves alone the queries that nobody clicked under: were those left out of its arm only, it would be held against others
 * whose searches are the harder ones. Searches that any other model ranked say nothing.
 */
function armOf(
  { model = '' }: Impression,
  unit: string,
  trial: Trial,
): TrialUnit['arm'] | undefined {
  const inShare = isInShare(trial, unit)
  if (model !== '' && model !== (inShare ? nameOf(trial) : trial.control)) return undefined
  return inShare ? 'CANARY' : 'CONTROL'
}
