import { ownValue } from '../../object.ts'
import type { FeedbackPattern } from '../../schema/pattern-record.ts'
import { isFirstPage } from '../../schema/plan.ts'
import type { Store } from '../../store/store.ts'
import { beginningOf } from '../../word.ts'
import {
  type Consumer,
  type FeedbackEntry,
  type FeedbackFact,
  type Impression,
  listOf,
} from '../facts.ts'
import { GROUPS } from '../loop/fold.ts'
import type { Clicks } from './clicks.ts'
import { openTopRows, type TopRows } from './top-rows.ts'

/** How people answer to what they are shown: by action, position, device and rating. */
export interface FeedbackCounts extends Consumer {
  counts: TopRows<FeedbackPattern>
}

/** The only row of a period. */
export const ALL = ''
/** Further actions and devices are counted as `other`. */
const ACTIONS_MAX = 64
const DEVICES_MAX = 32
const DEVICE_CHARACTERS_MAX = 64
/** Hits below are not counted by position. */
const POSITIONS_MAX = 50
const RATING_STEPS = 10

export function openFeedbackCounts(store: Store, clicks: Clicks): FeedbackCounts {
  const counts = openTopRows({
    name: 'feedback patterns',
    meta: store.tables.meta,
    release: store.release,
    table: store.tables.feedbackPatterns,
    pack: (row) => row,
    unpack: (row) => row,
    hourRowsMax: 1,
    fresh,
    weight: ({ entries }) => entries,
    add,
    join: add,
  })
  return {
    name: 'feedback patterns',
    group: GROUPS.patterns,
    counts,
    load: counts.load,
    take: (fact) => {
      if (fact.kind === 'search') takeSearch(fact.impression, counts)
      else if (fact.kind === 'feedback') takeFeedback(fact, clicks, counts)
    },
    save: counts.save,
    reset: counts.reset,
  }
}

function takeSearch(impression: Impression, counts: TopRows<FeedbackPattern>): void {
  counts.pass(impression.timeMs)
  // Nobody's searches can't be clicked.
  if (impression.unit !== undefined) counts.count(impression.timeMs, ALL, countShown, impression)
}

function takeFeedback(fact: FeedbackFact, clicks: Clicks, counts: TopRows<FeedbackPattern>): void {
  const { receivedMs, entry, impression } = fact
  const deviceType = impression?.deviceType
  counts.pass(receivedMs)
  // When it was told, as in reports: what is dated ahead, or long ago, is counted too.
  counts.count(receivedMs, ALL, countEntry, { entry, deviceType })
  const click = clicks.bestOfList(fact)
  if (impression?.unit === undefined || click === undefined) return
  const { timeMs } = listOf(impression)
  if (click.before === undefined) counts.count(timeMs, ALL, countClicked, { deviceType })
  const position = clicks.firstOfList(fact)
  if (position !== undefined) counts.count(timeMs, ALL, countPlaced, position)
}

function countShown(row: FeedbackPattern, impression: Impression): void {
  const { from, page, deviceType } = impression
  deviceOf(row, deviceType).searches += isFirstPage(impression) ? 1 : 0
  for (let hit = 0; hit < page.hits.length; hit += 1) {
    const place = placeOf(row, from + hit)
    if (place !== undefined) place[0] += 1
  }
}

interface Answered {
  deviceType: string | undefined
}

function countEntry(
  row: FeedbackPattern,
  { entry, deviceType }: Answered & { entry: FeedbackEntry },
): void {
  row.entries += 1
  if (entry.status === 'unmatched') row.unmatched += 1
  if (entry.status === 'duplicate') row.duplicates += 1
  if (entry.status === 'duplicate') return
  const action = named(entry.action, row.actions, ACTIONS_MAX)
  row.actions[action] = (ownValue(row.actions, action) ?? 0) + 1
  const step = Math.min(RATING_STEPS - 1, Math.floor(entry.rating * RATING_STEPS))
  row.ratings[step] = (row.ratings[step] ?? 0) + 1
  row.ratingSum += entry.rating
  deviceOf(row, deviceType).entries += 1
}

function countClicked(row: FeedbackPattern, { deviceType }: Answered): void {
  deviceOf(row, deviceType).clicked += 1
}

function countPlaced(row: FeedbackPattern, position: number): void {
  const place = placeOf(row, position - 1)
  if (place !== undefined) place[1] += 1
}

function placeOf({ positions }: FeedbackPattern, at: number): [number, number] | undefined {
  if (at >= POSITIONS_MAX) return undefined
  while (positions.length <= at) positions.push([0, 0])
  return positions[at]
}

function deviceOf({ devices }: FeedbackPattern, deviceType = 'unknown') {
  const name = named(
    beginningOf(deviceType.toLowerCase(), DEVICE_CHARACTERS_MAX),
    devices,
    DEVICES_MAX,
  )
  const device = ownValue(devices, name) ?? { searches: 0, clicked: 0, entries: 0 }
  devices[name] = device
  return device
}

/** The name itself, or `other` when it is new and there are enough. */
function named(name: string, among: Record<string, unknown>, most: number): string {
  if (name === '__proto__') return 'other'
  return Object.hasOwn(among, name) || Object.keys(among).length < most ? name : 'other'
}

function fresh(): FeedbackPattern {
  return {
    entries: 0,
    unmatched: 0,
    duplicates: 0,
    ratingSum: 0,
    actions: {},
    positions: [],
    devices: {},
    ratings: Array.from({ length: RATING_STEPS }, () => 0),
  }
}

function add(sum: FeedbackPattern, row: FeedbackPattern): void {
  sum.entries += row.entries
  sum.unmatched += row.unmatched
  sum.duplicates += row.duplicates
  sum.ratingSum += row.ratingSum
  for (const [action, count] of Object.entries(row.actions))
    sum.actions[action] = (ownValue(sum.actions, action) ?? 0) + count
  row.positions.forEach(([shown, clicked], at) => {
    const place = placeOf(sum, at)
    if (place === undefined) return
    place[0] += shown
    place[1] += clicked
  })
  for (const [name, device] of Object.entries(row.devices)) {
    const own = ownValue(sum.devices, name) ?? { searches: 0, clicked: 0, entries: 0 }
    own.searches += device.searches
    own.clicked += device.clicked
    own.entries += device.entries
    sum.devices[name] = own
  }
  row.ratings.forEach((count, step) => {
    sum.ratings[step] = (sum.ratings[step] ?? 0) + count
  })
}
