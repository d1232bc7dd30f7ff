import type { AdaptationUnitRow } from '../../schema/adaptation-record.ts'
import type { Store } from '../../store/store.ts'
import { addUnit, NO_UNITS, type UnitSums, updateUnit } from '../statistics/sums.ts'
import type { ArmName } from './minutes.ts'

/** What is summed over units, and where their rows have it. */
const SUMMED = { ctr: 1, zeroResultRate: 2, tookMs: 3 } as const
export type SummedByUnit = keyof typeof SUMMED

const SUMMED_NAMES = Object.keys(SUMMED) as SummedByUnit[]

/** Arms as keys of rows have them. */
const NUMBERS = { without: 0, with: 1 } as const satisfies Record<ArmName, number>
/** No arm has this number, or a greater one. */
const NUMBERS_END = 2

/** The units of one adaptation. */
export interface UnitCountsOf {
  add: (arm: ArmName, unit: string, more: Required<AdaptationUnitRow>) => void
  /** Sums over the units: x is clicked searches, such without results, or the time that they took in ms; y searches. */
  sums: (arm: ArmName, name: SummedByUnit) => UnitSums
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
  sums: Record<SummedByUnit, UnitSums>
}

/** Units of one arm that are told apart; what further ones do counts in the totals alone. */
const UNITS_MAX = 20_000
/** Rows held in memory between two writes. */
const CACHED_MAX = 20_000

/** Counts by unit, so that one busy unit isn't taken for many. */
export function openUnitCounts(store: Store): AdaptationUnits {
  const { adaptationUnits } = store.tables
  const cached = new Map<string, { key: [string, number, string]; counts: AdaptationUnitRow }>()
  const changed = new Set<string>()
  let generation = 0

  function clear(): void {
    cached.clear()
    changed.clear()
    generation += 1
  }
  function read(key: [string, number, string]) {
    const name = key.join(' ')
    return { counts: cached.get(name)?.counts ?? adaptationUnits.get(key), name }
  }
  function of(adaptationId: string): UnitCountsOf {
    let arms: Record<ArmName, Arm> | undefined
    let loaded = -1
    function both(): Record<ArmName, Arm> {
      if (arms === undefined || loaded !== generation) {
        const armOf = (arm: ArmName) => sumArm(store, adaptationId, arm)
        arms = { without: armOf('without'), with: armOf('with') }
        loaded = generation
      }
      return arms
    }
    return {
      sums: (arm, name) => both()[arm].sums[name],
      add: (arm, unit, more) => {
        const counted = both()[arm]
        const key: [string, number, string] = [adaptationId, NUMBERS[arm], unit]
        const { counts: before, name } = read(key)
        // A click whose search wasn't counted can't be put to it.
        if (before === undefined && (counted.units >= UNITS_MAX || more[0] === 0)) return
        const after = added(before ?? [0, 0, 0, 0], more)
        cached.set(name, { key, counts: after })
        changed.add(name)
        fold(counted, before, after)
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
      const keys = [...adaptationUnits.keys({ ...rangeOf(adaptationId, 0, NUMBERS_END), limit })]
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
            [adaptationId, NUMBERS.without, unit],
            [adaptationId, NUMBERS.with, unit],
          ])
      clear()
    },
  }
}

/** The time of a row of before stays unknown: it would be that of some of its searches. */
function added(
  [searches, clicked, zeroResults, tookMs]: AdaptationUnitRow,
  more: Required<AdaptationUnitRow>,
): AdaptationUnitRow {
  const row: AdaptationUnitRow = [searches + more[0], clicked + more[1], zeroResults + more[2]]
  if (tookMs !== undefined) row.push(tookMs + more[3])
  return row
}

function sumArm({ tables }: Store, adaptationId: string, arm: ArmName): Arm {
  const counted: Arm = {
    units: 0,
    sums: { ctr: NO_UNITS, zeroResultRate: NO_UNITS, tookMs: NO_UNITS },
  }
  const number = NUMBERS[arm]
  for (const { value } of tables.adaptationUnits.range(rangeOf(adaptationId, number, number + 1)))
    fold(counted, undefined, value)
  return counted
}

function fold(counted: Arm, before: AdaptationUnitRow | undefined, after: AdaptationUnitRow): void {
  for (const name of SUMMED_NAMES) {
    const [then, x] = [before?.[SUMMED[name]], after[SUMMED[name]]]
    if (x === undefined) continue
    const now = { x, y: after[0] }
    counted.sums[name] =
      before === undefined || then === undefined
        ? addUnit(counted.sums[name], now)
        : updateUnit(counted.sums[name], { x: then, y: before[0] }, now)
  }
  if (before === undefined) counted.units += 1
}

function rangeOf(adaptationId: string, first: number, end: number) {
  return {
    start: [adaptationId, first, ''] as [string, number, string],
    end: [adaptationId, end, ''] as [string, number, string],
  }
}
