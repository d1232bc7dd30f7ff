import { ServiceError } from '../../errors.ts'
import { type EngineState, isInUse, type OpenState } from './engine-state.ts'
import { readIndexFigures } from './figures.ts'
import { GRAPH_VECTORS, linkSoon } from './link.ts'

/**
 * Growth since the last fit that is worth a new one once the index is at rest. A space learned from half
 * of the documents finds less than one learned from all; while documents stream in, only doubling counts.
 */
const GROWTH_AT_REST = 1.05
/**
 * With a vector for fewer of its documents than these, a space was learned from others, in other words. One that is learned
 * has it for as many, or is refused.
 */
const KNOWN_SHARE = 0.5
/** Below this the core keeps the hashed space. */
const DOCUMENTS_MIN = 300

/**
 * How long an index may go on with its old space, or without its graph, while documents stream in: either takes
 * a core, and what is made in the middle of a load is old when the load is done.
 */
const PATIENCE_MS = 15_000

/** Pause before what failed in passing, for want of memory or disk, is tried again; twice as long after each failure. */
const FIT_PAUSE_MS = 30_000
const FIT_PAUSE_MS_MAX = 3_600_000

/** Called when a batch finds that the index has doubled: learns a space once its patience is at its end. */
export function fitInTime(engine: EngineState, state: OpenState): void {
  const nowMs = performance.now()
  state.wantedSinceMs ??= nowMs
  if (nowMs - state.wantedSinceMs >= PATIENCE_MS) fitSoon(engine, state)
}

/** Learns a new vector space in the background, unless that is under way. */
export function fitSoon(engine: EngineState, state: OpenState): void {
  if (state.fitting || state.merging || engine.closing || !mayLearn(state)) return
  const { name, engineId } = state.entry.record
  state.wantedSinceMs = undefined
  state.fitting = engine.pool
    .run('fit', { engineId })
    .then(
      (report) => {
        state.fitFailures = 0
        engine.log.info({ index: name, ...report }, 'vector space learned')
      },
      (err: unknown) => {
        if (engine.closing) return
        // That nothing can be learned from these documents is no error: the index keeps the space that it has.
        if (err instanceof ServiceError && err.code === 'VALIDATION_FAILED') {
          state.refusedAt = readIndexFigures(state.entry).documents
          engine.log.info({ index: name, reason: err.message }, 'no new vector space was learned')
        } else {
          const againInMs = Math.min(FIT_PAUSE_MS * 2 ** state.fitFailures, FIT_PAUSE_MS_MAX)
          state.fitFailures += 1
          state.fitFromMs = performance.now() + againInMs
          engine.log.warn({ index: name, againInMs, err }, 'no vector space could be learned')
        }
      },
    )
    .finally(() => {
      state.fitting = undefined
      state.reshaped = true
      // The vectors of the new space have no graph yet.
      state.linked = false
    })
}

/**
 * What could not be learned from these documents can't be learned from a few more; after any other failure, it may
 * work later.
 */
function mayLearn({ entry, refusedAt, fitFromMs }: OpenState): boolean {
  return performance.now() >= fitFromMs && readIndexFigures(entry).documents >= 2 * refusedAt
}

/**
 * Comes by every few seconds: an index where nothing was published since the last time is at rest. Its
 * vector space is learned anew when it has grown, its segments are merged, once, and its neighbour graph
 * grows until it has all; the graph of an index that has long been under way grows a little.
 */
export function tendRested(engine: EngineState): void {
  for (const state of engine.states.values()) {
    if (state.opening !== undefined || state.retiring || !isInUse(engine, state)) continue
    const isAtRest = state.seen === state.published && !engine.isBusy(state.entry)
    if (!isAtRest) {
      state.merged = false
      state.linked = false
    }
    state.restlessSinceMs = isAtRest ? undefined : (state.restlessSinceMs ?? performance.now())
    state.seen = state.published
    if (isAtRest && isDue(state)) fitSoon(engine, state)
    else if (state.fitting === undefined) {
      if (isAtRest && !state.merged) mergeSoon(engine, state)
      if (isAtRest || isLongUnderWay(state)) linkSoon(engine, state)
    }
  }
}

function isLongUnderWay({ restlessSinceMs }: OpenState): boolean {
  return restlessSinceMs !== undefined && performance.now() - restlessSinceMs >= PATIENCE_MS
}

function mergeSoon(engine: EngineState, state: OpenState): void {
  state.merged = true
  const { segments, deleted } = readIndexFigures(state.entry)
  // A segment of which much is deleted may have been written anew since the last commit: it waits to be shown.
  if (engine.closing || (segments < 2 && deleted === 0)) return
  const { name, engineId } = state.entry.record
  state.merging = engine.pool
    .run('merge', { engineId })
    .then(
      (segments) => engine.log.debug({ index: name, segments }, 'segments merged'),
      (err: unknown) => {
        if (!engine.closing) engine.log.warn({ index: name, err }, 'segments could not be merged')
      },
    )
    .finally(() => {
      state.merging = undefined
      state.writer = true
      state.reshaped = true
    })
}

/** Whether a space is being learned for the index, or will be as soon as it is at rest. */
export function isFitting(engine: EngineState, state: OpenState | undefined): boolean {
  if (state === undefined || state.opening !== undefined || engine.closing) return false
  return state.fitting !== undefined || isDue(state)
}

/** Whether the index at rest has all that makes its searches fast. */
export function isSettled(engine: EngineState, state: OpenState | undefined): boolean {
  if (state === undefined || state.opening !== undefined) return false
  const { vectors, graph } = readIndexFigures(state.entry)
  const isWhole = vectors < GRAPH_VECTORS || graph
  const isTended = state.merged && state.merging === undefined && state.linking === undefined
  return isWhole && isTended && !isFitting(engine, state)
}

function isDue(state: OpenState): boolean {
  const { entry } = state
  if (entry.definition.embedder.kind !== 'learned') return false
  const { documents, vectors, space } = readIndexFigures(entry)
  if (documents < DOCUMENTS_MIN || !mayLearn(state)) return false
  if (space.kind === 'learned' && vectors < Math.floor(documents * KNOWN_SHARE)) return true
  if (vectors < DOCUMENTS_MIN) return false
  return space.kind === 'hashed' || vectors >= GROWTH_AT_REST * Math.max(1, space.documents)
}
