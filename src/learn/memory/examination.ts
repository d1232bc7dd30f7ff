import type { ExaminationDay } from '../../schema/memory-record.ts'
import { isFirstPage } from '../../schema/plan.ts'
import type { Store } from '../../store/store.ts'
import type { Consumer, FeedbackFact, Impression } from '../facts.ts'
import { isOthers } from '../feedback/feedback-entries.ts'
import { drawnScores } from '../impressions/draw.ts'
import { EXPLORED_MAX, marginalRows } from '../impressions/exploration.ts'
import { GROUPS } from '../loop/fold.ts'
import { murmur3 } from '../statistics/murmur3.ts'
import { addPlaceClick, noPlaceClicks, type PlaceChances } from '../statistics/place-chances.ts'
import { addScores, likelyEta, noScores } from '../statistics/position-bias.ts'
import { dayOf } from '../wire/duration.ts'
import { CLICKS_MIN, type ClickSums, chancesBy, etaBy } from './chances-in-use.ts'

/**
 * How likely people look at a position, from clicks on orders that were drawn: the chance falls as 1/pᵑ (see
 * statistics/position-bias.ts), and where clicks say so, otherwise (statistics/place-chances.ts). A page of each unit
 * counts a day, the first one that it clicks on: nobody says alone how people look.
 */
export interface Examination extends Consumer {
  /** What clicks say. */
  estimate: () => ExaminationEstimate
  /** What to reckon with: what is expected, until clicks say otherwise, and the more of them the more. */
  inUse: () => PlaceChances
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

/** An interval wider than this on either side says nothing. */
const MARGIN_MAX = 1
const Z_95 = 1.96
/** What is reckoned with is reckoned again when there are so many times as many clicks: the same clicks give the same. */
const GROWTH = 1.05
/** Units that can count on one day. */
const UNITS_MAX = 4096
const SWEEP_ROWS = 1000
/** Under this name stands what is reckoned with. */
const IN_USE = 'examination in use'

interface Day extends ClickSums {
  /** Two numbers for each unit that can count: the hash of its page, and a bit for each hit that it clicked. */
  pages: Int32Array
}

interface Core {
  store: Store
  changed: Map<number, Day>
  /** Over all days. */
  sums: ClickSums
  expected: number
  /** What searches reckon with, and what they will when the clicks taken last are published. */
  inUse: PlaceChances
  next: PlaceChances
  /** How many clicks there were when that was last reckoned. */
  reckoned: number
}

/** `expected` is the η that holds while nothing is known. */
export function openExamination(store: Store, expected: number): Examination {
  const { examinations, meta } = store.tables
  const inUse = { eta: expected }
  const core: Core = {
    ...{ store, changed: new Map(), sums: newSums(), expected },
    ...{ inUse, next: inUse, reckoned: 0 },
  }

  return {
    name: 'examination',
    group: GROUPS.reports,
    load: () => {
      core.changed.clear()
      addUp(core)
      loadChances(core)
    },
    take: (fact) => {
      if (fact.kind === 'feedback') take(core, fact)
    },
    save: () => {
      for (const [day, { pages, ...sums }] of core.changed)
        examinations.put(day, { ...sums, pages: new Uint8Array(pages.buffer) })
      core.changed.clear()
      const { next, reckoned } = core
      meta.put(IN_USE, { ...next, expected, reckoned })
    },
    publish: () => {
      if (core.sums.clicks < core.reckoned) reckon(core)
      core.inUse = core.next
    },
    reset: () => {
      core.changed.clear()
      examinations.clear()
      meta.remove(IN_USE)
      core.sums = newSums()
      startOver(core)
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

function newSums(): ClickSums {
  return { clicks: 0, ...noScores(), pairs: noPlaceClicks() }
}

/** Over the days on the disk and those that are not there yet. */
function addUp(core: Core): void {
  const { store, changed } = core
  core.sums = newSums()
  const saved = [...store.tables.examinations.range()]
  const days = saved.filter(({ key }) => !changed.has(key)).map(({ value }) => value)
  for (const { clicks, places, parts, pairs } of [...days, ...changed.values()]) {
    // Days of earlier versions have other sums.
    if (places === undefined || parts === undefined) continue
    core.sums.clicks += clicks
    addAll(core.sums.places, places)
    addAll(core.sums.parts, parts)
    addAll(core.sums.pairs.clicked, pairs?.clicked ?? [])
    addAll(core.sums.pairs.expected, pairs?.expected ?? [])
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
  const moved = { place: hit, own: exploration.order?.[hit] ?? hit }
  for (const sums of [day, core.sums]) {
    sums.clicks += 1
    addScores(sums, hit, chances)
    addPlaceClick(sums.pairs, moved, chances)
  }
  if (core.sums.clicks > core.reckoned * GROWTH) reckon(core)
}

function dayAt({ store, changed }: Core, at: number): Day {
  const known = changed.get(at)
  if (known !== undefined) return known
  const row: ExaminationDay | undefined = store.tables.examinations.get(at)
  const { clicks = 0, places, parts, pages, pairs = noPlaceClicks() } = row ?? {}
  const day =
    places === undefined || parts === undefined || pages === undefined
      ? { ...newSums(), pages: new Int32Array(2 * UNITS_MAX) }
      : { clicks, places, parts, pairs, pages: new Int32Array(new Uint8Array(pages).buffer) }
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

/** What is reckoned with depends on what was before, so that a start goes on with it: the order of hits stays as it was. */
function loadChances(core: Core): void {
  const known = core.store.tables.meta.get(IN_USE)
  startOver(core)
  if (known?.expected !== core.expected) reckon(core)
  else {
    const { eta, places, reckoned } = known
    core.next = places === undefined ? { eta } : { eta, places }
    core.reckoned = reckoned
  }
  core.inUse = core.next
}

function startOver(core: Core): void {
  core.next = { eta: core.expected }
  core.reckoned = 0
}

function reckon(core: Core): void {
  const { sums, expected, next } = core
  core.next = chancesBy(sums, etaBy(sums, expected, next.eta), next)
  core.reckoned = sums.clicks
}

function estimateOf({ clicks, places, parts }: ClickSums): ExaminationEstimate {
  const likely = clicks < CLICKS_MIN ? undefined : likelyEta({ places, parts })
  const margin = Z_95 * (likely?.error ?? Number.POSITIVE_INFINITY)
  if (likely === undefined || margin > MARGIN_MAX)
    return { eta: undefined, low: undefined, high: undefined, samples: clicks }
  const { eta } = likely
  return { eta, low: eta - margin, high: eta + margin, samples: clicks }
}
