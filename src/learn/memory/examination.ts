import type { ExaminationDay } from '../../schema/memory-record.ts'
import { isFirstPage } from '../../schema/plan.ts'
import type { Store } from '../../store/store.ts'
import type { Consumer, FeedbackFact, Impression } from '../facts.ts'
import { isOthers } from '../feedback/feedback-entries.ts'
import { drawnScores } from '../impressions/draw.ts'
import { EXPLORED_MAX, marginalRows } from '../impressions/exploration.ts'
import { GROUPS } from '../loop/fold.ts'
import { murmur3 } from '../statistics/murmur3.ts'
import {
  addScores,
  expectedEta,
  likelyEta,
  noScores,
  type PositionScores,
} from '../statistics/position-bias.ts'
import { dayOf } from '../wire/duration.ts'

/**
 * How likely people look at a position, from clicks on orders that were drawn: the chance falls as 1/pᵑ (see
 * statistics/position-bias.ts). A page of each unit counts a day, the first one that it clicks on: nobody says alone how
 * people look.
 */
export interface Examination extends Consumer {
  /** What clicks say; undefined while they are too few. */
  estimate: () => ExaminationEstimate
  /** The η to reckon with: what is expected, until clicks say otherwise, and the more of them the more. */
  inUse: () => number
  /** Removes the days before a moment; returns how many. */
  sweep: (beforeMs: number) => Promise<number>
}

export interface ExaminationEstimate {
  /** η and its 95 % interval; undefined while too little is known. */
  eta: number | undefined
  low: number | undefined
  high: number | undefined
  /** Clicks that counted. */
  samples: number
}

const CLICKS_MIN = 50
/** An interval wider than this on either side says nothing. */
const MARGIN_MAX = 1
const Z_95 = 1.96
/** What was measured elsewhere lies about so far from 1. */
const DEVIATION = 0.5
/** Nothing is gained by an η beyond these, but for one that was set. */
const LEAST = 0
const MOST = 2
/** What is in use changes when it is so far from what is known: all that was reckoned with it is reckoned anew. */
const CHANGE_MIN = 0.05
/** Units that can count on one day. */
const UNITS_MAX = 4096
const SWEEP_ROWS = 1000

interface Sums extends PositionScores {
  clicks: number
}

interface Day extends Sums {
  /** Two numbers for each unit that can count: the hash of its page, and a bit for each hit that it clicked. */
  pages: Int32Array
}

interface Core {
  store: Store
  changed: Map<number, Day>
  /** Over all days. */
  sums: Sums
  expected: number
  inUse: number
}

/** `expected` is the η that holds while nothing is known. */
export function openExamination(store: Store, expected: number): Examination {
  const { examinations } = store.tables
  const core: Core = { store, changed: new Map(), sums: newSums(), expected, inUse: expected }

  return {
    name: 'examination',
    group: GROUPS.reports,
    load: () => {
      core.changed.clear()
      addUp(core)
      use(core)
    },
    take: (fact) => {
      if (fact.kind === 'feedback') take(core, fact)
    },
    save: () => {
      for (const [day, { pages, ...sums }] of core.changed)
        examinations.put(day, { ...sums, pages: new Uint8Array(pages.buffer) })
      core.changed.clear()
    },
    publish: () => use(core),
    reset: () => {
      core.changed.clear()
      examinations.clear()
      core.sums = newSums()
    },
    estimate: () => estimateOf(core.sums),
    inUse: () => core.inUse,
    sweep: async (beforeMs) => {
      const end = dayOf(beforeMs)
      const old = [...examinations.keys({ end, limit: SWEEP_ROWS })]
      if (old.length === 0) return 0
      await store.release(() => examinations.removeAll(old))
      addUp(core)
      return old.length
    },
  }
}

function newSums(): Sums {
  return { clicks: 0, ...noScores() }
}

/** Over the days on the disk and those that are not there yet. */
function addUp(core: Core): void {
  const { store, changed } = core
  core.sums = newSums()
  const saved = [...store.tables.examinations.range()]
  const days = saved.filter(({ key }) => !changed.has(key)).map(({ value }) => value)
  for (const { clicks, places, parts } of [...days, ...changed.values()]) {
    // Days of earlier versions have other sums.
    if (places === undefined || parts === undefined) continue
    core.sums.clicks += clicks
    addAll(core.sums.places, places)
    addAll(core.sums.parts, parts)
  }
}

function addAll(sums: number[], scores: readonly number[]): void {
  for (const [at, score] of scores.entries()) sums[at] = (sums[at] as number) + score
}

function take(core: Core, fact: FeedbackFact): void {
  const { receivedMs, entry, impression, hit = EXPLORED_MAX } = fact
  if (isOthers(fact) || entry.status !== 'learned' || entry.action !== 'click') return
  const { unit, exploration } = impression ?? {}
  if (impression === undefined || unit === undefined || exploration === undefined) return
  if (hit >= EXPLORED_MAX || !isFirstPage(impression)) return
  const day = dayAt(core, dayOf(receivedMs))
  if (!isFirst(day.pages, { unit, queryId: impression.queryId, hit })) return
  const chances = chancesOf(impression, exploration, hit)
  if (chances === undefined) return
  for (const sums of [day, core.sums]) {
    sums.clicks += 1
    addScores(sums, hit, chances)
  }
}

function dayAt({ store, changed }: Core, at: number): Day {
  const known = changed.get(at)
  if (known !== undefined) return known
  const row: ExaminationDay | undefined = store.tables.examinations.get(at)
  const { clicks = 0, places, parts, pages } = row ?? {}
  const day =
    places === undefined || parts === undefined || pages === undefined
      ? { ...newSums(), pages: new Int32Array(2 * UNITS_MAX) }
      : { clicks, places, parts, pages: new Int32Array(new Uint8Array(pages).buffer) }
  changed.set(at, day)
  return day
}

interface Clicked {
  unit: string
  queryId: string
  hit: number
}

/** Whether it is the first click on this hit, on the page with which this unit counts; notes it. */
function isFirst(pages: Int32Array, { unit, queryId, hit }: Clicked): boolean {
  const at = 2 * (murmur3(unit, 0) % UNITS_MAX)
  const page = murmur3(queryId, 0) | 0 || 1
  pages[at] ||= page
  const clicked = pages[at + 1] as number
  if (pages[at] !== page || (clicked & (1 << hit)) !== 0) return false
  pages[at + 1] = clicked | (1 << hit)
  return true
}

/** How likely the hit was put at each of the first places; undefined where that was not logged. */
function chancesOf(
  { scores: shown }: Impression,
  exploration: NonNullable<Impression['exploration']>,
  hit: number,
): Float64Array | undefined {
  const { explored, order, epsilon, temperature } = exploration
  if (explored && order === undefined) return undefined
  const places = shown.map((_, at) => order?.[at] ?? at)
  const scores: number[] = []
  for (const [at, place] of places.entries()) scores[place] = shown[at] as number
  const rows = marginalRows(drawnScores(scores, exploration), temperature)
  const own = places[hit] as number
  const chances = new Float64Array(Math.min(scores.length, EXPLORED_MAX))
  for (let at = 0; at < chances.length; at += 1)
    chances[at] =
      (at === own ? 1 - epsilon : 0) + epsilon * (rows[at * chances.length + own] as number)
  return chances
}

function use(core: Core): void {
  const { sums, expected } = core
  const isKnown = sums.clicks >= CLICKS_MIN
  const prior = { mean: expected, deviation: DEVIATION }
  const most = Math.max(MOST, expected)
  const next = isKnown ? expectedEta(sums, prior, [LEAST, most]) : expected
  if (Math.abs(next - core.inUse) >= CHANGE_MIN) core.inUse = Number(next.toFixed(2))
}

function estimateOf({ clicks, ...scores }: Sums): ExaminationEstimate {
  const likely = clicks < CLICKS_MIN ? undefined : likelyEta(scores)
  const margin = Z_95 * (likely?.error ?? Number.POSITIVE_INFINITY)
  if (likely === undefined || margin > MARGIN_MAX)
    return { eta: undefined, low: undefined, high: undefined, samples: clicks }
  const { eta } = likely
  return { eta, low: eta - margin, high: eta + margin, samples: clicks }
}
