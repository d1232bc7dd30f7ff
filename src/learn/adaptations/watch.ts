import type { AdaptationRecord, ArmTotals } from '../../schema/adaptation-record.ts'
import { isFirstPage } from '../../schema/plan.ts'
import type { Store } from '../../store/store.ts'
import { type Consumer, type FeedbackFact, type Impression, listOf } from '../facts.ts'
import type { Clicks } from '../patterns/clicks.ts'
import { latencyBucket } from '../statistics/latency-histogram.ts'
import { HOUR_MS } from '../wire/duration.ts'
import { countClick, countSearch } from './figures.ts'
import {
  type ArmName,
  type Arms,
  emptyArms,
  type Minutes,
  openMinutes,
  readTotals,
  removeMinutesWithin,
  resetMinutesWithin,
  YOUNGEST_MS,
} from './minutes.ts'
import { EVERY_QUERY } from './ranking-content.ts'
import { openUnitCounts, type UnitCountsOf } from './units.ts'

/** Counts the searches with each change and, of the same time and queries, those without it. */
export interface Watch extends Consumer {
  /** Which changes to count from now on. */
  follow: (records: Iterable<AdaptationRecord>) => void
  /** Since the change came. */
  totals: (adaptationId: string) => Arms
  /** Searches since `sinceMs`, in minutes that had ended at `endedMs`. */
  window: (adaptationId: string, sinceMs: number, endedMs?: number) => Arms
  /** By unit; undefined when the change isn't followed. */
  units: (adaptationId: string) => UnitCountsOf | undefined
  /** All searches of the last hour. */
  recent: (nowMs: number) => ArmTotals
  /** Inside a transaction: removes some of what only a change in force needs; returns how many rows. */
  dropWithin: (adaptationId: string, limit: number) => number
}

interface Followed {
  adaptationId: string
  /** As impressions name it. */
  name: string
  scope: string
  sinceMs: number
  minutes: Minutes
  units: UnitCountsOf
}

/** A change that a search speaks of, and in which arm it counts. */
interface Concerned {
  one: Followed
  arm: ArmName
}

const RECENT_MS = HOUR_MS
const NOTHING: readonly Concerned[] = []

export function openWatch(store: Store, clicks: Clicks): Watch {
  const units = openUnitCounts(store)
  const everything = openMinutes(store, EVERY_QUERY)
  let followed = new Map<string, Followed>()
  let byScope = new Map<string, Followed[]>()

  function load(): void {
    units.clear()
    everything.load()
    for (const { minutes } of followed.values()) minutes.load()
  }
  function count(impression: Impression, into: (arm: ArmTotals) => void): void {
    into(everything.minute(impression.timeMs).without)
    for (const { one, arm } of concerned(byScope, impression))
      for (const arms of [one.minutes.totals(), one.minutes.minute(impression.timeMs)])
        into(arms[arm])
  }
  function takeSearch(impression: Impression): void {
    const { unit, tookMs } = impression
    const bucket = latencyBucket(tookMs)
    count(impression, (arm) => countSearch(arm, impression, bucket))
    if (unit === undefined) return
    for (const each of concerned(byScope, impression)) countUnit(each, unit, impression)
  }
  function takeFeedback(fact: FeedbackFact): void {
    const impression = ofCounted(fact)
    const unit = impression?.unit
    const click = clicks.bestOfList(fact)
    if (impression === undefined || unit === undefined || click === undefined) return
    count(impression, (arm) => countClick(arm, click.best, click.before))
    if (click.before !== undefined) return
    for (const { one, arm } of concerned(byScope, impression))
      one.units.add(arm, unit, [0, 1, 0, 0])
  }
  function follow(records: Iterable<AdaptationRecord>): void {
    const each = Array.from(records, (record) => {
      const known = followed.get(record.adaptationId)
      if (known === undefined) return openFollowed(store, units.of, record)
      return { ...known, sinceMs: record.canaryMs ?? 0 }
    })
    followed = new Map(each.map((one) => [one.adaptationId, one]))
    byScope = groupByScope(each)
  }
  return {
    name: 'adaptations',
    follow,
    totals: (adaptationId) =>
      followed.get(adaptationId)?.minutes.totals() ?? readTotals(store, adaptationId),
    window: (adaptationId, sinceMs, endedMs) =>
      followed.get(adaptationId)?.minutes.since(sinceMs, endedMs) ?? emptyArms(),
    units: (adaptationId) => followed.get(adaptationId)?.units,
    recent: (nowMs) => everything.since(nowMs - RECENT_MS, nowMs + YOUNGEST_MS).without,
    dropWithin: (adaptationId, limit) =>
      removeMinutesWithin(store, adaptationId, limit) + units.dropWithin(adaptationId, limit),
    load,
    take: (fact) => {
      if (fact.kind === 'search' && isFirstPage(fact.impression)) takeSearch(fact.impression)
      if (fact.kind === 'feedback') takeFeedback(fact)
    },
    save: () => {
      everything.save()
      for (const { minutes } of followed.values()) minutes.save()
      units.save()
    },
    forget: ({ names }) => units.forgetWithin(names, followed.keys()),
    reset: () => {
      // What is not followed any more can't be counted anew, and its totals name nobody.
      for (const adaptationId of [EVERY_QUERY, ...followed.keys()])
        resetMinutesWithin(store, adaptationId)
      units.resetWithin()
      load()
    },
  }
}

/**
 * What a click counts for: pages keep what applied to the first one, which was counted when it was shown. Of a further
 * page whose list is not known no search was counted.
 */
function ofCounted({ impression }: FeedbackFact): Impression | undefined {
  if (impression === undefined || isFirstPage(impression)) return impression
  return impression.list === undefined
    ? undefined
    : { ...impression, timeMs: listOf(impression).timeMs }
}

/** The rows of units go when the change does: its totals, which stay, keep how many there were. */
function countUnit({ one, arm }: Concerned, unit: string, { total, tookMs }: Impression): void {
  one.units.add(arm, unit, [1, 0, total === 0 ? 1 : 0, tookMs])
  one.minutes.totals()[arm].units = one.units.sums(arm, 'ctr').units
}

/** Searches of somebody without a change are compared with those that had it. */
function concerned(
  byScope: ReadonlyMap<string, Followed[]>,
  impression: Impression,
): readonly Concerned[] {
  if (byScope.size === 0) return NOTHING
  return [EVERY_QUERY, impression.queryHash].flatMap((scope) =>
    (byScope.get(scope) ?? []).flatMap((one): Concerned | Concerned[] => {
      if (impression.adaptations.includes(one.name)) return { one, arm: 'with' }
      const isCompared = impression.unit !== undefined && impression.timeMs >= one.sinceMs
      return isCompared ? { one, arm: 'without' } : []
    }),
  )
}

function groupByScope(each: readonly Followed[]): Map<string, Followed[]> {
  const groups = new Map<string, Followed[]>()
  for (const one of each) groups.set(one.scope, [...(groups.get(one.scope) ?? []), one])
  return groups
}

function openFollowed(
  store: Store,
  unitsOf: (adaptationId: string) => UnitCountsOf,
  { adaptationId, version, scope, canaryMs = 0 }: AdaptationRecord,
): Followed {
  return {
    adaptationId,
    name: `${adaptationId}@${version}`,
    scope,
    sinceMs: canaryMs,
    minutes: openMinutes(store, adaptationId),
    units: unitsOf(adaptationId),
  }
}
