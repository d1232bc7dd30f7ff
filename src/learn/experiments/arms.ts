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
  /** By metric. */
  sums: Map<string, UnitSums>
  /** Searches by latency bucket. */
  latency: Uint32Array
  leftOut: number
  stepSinceMs: number
  stepUnits: number
}

/**
 * Units that an arm counts: once one is full, those that come later are left out of every arm alike. Of a reported metric,
 * each arm counts as many by itself.
 */
export const ARM_UNITS_MAX = 500_000

type Summed = Omit<Metric, 'name'> & { name: string }

const SUMMED: readonly Summed[] = [...METRICS, PREFERENCE]
const RATING = 'rating'
/** The order of sums in rows of earlier versions, which had no names. */
const EARLIER_ORDER = [
  'ctr',
  'mrr',
  'zeroResultRate',
  'conversionRate',
  'latencyMs',
  RATING,
  PREFERENCE.name,
]

export function newArm(): Arm {
  return {
    sums: new Map(SUMMED.map(({ name }) => [name, NO_UNITS])),
    latency: new Uint32Array(LATENCY_BUCKETS),
    leftOut: 0,
    stepSinceMs: 0,
    stepUnits: 0,
  }
}

/** Units of an arm that searched. */
export function unitsOf(arm: Arm): number {
  return arm.sums.get('ctr')?.units ?? 0
}

/** The sums of a metric; none for one that isn't counted. */
export function sumsOf(arm: Arm, name: string): UnitSums | undefined {
  return arm.sums.get(name)
}

/** Searches of an arm. */
export function searchesOf(arm: Arm): number {
  return arm.sums.get('ctr')?.y ?? 0
}

/** What a unit has done that has not searched yet, in the order of `COUNTS`. */
export function noCounts(): number[] {
  return COUNTS.map(() => 0)
}

/** Takes a unit as it was out of the arm and puts it in as it is now; undefined where it is not. */
export function replaceUnit(
  arm: Arm,
  before: readonly number[] | undefined,
  after: readonly number[] | undefined,
): void {
  for (const metric of SUMMED)
    replaceIn(arm, metric.name, countsOf(metric, before), countsOf(metric, after))
}

/** Sums as they are written; `sumsFrom` reads them. */
export function sumsRow({ units, x, xx, y, yy, xy }: UnitSums): SumsRow {
  return [units, x, xx, y, yy, xy]
}

export function sumsFrom([units, x, xx, y, yy, xy]: SumsRow): UnitSums {
  return { units, x, xx, y, yy, xy }
}

export function armRow({ sums, latency, ...same }: Arm): ArmRow {
  const named = [...sums].map(([name, each]) => [name, sumsRow(each)])
  return { ...same, sums: Object.fromEntries(named), latency: [...latency] }
}

/** What a row says; a metric that it doesn't know has no units. */
export function armFrom({ sums, latency, ...same }: ArmRow): Arm {
  const arm = { ...newArm(), ...same, latency: Uint32Array.from(latency) }
  for (const [key, row] of Object.entries(sums)) {
    const name = Array.isArray(sums) ? EARLIER_ORDER[Number(key)] : key
    if (name !== undefined && arm.sums.has(name)) arm.sums.set(name, sumsFrom(row))
  }
  // Rows of earlier versions took every unit for one that rated; at most, each rating is of another.
  const rating = arm.sums.get(RATING)
  if (Array.isArray(sums) && rating !== undefined)
    arm.sums.set(RATING, { ...rating, units: Math.min(rating.units, rating.y) })
  return arm
}

/** Whether a row tells of every metric all that its units' rows would. */
export function isWhole({ sums }: ArmRow): boolean {
  return !Array.isArray(sums) && SUMMED.every(({ name }) => Object.hasOwn(sums, name))
}

function replaceIn(
  arm: Arm,
  name: string,
  before: UnitCounts | undefined,
  after: UnitCounts | undefined,
): void {
  if (before?.x === after?.x && before?.y === after?.y) return
  let sums = arm.sums.get(name) ?? NO_UNITS
  if (before !== undefined) sums = subtractUnit(sums, before)
  if (after !== undefined) sums = addUnit(sums, after)
  arm.sums.set(name, sums)
}

/** Undefined for a unit without a denominator: one that rated nothing says nothing of ratings. */
function countsOf({ x, y }: Summed, counts: readonly number[] | undefined): UnitCounts | undefined {
  const of = counts?.[COUNT[y]] ?? 0
  return of === 0 ? undefined : { x: counts?.[COUNT[x]] ?? 0, y: of }
}
