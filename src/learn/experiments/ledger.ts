import type {
  ArmRow,
  ExperimentRecord,
  SearchOutcome,
  UnitRow,
} from '../../schema/experiment-record.ts'
import type { Store } from '../../store/store.ts'
import {
  ARM_UNITS_MAX,
  type Arm,
  armFrom,
  armRow,
  isWhole,
  newArm,
  noCounts,
  replaceUnit,
  unitsOf,
} from './arms.ts'
import { COUNT, type Count } from './metrics.ts'

/** Rows of evidence: what is stored, and what one transaction changes of it. */
export interface Ledger {
  /** By variant, in its order; an interleaved test has one arm. To be read. */
  arms: (record: ExperimentRecord) => readonly Arm[]
  /** The same, to be counted on: held in memory until `drop`, with what `save` is to write. */
  counting: (record: ExperimentRecord) => readonly Arm[]
  /** The unit's row to count on; undefined when there is no room for a new one. */
  unit: (record: ExperimentRecord, arm: number, unit: string) => UnitRow | undefined
  hasUnit: (id: string, unit: string) => boolean
  /** The arm that a unit searched in; undefined when it did not search. */
  armOf: (record: ExperimentRecord, unit: string) => number | undefined
  outcome: (queryId: string) => SearchOutcome | undefined
  setOutcome: (queryId: string, outcome: SearchOutcome) => void
  /** Inside a transaction: forgets what came of searches. */
  removeOutcomesWithin: (queryIds: string[]) => void
  /** Inside a transaction: writes what changed. */
  save: () => void
  /** Forgets what is not written; arms are read anew when they are next wanted. */
  drop: () => void
  /** Inside a transaction: takes a unit out; says whether it was there. */
  removeUnitWithin: (record: ExperimentRecord, unit: string) => boolean
  /** Inside a transaction: removes at most `rows` units of an experiment; returns how many. */
  clearUnitsWithin: (id: string, rows: number) => number
  /** Inside a transaction: no arms at all, for one that is removed. */
  clearArmsWithin: (record: ExperimentRecord) => void
}

interface Changed {
  before: readonly number[] | undefined
  row: UnitRow
}

interface State {
  tables: Pick<Store['tables'], 'experimentArms' | 'experimentUnits' | 'experimentSearches'>
  arms: Map<string, Arm[]>
  changed: Map<string, Map<string, Changed>>
  /** Arms that `save` is to write, by experiment: of a hundred, a few searches change a few. */
  counted: Map<string, Set<number>>
  outcomes: Map<string, SearchOutcome>
}

export function openLedger({ tables }: Store): Ledger {
  const state: State = {
    tables,
    arms: new Map(),
    changed: new Map(),
    counted: new Map(),
    outcomes: new Map(),
  }
  const { arms, changed, counted, outcomes } = state
  return {
    // Not held for `counting`: what was just written may not be seen yet where somebody only reads.
    arms: (record) => arms.get(record.id) ?? readRows(state, record).map(readArm),
    counting: (record) => armsOf(state, record),
    unit: (record, arm, unit) => countedUnit(state, record, arm, unit),
    hasUnit: (id, unit) =>
      changed.get(id)?.has(unit) === true || tables.experimentUnits.has([id, unit]),
    armOf: ({ id }, unit) =>
      changed.get(id)?.get(unit)?.row.arm ?? tables.experimentUnits.get([id, unit])?.arm,
    outcome: (queryId) => outcomes.get(queryId) ?? tables.experimentSearches.get(queryId),
    setOutcome: (queryId, outcome) => outcomes.set(queryId, outcome),
    removeOutcomesWithin: (queryIds) => tables.experimentSearches.removeAll(queryIds),
    save: () => save(state),
    drop: () => {
      changed.clear()
      counted.clear()
      outcomes.clear()
      arms.clear()
    },
    removeUnitWithin: (record, unit) => removeUnitWithin(state, record, unit),
    clearUnitsWithin: (id, rows) => {
      const keys = [...tables.experimentUnits.keys({ ...unitsIn(id), limit: rows })]
      tables.experimentUnits.removeAll(keys)
      return keys.length
    },
    clearArmsWithin: ({ id, variants }) => {
      for (const at of variants.keys()) tables.experimentArms.remove([id, at])
      arms.delete(id)
    },
  }
}

/** Counts something of a unit. */
export function add(row: UnitRow, count: Count, value: number): void {
  row.counts[COUNT[count]] = (row.counts[COUNT[count]] ?? 0) + value
}

function armsOf(state: State, record: ExperimentRecord): Arm[] {
  const known = state.arms.get(record.id)
  if (known !== undefined) return known
  const rows = readRows(state, record)
  const read = rows.map(readArm)
  if (record.endedMs === undefined && !rows.every((row) => row === undefined || isWhole(row))) {
    countAnew(state, record.id, read)
    for (const at of read.keys()) noteCounted(state, record.id, at)
  }
  state.arms.set(record.id, read)
  return read
}

function noteCounted({ counted }: State, id: string, arm: number): void {
  const own = counted.get(id) ?? new Set()
  counted.set(id, own.add(arm))
}

function readRows({ tables }: State, { id, mode, variants }: ExperimentRecord) {
  const count = mode === 'interleaving' ? 1 : variants.length
  return Array.from({ length: count }, (_, at) => tables.experimentArms.get([id, at]))
}

function readArm(row: ArmRow | undefined): Arm {
  return row === undefined ? newArm() : armFrom(row)
}

/**
 * Rows of earlier versions lack some sums. Units that are not in them could not be taken out to be put in again, so
 * they are counted anew.
 */
function countAnew({ tables }: State, id: string, arms: readonly Arm[]): void {
  for (const arm of arms) arm.sums = newArm().sums
  for (const { value } of tables.experimentUnits.range(unitsIn(id))) {
    const arm = arms[value.arm]
    if (arm !== undefined) replaceUnit(arm, undefined, value.counts)
  }
}

function unitsIn(id: string): { start: [string, string]; end: [string, string] } {
  return { start: [id, ''], end: [id, '\u{10ffff}'] }
}

function countedUnit(
  state: State,
  record: ExperimentRecord,
  arm: number,
  unit: string,
): UnitRow | undefined {
  noteCounted(state, record.id, arm)
  const units = state.changed.get(record.id) ?? new Map<string, Changed>()
  state.changed.set(record.id, units)
  const known = units.get(unit)
  if (known !== undefined) return known.row
  const stored = state.tables.experimentUnits.get([record.id, unit])
  const arms = armsOf(state, record)
  const own = arms[arm]
  if (own === undefined) return undefined
  if (stored === undefined && Math.max(...arms.map(unitsOf)) + units.size >= ARM_UNITS_MAX) {
    own.leftOut += 1
    return undefined
  }
  const row = stored ?? { arm, firstMs: 0, lastMs: 0, counts: noCounts() }
  // Rows that the table hands out may be shared: counting goes on a copy.
  const changed = { before: stored?.counts, row: { ...row, counts: [...row.counts] } }
  units.set(unit, changed)
  return changed.row
}

function save(state: State): void {
  const { tables, arms, changed, counted, outcomes } = state
  for (const [id, units] of changed) {
    const own = arms.get(id) ?? []
    for (const [unit, { before, row }] of units) {
      const arm = own[row.arm]
      if (arm === undefined) continue
      replaceUnit(arm, before, row.counts)
      // A search may name another arm than the one that its unit was counted in before.
      noteCounted(state, id, row.arm)
      tables.experimentUnits.put([id, unit], row)
    }
  }
  for (const [id, own] of counted)
    for (const at of own) {
      const arm = arms.get(id)?.[at]
      if (arm !== undefined) tables.experimentArms.put([id, at], armRow(arm))
    }
  for (const [queryId, outcome] of outcomes) tables.experimentSearches.put(queryId, outcome)
  changed.clear()
  counted.clear()
  outcomes.clear()
}

function removeUnitWithin(state: State, record: ExperimentRecord, unit: string): boolean {
  const { experimentArms, experimentUnits } = state.tables
  const row = experimentUnits.get([record.id, unit])
  if (row === undefined) return false
  const arm = armsOf(state, record)[row.arm]
  if (arm !== undefined) {
    replaceUnit(arm, row.counts, undefined)
    experimentArms.put([record.id, row.arm], armRow(arm))
  }
  return experimentUnits.remove([record.id, unit])
}
