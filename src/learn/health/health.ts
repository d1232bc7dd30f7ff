import type { Config } from '../../config.ts'
import { serviceError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import type { Gains } from '../feedback/gains.ts'
import type { Events } from '../history/events.ts'
import { RELEARNING } from '../loop/fold.ts'
import type { Log } from '../loop/log.ts'
import type { Loop } from '../loop/loop.ts'
import type { MemorySettings } from '../memory/click-rate.ts'
import type { Examination } from '../memory/examination.ts'
import type { Models } from '../models/models.ts'
import { firstChances } from '../statistics/place-chances.ts'
import { convergence } from './convergence.ts'
import { effectiveness } from './effectiveness.ts'
import type { Score } from './score.ts'
import { stability } from './stability.ts'

/** How learning is. The checks of its parts return figures, and throw what is wrong. */
export interface LearningHealth {
  serving: () => object
  training: () => object
  adaptation: () => object
  scores: () => Promise<Record<'effectiveness' | 'convergence' | 'stability', Score>>
  /** Notes how far learning has come; called about once a second. */
  watch: () => void
  /** How people look at positions: the η and the chances in use, and what drawn orders say of η. */
  examination: () => ExaminationState
}

interface ExaminationState {
  inUse: number
  places: number[]
  eta: number | null
  low: number | null
  high: number | null
  samples: number
}

export interface LearningHealthParts {
  store: Store
  log: Log
  loop: Pick<Loop, 'position'>
  models: Pick<Models, 'figures'>
  adaptations: { figures: () => object }
  examination: Pick<Examination, 'estimate' | 'inUse'>
  events: Pick<Events, 'counts'>
  gains: Pick<Gains, 'click'>
  config: MemorySettings & Pick<Config, 'retentionMs'>
  clock: () => number
}

/** Learning that takes nothing for so long, though there is something, is stuck. */
const STUCK_MS = 30_000
/** Scores look through all of click memory: often enough for people and probes. */
const SCORES_MS = 10_000
const NOT_LOADED =
  'The active model could not be loaded, and the log says why: activate another version, or take it back.'

function stopped(stuckMs: number): string {
  const seconds = Math.round(stuckMs / 1000)
  return `Learning has stopped ${seconds} s ago: what people do is recorded, and teaches nothing yet. It goes on by itself once what the log names is over, such as a full disk; if the log names nothing, restart the service.`
}

export function openLearningHealth(parts: LearningHealthParts): LearningHealth {
  const { store, log, loop, models, adaptations, events, config, clock } = parts
  // Nothing is taken while all is folded anew, which may take minutes: then that must come on.
  const whereNow = () => ({ position: loop.position(), anew: store.tables.meta.get(RELEARNING) })
  // By no clock that somebody sets: one that jumps ahead would find learning stuck, one set back find it at work for as long.
  let moved = { ...whereNow(), atMs: performance.now() }
  let scored: { atMs: number; scores: ReturnType<LearningHealth['scores']> } | undefined

  async function score(nowMs: number) {
    const chances = parts.examination.inUse()
    const clickGain = parts.gains.click
    return {
      effectiveness: effectiveness(store, chances, nowMs),
      convergence: await convergence(store, { ...config, chances, clickGain }, nowMs),
      stability: stability(events.counts(nowMs - config.retentionMs)),
    }
  }
  return {
    serving: () => {
      const { active, serving, loaded, failed } = models.figures()
      if (!serving) throw serviceError('UNHEALTHY', NOT_LOADED)
      return { active, loaded, failed: failed.length }
    },
    training: () => {
      const { lastTraining, clicked } = models.figures()
      const last = log.journal.last()
      const { position, anew } = whereNow()
      const isStill = position === moved.position && anew === moved.anew
      const stuckMs = position < last && isStill ? performance.now() - moved.atMs : 0
      if (stuckMs > STUCK_MS) throw serviceError('UNHEALTHY', stopped(stuckMs))
      return { lastTraining, clickedSearches: clicked, position, behind: last - position }
    },
    adaptation: () => {
      const failure = store.failure()
      if (failure !== undefined) throw failure
      return adaptations.figures()
    },
    watch: () => {
      const { position, anew } = whereNow()
      const isDone = position >= log.journal.last()
      if (isDone || position !== moved.position || anew !== moved.anew)
        moved = { position, anew, atMs: performance.now() }
    },
    examination: () => {
      const { eta, low, high, samples } = parts.examination.estimate()
      const inUse = parts.examination.inUse()
      return {
        inUse: inUse.eta,
        places: firstChances(inUse),
        eta: eta ?? null,
        low: low ?? null,
        high: high ?? null,
        samples,
      }
    },
    scores: () => {
      const nowMs = clock()
      // Also where the clock was set back since.
      if (scored === undefined || Math.abs(nowMs - scored.atMs) > SCORES_MS)
        scored = { atMs: nowMs, scores: score(nowMs) }
      return scored.scores
    },
  }
}
