import type { EngineState, OpenState } from './engine-state.ts'
import { readIndexFigures } from './figures.ts'

/** Vectors from which on the core searches through a neighbour graph. */
export const GRAPH_VECTORS = 10_000
/** One job's work: what waits for the same thread, or for the files of the index, waits no longer. */
const SLICE_MS = 500
/** Slices a round while the index is under way: what it learns next may replace all vectors. */
const SLICES_UNDER_WAY = 4

/** Grows the neighbour graph in the background: to its end while the index is at rest, else for a while. */
export function linkSoon(engine: EngineState, state: OpenState): void {
  if (state.linked || state.linking || engine.closing) return
  if (readIndexFigures(state.entry).vectors < GRAPH_VECTORS) return
  state.linking = link(engine, state)
    .catch((err: unknown) =>
      engine.log.warn(
        { index: state.entry.record.name, err },
        'the neighbour graph could not grow',
      ),
    )
    .finally(() => {
      state.linking = undefined
    })
}

async function link(engine: EngineState, state: OpenState): Promise<void> {
  const { engineId } = state.entry.record
  for (let slice = 0; mayGoOn(engine, state, slice); slice++) {
    const { published, seen } = state
    const isAtRest = seen === published
    const isMore = await engine.pool.run('link', { engineId, timeMs: SLICE_MS, isAtRest })
    if (isMore) continue
    state.linked = state.published === published && state.fitting === undefined
    state.reshaped = true
    return
  }
  // What there is of it goes into the files, so that the next start goes on with it.
  state.reshaped = true
}

/** Whoever learns a space, closes the index or drops it doesn't wait for the whole graph. */
function mayGoOn(engine: EngineState, state: OpenState, slices: number): boolean {
  const { entry, fitting, retiring, seen, published } = state
  if (engine.closing || fitting || retiring || entry.dropped === true) return false
  return slices < SLICES_UNDER_WAY || seen === published
}
