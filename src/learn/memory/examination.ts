import type { ExaminationDay } from '../../schema/memory-record.ts'
import type { HeldClick } from '../../schema/meta-record.ts'
import type { Store } from '../../store/store.ts'
import type { Consumer, FeedbackFact } from '../facts.ts'
import { GROUPS } from '../loop/fold.ts'
import { noPlaceClicks, type PlaceChances } from '../statistics/place-chances.ts'
import { likelyEta } from '../statistics/position-bias.ts'
import { dayOf } from '../wire/duration.ts'
import { CLICKS_MIN, type ClickSums } from './chances-in-use.ts'
import { drawnClickOf, noPages } from './drawn-clicks.ts'
import {
  addDrawnClick,
  addSums,
  countDrawnClick,
  noClicks,
  type ReckonedChances,
  reckon,
  unreckoned,
  withClicks,
} from './reckoned-chances.ts'

/**
 * How likely people look at a position, from clicks on orders that were drawn: the chance falls as 1/pᵑ (see
 * statistics/position-bias.ts), and where clicks say so, otherwise (statistics/place-chances.ts). A page of each unit
 * counts a day, the first one that it clicks on: nobody says alone how people look. Who is flagged says nothing: the
 * last clicks are held apart, so that all is as it would be without theirs.
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
/**
 * Clicks that are still taken out when their session turns out to be no honest one, with all that they moved. Later they
 * are few among many, and stay.
 */
const HELD_MAX = 128
const NO_PAIRS = { clicked: [], expected: [] }
const SWEEP_ROWS = 1000
/** Under this name stands what is reckoned with. */
const IN_USE = 'examination in use'

interface Day extends ClickSums {
  /** With what page units count, and what they clicked of it. */
  pages: Int32Array
}

interface State {
  store: Store
  isFlagged: IsFlagged
  changed: Map<number, Day>
  /** Clicks that may have to be taken out again, oldest first. */
  held: HeldClick[]
  /** Without them, over all days; and with them. */
  settled: ReckonedChances
  newest: ReckonedChances
  expected: number
  /** What searches reckon with until the clicks taken last are published. */
  inUse: PlaceChances
  /** What is reckoned with, or a click that is held, is not on the disk yet. */
  isChanged: boolean
}

/** Whether a session is known to be no honest one, by the entries taken so far. */
type IsFlagged = (sessionId: string) => boolean

/** `expected` is the η that holds while nothing is known. */
export function openExamination(
  store: Store,
  expected: number,
  isFlagged: IsFlagged = () => false,
): Examination {
  const { examinations, meta } = store.tables
  const state: State = {
    ...{ store, isFlagged, expected, changed: new Map(), held: [], isChanged: false },
    ...{ settled: unreckoned(expected), newest: unreckoned(expected) },
    inUse: { eta: expected },
  }

  return {
    name: 'examination',
    // With the click memory, which says who is flagged: both are always at one place in the journal.
    group: GROUPS.memory,
    load: () => load(state),
    take: (fact) => {
      if (fact.kind === 'feedback') take(state, fact)
    },
    save: () => {
      for (const [day, { pages, ...sums }] of state.changed)
        examinations.put(day, { ...sums, pages: new Uint8Array(pages.buffer) })
      state.changed.clear()
      if (!state.isChanged) return
      const { chances, reckoned } = state.settled
      meta.put(IN_USE, { ...chances, expected, reckoned, held: state.held })
      state.isChanged = false
    },
    publish: () => {
      if (state.settled.sums.clicks < state.settled.reckoned) {
        reckon(state.settled, expected)
        holdOnly(state, state.held)
      }
      state.inUse = state.newest.chances
    },
    reset: () => {
      state.changed.clear()
      examinations.clear()
      meta.remove(IN_USE)
      state.settled = unreckoned(expected)
      holdOnly(state, [])
    },
    untake: ({ names }) => {
      holdOnly(
        state,
        state.held.filter(({ sessionId }) => !names.has(sessionId)),
      )
      return []
    },
    estimate: () => estimateOf(state.newest.sums),
    inUse: () => state.inUse,
    sweep: async (beforeMs) => {
      const end = dayOf(beforeMs)
      const old = [...examinations.keys({ end, limit: SWEEP_ROWS })]
      if (old.length === 0) return 0
      await store.release(() => examinations.removeAll(old))
      state.settled.sums = addUp(state)
      holdOnly(
        state,
        state.held.filter(({ day }) => day >= end),
      )
      return old.length
    },
  }
}

/**
 * What is reckoned with depends on what was before, so that a start goes on with it: the order of hits stays as it was.
 */
function load(state: State): void {
  const { store, expected } = state
  state.changed.clear()
  const known = store.tables.meta.get(IN_USE)
  state.settled = { ...unreckoned(expected), sums: addUp(state) }
  if (known?.expected !== expected) reckon(state.settled, expected)
  else {
    const { eta, places, reckoned } = known
    state.settled.chances = places === undefined ? { eta } : { eta, places }
    state.settled.reckoned = reckoned
  }
  holdOnly(state, known?.held ?? [])
  state.inUse = state.newest.chances
}

/** Over the days on the disk and those that are not there yet. */
function addUp({ store, changed }: State): ClickSums {
  const sums = noClicks()
  const saved = [...store.tables.examinations.range()]
  const days = saved.filter(({ key }) => !changed.has(key)).map(({ value }) => value)
  for (const { clicks, places, parts, pairs } of [...days, ...changed.values()]) {
    // Days of earlier versions have other sums.
    if (places === undefined || parts === undefined) continue
    addSums(sums, { clicks, places, parts, pairs: pairs ?? NO_PAIRS })
  }
  return sums
}

/** What was reckoned is what it would be if the others had never come. */
function holdOnly(state: State, held: HeldClick[]): void {
  state.held = held
  state.newest = withClicks(state.settled, held, state.expected)
  state.isChanged = true
}

function take(state: State, fact: FeedbackFact): void {
  const { sessionId } = fact
  if (state.isFlagged(sessionId)) {
    const others = state.held.filter((click) => click.sessionId !== sessionId)
    if (others.length < state.held.length) holdOnly(state, others)
    return
  }
  const click = drawnClickOf(fact, (day) => dayAt(state, day).pages)
  if (click === undefined) return
  state.held.push(click)
  countDrawnClick(state.newest, click, state.expected)
  state.isChanged = true
  if (state.held.length > HELD_MAX) settleOldest(state)
}

/** Nothing that its session tells by now takes it out again. */
function settleOldest(state: State): void {
  const oldest = state.held.shift()
  if (oldest === undefined) return
  addDrawnClick(dayAt(state, oldest.day), oldest)
  countDrawnClick(state.settled, oldest, state.expected)
}

function dayAt({ store, changed }: State, at: number): Day {
  const known = changed.get(at)
  if (known !== undefined) return known
  const row: ExaminationDay | undefined = store.tables.examinations.get(at)
  const { clicks = 0, places, parts, pages, pairs = noPlaceClicks() } = row ?? {}
  const day =
    places === undefined || parts === undefined || pages === undefined
      ? { ...noClicks(), pages: noPages() }
      : { clicks, places, parts, pairs, pages: new Int32Array(new Uint8Array(pages).buffer) }
  changed.set(at, day)
  return day
}

function estimateOf({ clicks, places, parts }: ClickSums): ExaminationEstimate {
  const likely = clicks < CLICKS_MIN ? undefined : likelyEta({ places, parts })
  const margin = Z_95 * (likely?.error ?? Number.POSITIVE_INFINITY)
  if (likely === undefined || margin > MARGIN_MAX)
    return { eta: undefined, low: undefined, high: undefined, samples: clicks }
  const { eta } = likely
  return { eta, low: eta - margin, high: eta + margin, samples: clicks }
}
