import { invalid } from '../../errors.ts'
import type { ExperimentRecord } from '../../schema/experiment-record.ts'
import type { Store } from '../../store/store.ts'
import type { Range } from '../../store/table.ts'
import { addUnit, joinSums, NO_UNITS, subtractUnit, type UnitSums } from '../statistics/sums.ts'
import { ARM_UNITS_MAX, sumsFrom, sumsRow } from './arms.ts'
import { metricName } from './metrics.ts'

/** Metrics that others measure and report: errors of an app, revenue, time on a page. */
export interface Reported {
  /**
   * Inside a transaction: counts values of one unit in an arm; a value without a unit is a unit of its own. Returns
   * how many were counted. Throws VALIDATION_FAILED when there are too many metrics.
   */
  recordWithin: (report: Report) => number
  /** The arm that a unit's values count in so far. */
  armOf: (id: string, unit: string) => number | undefined
  /** Sums by metric and arm; an interleaved list is one arm, in whichever its values were counted. */
  sums: (record: ExperimentRecord) => Map<string, UnitSums[]>
  /** Inside a transaction: takes a unit out; says whether it was there. */
  removeUnitWithin: (id: string, unit: string) => boolean
  /** Inside a transaction: removes at most `rows` rows of units; returns how many. */
  clearUnitsWithin: (id: string, rows: number) => number
  /** Inside a transaction: no sums at all, for one that is removed. */
  clearSumsWithin: (id: string) => void
}

interface Report {
  experiment: ExperimentRecord
  arm: number
  unit: string | undefined
  metrics: Record<string, number>
}

const METRICS_MAX = 50
/** Beside a square so many times as great, sums of squares lose more than a ten millionth. */
const SWALLOWING = 2 ** 30
/** Behind every text that a key may hold. */
const LAST = '\u{10ffff}'

export function openReported({ tables }: Store): Reported {
  const { experimentReported, experimentObserved } = tables

  function sums({ id, mode, variants }: ExperimentRecord): Map<string, UnitSums[]> {
    const found = new Map<string, UnitSums[]>()
    const none = mode === 'interleaving' ? [NO_UNITS] : variants.map(() => NO_UNITS)
    for (const { key, value } of experimentReported.range(reportedOf(id))) {
      const arms = found.get(key[1]) ?? [...none]
      const arm = mode === 'interleaving' ? 0 : key[2]
      arms[arm] = joinSums(arms[arm] ?? NO_UNITS, sumsFrom(value))
      found.set(key[1], arms)
    }
    return found
  }
  function countWithin(
    [id, metric, given]: [string, string, number],
    unit: string | undefined,
    value: number,
  ): boolean {
    const before = unit === undefined ? undefined : experimentObserved.get([id, unit, metric])
    // What the unit had is in the sums of the arm it was counted in: that one takes the rest too.
    const [arm, x, y] = before ?? [given, 0, 0]
    const key: [string, string, number] = [id, metric, arm]
    const stored = experimentReported.get(key)
    let own = stored === undefined ? NO_UNITS : sumsFrom(stored)
    if (before === undefined && own.units >= ARM_UNITS_MAX) return false
    if (before !== undefined) own = subtractUnit(own, { x, y })
    own = addUnit(own, { x: x + value, y: y + 1 })
    if (unit !== undefined) experimentObserved.put([id, unit, metric], [arm, x + value, y + 1])
    experimentReported.put(key, sumsRow(own))
    return true
  }
  return {
    recordWithin: ({ experiment, arm, unit, metrics }) => {
      const names = new Set(sums(experiment).keys())
      let counted = 0
      for (const [sent, value] of Object.entries(metrics)) {
        const name = metricName(sent)
        names.add(name)
        if (names.size > METRICS_MAX)
          throw invalid('metrics', `must be at most ${METRICS_MAX} different ones in an experiment`)
        if (countWithin([experiment.id, name, arm], unit, value)) counted += 1
      }
      return counted
    },
    armOf: (id, unit) => {
      const [first] = experimentObserved.range({ ...observedOf(id, unit), limit: 1 })
      return first?.value[0]
    },
    sums,
    removeUnitWithin: (id, unit) => {
      const rows = [...experimentObserved.range(observedOf(id, unit))]
      for (const { key, value } of rows) removeRowWithin(tables, key, value)
      return rows.length > 0
    },
    clearUnitsWithin: (id, rows) => {
      const keys = [...experimentObserved.keys({ ...observedOf(id), limit: rows })]
      experimentObserved.removeAll(keys)
      return keys.length
    },
    clearSumsWithin: (id) => {
      const keys = [...experimentReported.keys(reportedOf(id))]
      experimentReported.removeAll(keys)
    },
  }
}

/** Where the sums of an experiment lie. */
function reportedOf(id: string): Range<[string, string, number]> {
  return { start: [id, '', 0], end: [id, LAST, 0] }
}

/** Where lies what a unit reported, or what all units of an experiment did. */
function observedOf(id: string, unit?: string): Range<[string, string, string]> {
  return unit === undefined
    ? { start: [id, '', ''], end: [id, LAST, ''] }
    : { start: [id, unit, ''], end: [id, unit, LAST] }
}

/** What a unit reported of one metric goes, also out of the sums. */
function removeRowWithin(
  tables: Store['tables'],
  key: [string, string, string],
  [arm, x, y]: [number, number, number],
): void {
  const { experimentReported, experimentObserved } = tables
  experimentObserved.remove(key)
  const place: [string, string, number] = [key[0], key[2], arm]
  const own = experimentReported.get(place)
  if (own === undefined) return
  const left = subtractUnit(sumsFrom(own), { x, y })
  // A great value has swallowed small ones: those come back where all have a row.
  const again = x * x > SWALLOWING * left.xx ? countAnew(tables, place) : left
  experimentReported.put(place, sumsRow(again.units === left.units ? again : left))
}

/** Sums of what has a unit, in one arm. */
function countAnew(
  { experimentObserved }: Store['tables'],
  [id, metric, arm]: [string, string, number],
): UnitSums {
  let sums = NO_UNITS
  for (const { key, value } of experimentObserved.range(observedOf(id)))
    if (key[2] === metric && value[0] === arm) sums = addUnit(sums, { x: value[1], y: value[2] })
  return sums
}
