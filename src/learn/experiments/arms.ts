import type { ArmRow, SumsRow } from '../../schema/experiment-record.ts'
import { LATENCY_BUCKETS } from '../statistics/latency-histogram.ts'
import {
  addUnit,
  NO_UNITS,
  subtractUnit,
  type UnitCounts,
  type UnitSums,
} from '../statistics/sums.ts'
import { COUNT, COUNTS, METRICS, type Metric, PREFERENCE } from './metrics.ts'

/** What the units of one arm did, as it is counted and compared. */
export interface Arm {
  sums: UnitSums[]
  /** Searches by latency bucket. */
  latency: Uint32Array
  leftOut: number
  stepSinceMs: number
  stepUnits: number
}

export function newArm(): Arm {
  return {
    sums: Array.from({ length: PREFERENCE + 1 }, () => NO_UNITS),
    latency: new Uint32Array(LATENCY_BUCKETS),
    leftOut: 0,
    stepSinceMs: 0,
    stepUnits: 0,
  }
}

/** Units of an arm that searched. */
export function unitsOf(arm: Arm): number {
  return arm.sums[0]?.units ?? 0
}

/** The sums of a metric; none for one that isn't compared. */
export function sumsOf(arm: Arm, name: string): UnitSums | undefined {
  return arm.sums[METRICS.findIndex((metric) => metric.name === name)]
}

/** Searches of an arm. */
export function searchesOf(arm: Arm): number {
  return arm.sums[0]?.y ?? 0
}

export function noCounts(): number[] {
  return COUNTS.map(() => 0)
}

/** Takes a unit as it was out of the arm and puts it in as it is now; undefined where it is not. */
export function replaceUnit(
  arm: Arm,
  before: readonly number[] | undefined,
  after: readonly number[] | undefined,
): void {
  for (const [at, metric] of METRICS.entries())
    replaceAt(arm, at, countsOf(metric, before), countsOf(metric, after))
  replaceAt(arm, PREFERENCE, preferenceOf(before), preferenceOf(after))
}

export function sumsRow({ units, x, xx, y, yy, xy }: UnitSums): SumsRow {
  return [units, x, xx, y, yy, xy]
}

export function sumsFrom([units, x, xx, y, yy, xy]: SumsRow): UnitSums {
  return { units, x, xx, y, yy, xy }
}

export function armRow({ sums, latency, ...same }: Arm): ArmRow {
  return { ...same, sums: sums.map(sumsRow), latency: [...latency] }
}

export function armFrom({ sums, latency, ...same }: ArmRow): Arm {
  return { ...same, sums: sums.map(sumsFrom), latency: Uint32Array.from(latency) }
}

function replaceAt(
  arm: Arm,
  at: number,
  before: UnitCounts | undefined,
  after: UnitCounts | undefined,
): void {
  if (before?.x === after?.x && before?.y === after?.y) return
  let sums = arm.sums[at] ?? NO_UNITS
  if (before !== undefined) sums = subtractUnit(sums, before)
  if (after !== undefined) sums = addUnit(sums, after)
  arm.sums[at] = sums
}

function countsOf({ x, y }: Metric, counts: readonly number[] | undefined): UnitCounts | undefined {
  return counts && { x: counts[COUNT[x]] ?? 0, y: counts[COUNT[y]] ?? 0 }
}

/** Units without a winner stay out. */
function preferenceOf(counts: readonly number[] | undefined): UnitCounts | undefined {
  const decided = counts?.[COUNT.decided] ?? 0
  return decided === 0 ? undefined : { x: counts?.[COUNT.wins] ?? 0, y: decided }
}
