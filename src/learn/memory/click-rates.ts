import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import type { Store } from '../../store/store.ts'
import type { Pool } from '../../threads/pool.ts'
import type { PlaceChances } from '../statistics/place-chances.ts'
import { dayOf } from '../wire/duration.ts'
import type { ClickMemory } from './click-memory.ts'
import type { RateSettings } from './click-rate.ts'

/** Which click rates of documents a search reads; immutable. */
export interface ClickRatesRead {
  /** The rate of a document that nobody looked at. */
  readonly prior: number
  /** The number of a count; absent: all documents have the prior. */
  readonly edition?: number
}

/**
 * How often each document is chosen when somebody looks at it, whatever they asked: a feature for models. Counted
 * from the click memory, so that whatever is taken out of that is taken out of this. The count runs in a thread of its
 * own, and only when something has changed since the last: facts and searches pay nothing for it.
 */
export interface ClickRates {
  /** What searches read now: the newest count. */
  newest: () => ClickRatesRead
  /** What a search reads to which nothing that was learned applies. */
  none: ClickRatesRead
  /** Counts anew when it is time; never waits for it. */
  tick: () => void
  /** Counts for the indices that a start has opened, so that its first search reads them; waits a little at most. */
  begin: () => Promise<void>
  /** Waits for the count under way. */
  close: () => Promise<void>
}

export interface ClickRatesParts {
  store: Store
  pool: Pick<Pool, 'run'>
  memory: Pick<ClickMemory, 'figures' | 'changes'>
  config: RatesConfig
  chances: () => PlaceChances
  clock: () => number
  /** The indices that are open; the numbers of openings ascend. */
  opened: () => readonly RatedIndex[]
  onFailure: (cause: unknown) => void
}

export interface RatedIndex {
  indexId: number
  engineId: number
  opening: number
}

type RatesConfig = RateSettings & Pick<Config, 'dataDir' | 'learning' | 'clickRatesMs'>

/** Counts before the newest that the next pages of a list, and a search that is run again, may still read. */
const EDITIONS_HELD = 8
/** How long a start waits for its count, which takes longer the more is remembered: until then all have the prior. */
const BEGIN_MS_MAX = 2000
/** Share of one thread's time that counting may take; what it waits while others have the processors puts nothing off. */
const SHARE_MAX = 0.02

interface State extends ClickRatesParts {
  newest: ClickRatesRead
  running: Promise<void> | undefined
  /** Number of the last count that was begun. */
  begun: number
  /** What the last count counted. */
  counted: Pick<Due, 'basis' | 'relearned' | 'opening'>
  /** When the next may begin, in the process's own time: one that somebody waits for, and any other. */
  soonMs: number
  nextMs: number
  closed: boolean
}

export function openClickRates(parts: ClickRatesParts): ClickRates {
  const none = Object.freeze({ prior: parts.config.memoryPriorRate })
  const state: State = {
    ...parts,
    newest: none,
    running: undefined,
    closed: false,
    begun: 0,
    counted: { basis: '', relearned: 0, opening: 0 },
    soonMs: 0,
    nextMs: 0,
  }
  const tick = () => {
    const input = state.running === undefined ? due(state) : undefined
    if (input === undefined) return
    state.running = count(state, input)
      .catch((cause: unknown) => {
        state.soonMs = state.nextMs = performance.now() + state.config.clickRatesMs
        if (!state.closed) state.onFailure(cause)
      })
      .finally(() => {
        state.running = undefined
      })
  }
  return {
    newest: () => state.newest,
    none,
    tick,
    begin: async () => {
      tick()
      const over = new AbortController()
      const waited = pause(BEGIN_MS_MAX, undefined, over).catch(() => undefined)
      await Promise.race([state.running, waited])
      over.abort()
    },
    close: async () => {
      state.closed = true
      await state.running
    },
  }
}

/** What is to be counted. */
interface Due {
  basis: string
  /** How often the memory was learned anew. */
  relearned: number
  /** The last opening of an index. */
  opening: number
  engines: readonly RatedIndex[]
}

/** Undefined while there is nothing to count, or nothing new, or it is too early. */
function due(state: State): Due | undefined {
  const { memory, config, counted } = state
  const nowMs = performance.now()
  if (!config.learning || state.closed || nowMs < state.soonMs) return undefined
  if (memory.figures().gained === 0 && state.newest.edition === undefined) return undefined
  const { saved, relearned } = memory.changes()
  const engines = state.opened()
  if (engines.length === 0) return undefined
  const opening = engines.reduce((last, engine) => Math.max(last, engine.opening), 0)
  // Who was forgotten waits for nothing, and an index that was just opened has no rates yet.
  const isAwaited = relearned !== counted.relearned || opening > counted.opening
  if (!isAwaited && nowMs < state.nextMs) return undefined
  // Whatever is written gives documents new numbers.
  const sequence = state.store.tables.meta.get('sequence')
  const basis = `${saved} ${sequence} ${dayOf(state.clock())}`
  return isAwaited || basis !== counted.basis ? { basis, relearned, opening, engines } : undefined
}

async function count(state: State, { engines, ...counting }: Due): Promise<void> {
  const { memoryPriorWeight, memoryPriorRate, memoryHalfLifeMs, dataDir } = state.config
  state.begun += 1
  const edition = state.begun
  const isRelearned = counting.relearned !== state.counted.relearned
  const startedMs = performance.now()
  const counted = await state.pool.run('rate', {
    dataDir,
    edition,
    engines,
    day: dayOf(state.clock()),
    // What was to be forgotten must be in no count that is kept.
    since: isRelearned ? edition : Math.max(0, edition - EDITIONS_HELD),
    settings: { memoryPriorWeight, memoryPriorRate, memoryHalfLifeMs, chances: state.chances() },
  })
  // Asked again with the next tick.
  if (counted === undefined) return
  state.newest = Object.freeze({ prior: memoryPriorRate, edition })
  state.counted = counting
  state.soonMs = startedMs + counted.usedMs / SHARE_MAX
  state.nextMs = Math.max(state.soonMs, startedMs + state.config.clickRatesMs)
}
