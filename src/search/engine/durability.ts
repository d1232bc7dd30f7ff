import { newId } from '../../ids.ts'
import { type LastingFailures, openLastingFailures } from '../../lasting-failures.ts'
import type { CheckpointReport } from '../../native.ts'
import { type EngineState, isInUse, type OpenState } from './engine-state.ts'
import { addMark, settleMark } from './marks.ts'
import { forgetRemovals } from './sweep.ts'

/** Makes the files of every open index hold what it has published, one after the other, while `mayGoOn` says so. */
export async function checkpoint(engine: EngineState, mayGoOn = () => true): Promise<void> {
  for (const [engineId, state] of [...engine.states])
    if (mayGoOn() && isOpen(engine, state) && !state.retiring)
      await makeDurable(engine, state, 'keep').catch((err: unknown) =>
        noteFailure(engine, engineId, state, err),
      )
}

/** Indices whose files could not be written, by engine number: a full disk is told of once, and not every few seconds. */
export function openUnsaved({
  states,
  log,
}: Pick<EngineState, 'states' | 'log'>): LastingFailures<number> {
  const about = (engineId: number) => ({ index: states.get(engineId)?.entry.record.name })
  return openLastingFailures(
    (err, engineId) => log.error({ ...about(engineId), err }, 'making an index durable'),
    (engineId) => log.info(about(engineId), 'an index that could not be made durable is so now'),
  )
}

/** False of an index that was deleted, closed or built again while the files of others were written. */
function isOpen(engine: EngineState, state: OpenState): boolean {
  return isInUse(engine, state) && !state.opening && state.entry.dropped !== true
}

/** Notes a failure unless the index is open no longer: its files are then deleted, or replaced. */
function noteFailure(engine: EngineState, engineId: number, state: OpenState, err: unknown): void {
  if (isOpen(engine, state)) engine.unsaved.failed(engineId, err)
}

/** Only so many indices keep a writer: the least used that are at rest give theirs up, soon. */
export function releaseWriters(engine: EngineState): void {
  if (engine.closing) return
  const writers = [...engine.states.values()].filter(({ writer, retiring }) => writer && !retiring)
  const surplus = writers.length - engine.config.openWritersMax
  if (surplus <= 0) return
  for (const state of leastUsed(engine, writers).slice(0, surplus)) retire(engine, state, () => {})
}

/** Waits while as many indices as may have a writer give theirs up: else a bulk that names many would open them faster. */
export async function roomForWriter({ states, config }: EngineState): Promise<void> {
  for (;;) {
    const retiring = [...states.values()].flatMap((state) => state.retiring ?? [])
    if (retiring.length < config.openWritersMax) return
    await Promise.race(retiring)
  }
}

/** The states among these for which nothing is under way; the least used first. */
export function leastUsed(engine: EngineState, states: OpenState[]): OpenState[] {
  return states
    .filter((state) => isInUse(engine, state) && !state.opening && !state.retiring)
    .filter(({ fitting, merging, linking }) => !fitting && !merging && !linking)
    .filter(({ users, entry }) => users === 0 && !engine.isBusy(entry))
    .sort((a, b) => a.usedAt - b.usedAt)
}

/** Makes an index durable, gives up its writer, and calls `then`. One at a time for each index. */
export function retire(engine: EngineState, state: OpenState, then: () => void): void {
  const { engineId } = state.entry.record
  state.retiring = makeDurable(engine, state, 'release')
    .then(then)
    .catch((err: unknown) => noteFailure(engine, engineId, state, err))
    .finally(() => {
      state.retiring = undefined
      state.leaving = false
    })
}

/** Whether the files hold all that the index is. */
export function isDurable({ published, durable, reshaped }: OpenState): boolean {
  return published <= durable && !reshaped
}

/** Whether an index waits for its merges then, and gives memory back. */
type Writer = 'keep' | 'release'

/**
 * Writes what is published to disk, and gives up the writer, if that is to be released. One at a time for each index: two
 * would share a mark, and the one that finds nothing to write would take it away from the files that the other wrote.
 */
function makeDurable(engine: EngineState, state: OpenState, writer: Writer): Promise<void> {
  const before = state.saving
  const own = (async () => {
    await before
    await save(engine, state, writer)
    engine.unsaved.went(state.entry.record.engineId)
  })()
  state.saving = own.catch(() => undefined)
  return own
}

/** Removals that the files cover are forgotten. */
async function save(engine: EngineState, state: OpenState, writer: Writer): Promise<void> {
  if (isDurable(state) && !(writer === 'release' && state.writer)) return
  const { id } = state.entry.record
  // Taken before the checkpoint begins: what happens to the index meanwhile may come too late for these files.
  const { reshaped } = state
  state.reshaped = false
  const report = await writeFiles(engine, state, writer).catch((cause: unknown) => {
    state.reshaped ||= reshaped
    throw cause
  })
  state.durable = report.sequence
  if (writer === 'release') state.writer = false
  // Files that are being built for the same index may still need to be told of them.
  if (!engine.rebuilding.has(id)) await forgetRemovals(engine.store, id, report.sequence)
}

/** Writes the files under a mark of their own; a checkpoint that failed is tried again under the same mark. */
async function writeFiles(
  engine: EngineState,
  state: OpenState,
  writer: Writer,
): Promise<CheckpointReport> {
  const { engineId } = state.entry.record
  state.mark ??= newId()
  const { mark } = state
  await addMark(engine.store, engineId, mark)
  const release = writer === 'release'
  const report = await engine.pool.run('checkpoint', { engineId, release, mark })
  state.mark = undefined
  await settleMark(engine.store, engineId, { mark, isWritten: report.files > 0 })
  return report
}
