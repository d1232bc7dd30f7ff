import { native } from '../../native.ts'
import type { Core, OpenState } from './core.ts'
import { checkpoint } from './durability.ts'
import type { Publisher } from './publisher.ts'

/** How often an index that is being opened is closed: there is nothing to close before its job has begun. */
const CLOSE_AGAIN_MS = 50

/**
 * From here on nothing is begun, and what is being opened is given up: to build the files of many documents takes
 * minutes, and the next start does it anew. Settles when no opening is under way.
 */
export async function giveUpOpening(core: Core): Promise<void> {
  core.closing = true
  const opening = [...core.states].filter(([, state]) => state.opening !== undefined)
  if (opening.length === 0) return
  const closeAll = () => {
    for (const [engineId] of opening) closeIfOpen(engineId)
  }
  closeAll()
  const timer = setInterval(closeAll, CLOSE_AGAIN_MS)
  await Promise.allSettled(opening.map(([, state]) => state.opening))
  clearInterval(timer)
  // One that was there at the last moment all the same.
  closeAll()
  for (const [engineId] of opening) core.states.delete(engineId)
}

function closeIfOpen(engineId: number): void {
  try {
    native.close(engineId)
  } catch {
    // Not open yet, or no longer.
  }
}

/** What was written becomes durable; what would take minutes, and costs nothing but time to begin anew, is given up. */
export async function close(core: Core, publisher: Publisher): Promise<void> {
  await giveUpOpening(core)
  await Promise.all(core.rebuilding.values())
  await publisher.idle()
  const states = [...core.states.values()]
  await Promise.all(states.flatMap(filesUnderWay))
  await checkpoint(core)
  for (const engineId of core.states.keys()) native.close(engineId)
  // The core gives up learning a space as soon as its index is closed.
  await Promise.all(states.map(({ fitting }) => fitting))
  core.states.clear()
}

function filesUnderWay({
  merging,
  linking,
  retiring,
}: OpenState): (Promise<unknown> | undefined)[] {
  return [merging, linking, retiring]
}
