import { native } from '../../native.ts'
import type { Declared, IndexEntry } from '../indices/index-entry.ts'
import { withinMs } from './closing.ts'
import type { EngineState } from './engine-state.ts'
import { forget, openInput, ready } from './opening.ts'
import type { Publisher } from './publisher.ts'

/** Whoever declares fields hears of it when they are in use; not much later where that takes long. */
const SEEN_MS_MAX = 2000

/** Builds what was declared for an index in the background; see Engine. One build an index at a time. */
export async function rebuildSoon(
  engine: EngineState,
  publisher: Publisher,
  entry: IndexEntry,
): Promise<void> {
  const { rebuilding, config } = engine
  const { id, name } = entry.record
  const done =
    rebuilding.get(id) ??
    rebuildAll(engine, publisher, entry)
      .catch((err: unknown) => engine.log.error({ index: name, err }, 'building an index again'))
      .finally(() => rebuilding.delete(id))
  rebuilding.set(id, done)
  await withinMs(Math.min(SEEN_MS_MAX, config.requestTimeoutMs / 2), done)
}

/** Until nothing newer was declared meanwhile. */
async function rebuildAll(
  engine: EngineState,
  publisher: Publisher,
  entry: IndexEntry,
): Promise<void> {
  for (let { next } = entry; next !== undefined && !engine.closing; { next } = entry) {
    const previous = entry.record.engineId
    try {
      await switchTo(engine, publisher, entry, next)
    } catch (cause) {
      await forget(engine, next.record.engineId)
      if (entry.dropped === true || engine.closing) return
      throw cause
    }
    await forget(engine, previous)
  }
}

/** Two steps: most of the work beside the running index, then the rest while its writes wait. */
async function switchTo(
  engine: EngineState,
  publisher: Publisher,
  entry: IndexEntry,
  next: Declared,
): Promise<void> {
  await ready(engine, next)
  await publisher.exclusive(entry, async () => {
    const state = engine.states.get(next.record.engineId)
    if (entry.dropped === true || state === undefined)
      throw new Error('The index was deleted, or its new files were closed before they were used.')
    const { sequence } = await engine.pool.run('open', {
      ...openInput(engine, next),
      sequence: state.published,
    })
    state.published = sequence
    state.entry = entry
    entry.record = next.record
    // Its own views go back to before: they would pass for those that searches saw until now.
    entry.replacedAt = native.nextGeneration()
    entry.definition = next.definition
    delete entry.seen
    if (entry.next === next) delete entry.next
  })
}
