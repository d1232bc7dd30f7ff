import type { Store } from '../../store/store.ts'
import { addUnit, NO_UNITS, type UnitSums, updateUnit } from '../statistics/sums.ts'

/** Searches, clicked ones, ones without results. */
type Counts = [searches: number, clicked: number, zeroResults: number]

/** The units of one adaptation, with it (1) and without it (0). */
export interface UnitCountsOf {
  add: (arm: 0 | 1, unit: string, more: Counts) => void
  /** Sums over the units: x is clicked searches or such without results, y searches. */
  sums: (arm: 0 | 1, metric: 'ctr' | 'zeroResultRate') => UnitSums
}

export interface AdaptationUnits {
  of: (adaptationId: string) => UnitCountsOf
  save: () => void
  /** Forgets what is in memory; the tables are read again. */
  clear: () => void
  /** Inside a transaction: removes some rows; returns how many. */
  dropWithin: (adaptationId: string, limit: number) => number
  /** Inside a transaction: no units at all. */
  resetWithin: () => void
  /** Inside a transaction: removes these units from these adaptations. */
  forgetWithin: (units: ReadonlySet<string>, adaptationIds: Iterable<string>) => void
}

interface Arm {
  units: number
  ctr: UnitSums
  zeroResultRate: UnitSums
}

/** Units of one arm that are told apart; what further ones do counts in the totals alone. */
const UNITS_MAX = 20_000
/** Rows held in memory between two writes. */
const CACHED_MAX = 20_000

/** Counts by unit, so that one busy unit isn't taken for many. */
export function openUnitCounts(store: Store): AdaptationUnits {
  const { adaptationUnits } = store.tables
  const cached = new Map<string, { key: [string, number, string]; counts: Counts }>()
  const changed = new Set<string>()
  let generation = 0

  function clear(): void {
    cached.clear()
    changed.clear()
    generation += 1
  }
  function read(key: [string, number, string]): { counts: Counts | undefined; name: string } {
    const name = key.join(' ')
    return { counts: cached.get(name)?.counts ?? adaptationUnits.get(key), name }
  }
  function of(adaptationId: string): UnitCountsOf {
    let arms: [Arm, Arm] | undefined
    let loaded = -1
    function both(): [Arm, Arm] {
      if (arms === undefined || loaded !== generation) {
        arms = [sumArm(store, adaptationId, 0), sumArm(store, adaptationId, 1)]
        loaded = generation
      }
      return arms
    }
    return {
      sums: (arm, metric) => both()[arm][metric],
      add: (arm, unit, more) => {
        const sums = both()[arm]
        const key: [string, number, string] = [adaptationId, arm, unit]
        const { counts: before, name } = read(key)
        // A click whose search wasn't counted can't be put to it.
        if (before === undefined && (sums.units >= UNITS_MAX || more[0] === 0)) return
        const [searches, clicked, zero] = before ?? [0, 0, 0]
        const after: Counts = [searches + more[0], clicked + more[1], zero + more[2]]
        cached.set(name, { key, counts: after })
        changed.add(name)
        fold(sums, before, after)
      },
    }
  }
  return {
    of,
    save: () => {
      for (const name of changed) {
        const row = cached.get(name)
        if (row !== undefined) adaptationUnits.put(row.key, row.counts)
      }
      changed.clear()
      if (cached.size > CACHED_MAX) cached.clear()
    },
    clear,
    dropWithin: (adaptationId, limit) => {
      const keys = [...adaptationUnits.keys({ ...rangeOf(adaptationId, 0, 2), limit })]
      adaptationUnits.removeAll(keys)
      return keys.length
    },
    resetWithin: () => {
      adaptationUnits.clear()
    },
    forgetWithin: (units, adaptationIds) => {
      for (const adaptationId of adaptationIds)
        for (const unit of units)
          adaptationUnits.removeAll([
            [adaptationId, 0, unit],
            [adaptationId, 1, unit],
          ])
      clear()
    },
  }
}

function sumArm({ tables }: Store, adaptationId: string, arm: 0 | 1): Arm {
  const sums: Arm = { units: 0, ctr: NO_UNITS, zeroResultRate: NO_UNITS }
  for (const { value } of tables.adaptationUnits.range(rangeOf(adaptationId, arm, arm + 1))) {
    sums.units += 1
    sums.ctr = addUnit(sums.ctr, { x: value[1], y: value[0] })
    sums.zeroResultRate = addUnit(sums.zeroResultRate, { x: value[2], y: value[0] })
  }
  return sums
}

function fold(sums: Arm, before: Counts | undefined, after: Counts): void {
  const pairs = [
    ['ctr', 1],
    ['zeroResultRate', 2],
  ] as const
  for (const [metric, at] of pairs) {
    const now = { x: after[at], y: after[0] }
    sums[metric] =
      before === undefined
        ? addUnit(sums[metric], now)
        : updateUnit(sums[metric], { x: before[at], y: before[0] }, now)
  }
  if (before === undefined) sums.units += 1
}

function rangeOf(adaptationId: string, first: number, end: number) {
  return {
    start: [adaptationId, first, ''] as [string, number, string],
    end: [adaptationId, end, ''] as [string, number, string],
  }
}
