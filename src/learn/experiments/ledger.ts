import type { ExperimentRecord, SearchOutcome, UnitRow } from '../../schema/experiment-record.ts'
import type { Store } from '../../store/store.ts'
import { type Arm, armFrom, armRow, newArm, noCounts, replaceUnit, unitsOf } from './arms.ts'
import { COUNT, type Count } from './metrics.ts'

/** Units that one arm counts; those that come later are left out, of every arm alike. */
const ARM_UNITS_MAX = 500_000

/** Rows of evidence: what is stored, and what one transaction changes of it. */
export interface Ledger {
  /** By variant, in its order; an interleaved test has one arm. */
  arms: (record: ExperimentRecord) => Arm[]
  /** The unit's row to count on; undefined when there is no room for a new one. */
  unit: (record: ExperimentRecord, arm: number, unit: string) => UnitRow | undefined
  hasUnit: (id: string, unit: string) => boolean
  outcome: (queryId: string) => SearchOutcome | undefined
  setOutcome: (queryId: string, outcome: SearchOutcome) => void
  /** Inside a transaction: writes what changed. */
  save: () => void
  /** Forgets what is not written; arms are read anew when they are next wanted. */
  drop: () => void
  /** Inside a transaction: takes a unit out; says whether it was there. */
  removeUnit: (id: string, unit: string) => boolean
  /** Inside a transaction: removes at most `rows` units of an experiment; returns how many. */
  clearUnits: (id: string, rows: number) => number
  clearArms: (record: ExperimentRecord) => void
}

interface Changed {
  before: readonly number[] | undefined
  row: UnitRow
}

interface State {
  tables: Pick<Store['tables'], 'experimentArms' | 'experimentUnits' | 'experimentSearches'>
  arms: Map<string, Arm[]>
  changed: Map<string, Map<string, Changed>>
  outcomes: Map<string, SearchOutcome>
}

export function openLedger({ tables }: Store): Ledger {
  const state: State = { tables, arms: new Map(), changed: new Map(), outcomes: new Map() }
  const { arms, changed, outcomes } = state
  return {
    arms: (record) => armsOf(state, record),
    unit: (record, arm, unit) => unitOf(state, record, arm, unit),
    hasUnit: (id, unit) =>
      changed.get(id)?.has(unit) === true || tables.experimentUnits.has([id, unit]),
    outcome: (queryId) => outcomes.get(queryId) ?? tables.experimentSearches.get(queryId),
    setOutcome: (queryId, outcome) => outcomes.set(queryId, outcome),
    save: () => save(state),
    drop: () => {
      changed.clear()
      outcomes.clear()
      arms.clear()
    },
    removeUnit: (id, unit) => removeUnit(state, id, unit),
    clearUnits: (id, rows) => {
      const range = {
        start: [id, ''] as [string, string],
        end: [id, '\u{10ffff}'] as [string, string],
      }
      const keys = [...tables.experimentUnits.keys({ ...range, limit: rows })]
      for (const key of keys) tables.experimentUnits.remove(key)
      return keys.length
    },
    clearArms: ({ id, variants }) => {
      for (const at of variants.keys()) tables.experimentArms.remove([id, at])
      arms.delete(id)
    },
  }
}

/** Counts something of a unit. */
export function add(row: UnitRow, count: Count, value: number): void {
  row.counts[COUNT[count]] = (row.counts[COUNT[count]] ?? 0) + value
}

function armsOf({ tables, arms }: State, record: ExperimentRecord): Arm[] {
  const known = arms.get(record.id)
  if (known !== undefined) return known
  const count = record.mode === 'interleaving' ? 1 : record.variants.length
  const made = Array.from({ length: count }, (_, at) => {
    const row = tables.experimentArms.get([record.id, at])
    return row === undefined ? newArm() : armFrom(row)
  })
  arms.set(record.id, made)
  return made
}

function unitOf(
  state: State,
  record: ExperimentRecord,
  arm: number,
  unit: string,
): UnitRow | undefined {
  const units = state.changed.get(record.id) ?? new Map<string, Changed>()
  state.changed.set(record.id, units)
  const known = units.get(unit)
  if (known !== undefined) return known.row
  const stored = state.tables.experimentUnits.get([record.id, unit])
  const own = armsOf(state, record)[arm]
  if (own === undefined) return undefined
  if (stored === undefined && unitsOf(own) + units.size >= ARM_UNITS_MAX) {
    own.leftOut += 1
    return undefined
  }
  const row = stored ?? { arm, firstMs: 0, lastMs: 0, counts: noCounts() }
  // Rows that the table hands out may be shared: counting goes on a copy.
  const changed = { before: stored?.counts, row: { ...row, counts: [...row.counts] } }
  units.set(unit, changed)
  return changed.row
}

function save({ tables, arms, changed, outcomes }: State): void {
  for (const [id, units] of changed) {
    const own = arms.get(id) ?? []
    for (const [unit, { before, row }] of units) {
      const arm = own[row.arm]
      if (arm === undefined) continue
      replaceUnit(arm, before, row.counts)
      tables.experimentUnits.put([id, unit], row)
    }
    for (const [at, arm] of own.entries()) tables.experimentArms.put([id, at], armRow(arm))
  }
  for (const [queryId, outcome] of outcomes) tables.experimentSearches.put(queryId, outcome)
  changed.clear()
  outcomes.clear()
}

function removeUnit({ tables, arms }: State, id: string, unit: string): boolean {
  const row = tables.experimentUnits.get([id, unit])
  const stored = row === undefined ? undefined : tables.experimentArms.get([id, row.arm])
  if (row === undefined || stored === undefined) return false
  const arm = armFrom(stored)
  replaceUnit(arm, row.counts, undefined)
  tables.experimentArms.put([id, row.arm], armRow(arm))
  tables.experimentUnits.remove([id, unit])
  arms.delete(id)
  return true
}
