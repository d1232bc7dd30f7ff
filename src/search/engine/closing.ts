import { native } from '../../native.ts'
import { checkpoint } from './durability.ts'
import type { EngineState, OpenState } from './engine-state.ts'
import type { Publisher } from './publisher.ts'

/**
 * Pause between two tries to close an index that is being opened: there is nothing to close before its job has begun.
 */
const CLOSE_AGAIN_MS = 50
/** How long writes that were taken may go on becoming searchable. The rest is in the records. */
const PUBLISH_MS = 2000
/** How long the files of the indices may be written, one after the other. What they lack is in the records. */
const FILES_MS = 3000

/**
 * From here on nothing is begun, and what is being opened is given up: to build the files of many documents takes
 * minutes, and the next start does it anew. Settles when no opening is under way.
 */
export async function giveUpOpening(engine: EngineState): Promise<void> {
  engine.closing = true
  const opening = [...engine.states].filter(([, state]) => state.opening !== undefined)
  if (opening.length === 0) return
  const closeAll = () => {
    for (const [engineId] of opening) closeIfOpen(engineId)
  }
  closeAll()
  const timer = setInterval(closeAll, CLOSE_AGAIN_MS)
  await Promise.allSettled(opening.map(([, state]) => state.opening))
  clearInterval(timer)
  // One that came to be open after the last try.
  closeAll()
  for (const [engineId] of opening) engine.states.delete(engineId)
}

/**
 * Closes an index whose batch failed or was given up, while the service stops: a later one must not be applied without
 * it. The next start brings its files up to date from the records.
 */
export function giveUp(engine: EngineState, engineId: number): void {
  engine.states.delete(engineId)
  closeIfOpen(engineId)
}

function closeIfOpen(engineId: number): void {
  try {
    native.close(engineId)
  } catch {
    // Not open yet, or no longer.
  }
}

/** What was written becomes durable; what would take long, and costs nothing but time to begin anew, is given up. */
export async function close(engine: EngineState, publisher: Publisher): Promise<void> {
  await giveUpOpening(engine)
  await Promise.all(engine.rebuilding.values())
  await withinMs(PUBLISH_MS, publisher.idle())
  for (const [engineId, { entry }] of [...engine.states])
    if (publisher.isBusy(entry)) giveUp(engine, engineId)
  // From here on nothing is written to those that are open.
  for (const engineId of engine.states.keys()) native.giveUpMerging(engineId)
  await publisher.idle()
  const states = [...engine.states.values()]
  await Promise.all(states.flatMap(filesUnderWay))
  const untilMs = performance.now() + FILES_MS
  await checkpoint(engine, () => performance.now() < untilMs)
  for (const engineId of engine.states.keys()) native.close(engineId)
  // The core gives up learning a space as soon as its index is closed.
  await Promise.all(states.map(({ fitting }) => fitting))
  engine.states.clear()
}

/** Settles when `done` does, at latest after some time. */
export async function withinMs(limitMs: number, done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([done, limit])
  clearTimeout(timer)
}

function filesUnderWay({
  merging,
  linking,
  retiring,
}: OpenState): (Promise<unknown> | undefined)[] {
  return [merging, linking, retiring]
}
