import { rm } from 'node:fs/promises'
import { serviceError } from '../../errors.ts'
import { native } from '../../native.ts'
import { definitionJson } from '../indices/definition.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import { unknownIndex } from '../indices/unknown-index.ts'
import { indexedAs } from '../record.ts'
import type { OpenInput } from './catch-up.ts'
import { isDurable, leastUsed, releaseWriters, retire } from './durability.ts'
import { type EngineState, newState, type OpenState } from './engine-state.ts'
import { forgetMarks, marksOf } from './marks.ts'
import { tellProgress } from './opening-progress.ts'
import { fitSoon } from './rest.ts'
import { dueAgain, isOfUnopened, reportUnopened } from './unopened.ts'

/** Undefined when the index is open and complete; else settles when it is. */
export function ready(engine: EngineState, entry: IndexEntry): Promise<void> | undefined {
  const state = engine.states.get(entry.record.engineId)
  if (state === undefined && entry.dropped === true) return Promise.reject(unknownIndex())
  if (state === undefined && engine.closing)
    return Promise.reject(serviceError('STOPPING', 'The service is stopping; try again soon.'))
  if (state === undefined) return openIndex(engine, entry)
  state.usedAt = ++engine.uses
  return state.opening
}

/** Runs `work` while all these indices are open; see Engine. */
export async function using<T>(
  engine: EngineState,
  entries: IndexEntry[],
  work: () => Promise<T>,
): Promise<T> {
  const held: OpenState[] = []
  const engineIds = entries.map(({ record }) => record.engineId)
  try {
    // All are held before the first is waited for: none of them is switched or closed meanwhile.
    const openings: Promise<void>[] = []
    for (const entry of entries) {
      const opening = ready(engine, entry)
      if (opening !== undefined) openings.push(opening)
      const state = engine.states.get(entry.record.engineId)
      if (state === undefined) continue
      state.users += 1
      held.push(state)
    }
    if (openings.length > 0) await Promise.all(openings)
    return await work()
  } finally {
    // Files that were replaced meanwhile may have been seen at a generation of after that, which another index has.
    entries.forEach((entry, at) => {
      if (entry.record.engineId !== engineIds[at]) entry.replacedAt = native.nextGeneration()
    })
    for (const state of held) if (--state.users === 0) state.onUnused?.()
    closeLeastUsed(engine)
  }
}

function openIndex(engine: EngineState, entry: IndexEntry): Promise<void> {
  const state = newState(entry, ++engine.uses)
  engine.states.set(entry.record.engineId, state)
  state.opening = openFiles(engine, state).catch((cause: unknown) => {
    engine.states.delete(entry.record.engineId)
    throw reportUnopened(engine, entry, cause)
  })
  return state.opening
}

/**
 * Comes by every few seconds: an index that could not be opened is tried again, as where a full disk has room now. It can't
 * be left to searches, since whoever goes by its health sends none. One at a time: others may wait to be opened, too.
 */
export function openAgain(engine: EngineState): void {
  const entry = engine.closing ? undefined : dueAgain(engine)
  // It was logged, and is tried again.
  if (entry !== undefined) ready(engine, entry)?.catch(() => undefined)
}

async function openFiles(engine: EngineState, state: OpenState): Promise<void> {
  const { record } = state.entry
  const opened = await tellProgress(engine.log, record.name, (progress) =>
    engine.pool.run('open', { ...openInput(engine, state.entry), progress }),
  )
  engine.unopened.delete(record.engineId)
  engine.unread.went(record.engineId)
  state.opening = undefined
  state.openedAt = ++engine.uses
  state.published = opened.sequence
  state.durable = opened.replayed > 0 ? 0 : opened.sequence
  state.writer = opened.writer
  if (opened.rebuilt !== undefined)
    engine.log.warn(
      { index: record.name, reason: opened.rebuilt },
      'index rebuilt from the records',
    )
  if (opened.refused.length > 0)
    engine.log.error(
      { index: record.name, documents: opened.refused.slice(0, 100) },
      'documents could not be indexed; the others are there',
    )
  warnOfCut(engine, record.name, opened.cut)
  if (opened.fitWanted) fitSoon(engine, state)
  releaseWriters(engine)
  closeLeastUsed(engine)
}

/** Tells of documents that are not found by all of their ngrams: most likely stored before there was a limit. */
export function warnOfCut({ log }: EngineState, index: string, cut: readonly number[]): void {
  if (cut.length === 0) return
  log.warn(
    { index, documents: cut.slice(0, 100) },
    'documents have more ngrams than are indexed of one: they are found by the first ones only',
  )
}

/** What the job that opens an index needs to know. */
export function openInput(engine: EngineState, { record, definition }: IndexEntry): OpenInput {
  return {
    dataDir: engine.config.dataDir,
    indexId: record.id,
    engineId: record.engineId,
    directory: engine.indices.directory(record),
    definition: definitionJson(definition),
    marks: marksOf(engine.store.tables.meta, record.engineId),
    indexedAs: indexedAs(definition),
  }
}

/**
 * Keeps the number of open indices under its limit; one with work under way is never closed. Half as many as the limit stay
 * beside those: else the one that is searched all the time would go where a bulk, or another search, holds all others.
 */
function closeLeastUsed(engine: EngineState): void {
  const { states, config, closing } = engine
  if (closing || states.size <= config.openIndicesMax) return
  // Each search comes by: for one that is on its way out already, all others would go, too.
  const staying = [...states.values()].filter(({ leaving }) => !leaving)
  const unused = leastUsed(engine, staying)
  const closable = Math.max(0, unused.length - Math.floor(config.openIndicesMax / 2))
  const surplus = Math.max(0, staying.length - config.openIndicesMax)
  for (const state of unused.slice(0, Math.min(surplus, closable))) {
    state.leaving = true
    retire(engine, state, () => closeIndex(engine, state))
  }
}

function closeIndex(engine: EngineState, state: OpenState): void {
  // Somebody may have come while it was made durable.
  if (engine.isBusy(state.entry) || state.users > 0 || !isDurable(state)) return
  const { engineId } = state.entry.record
  // The index may have been built again meanwhile: then this is the number of its successor.
  if (engine.states.get(engineId) !== state) return
  engine.states.delete(engineId)
  native.close(engineId)
}

/** Opens every index in turn; one that can't be opened is logged and tried again: when it is asked for, and by `openAgain`. */
export async function recover(engine: EngineState): Promise<void> {
  for (const entry of engine.indices.all().slice(0, engine.config.openIndicesMax)) {
    if (engine.closing) return
    try {
      await ready(engine, entry)
    } catch (err) {
      if (engine.closing) return
      // That was logged where it failed.
      if (!isOfUnopened(err))
        engine.log.error({ index: entry.record.name, err }, 'opening an index')
    }
  }
}

/** Closes the index once no search needs it any more, and deletes its files. */
export async function forget(engine: EngineState, engineId: number): Promise<void> {
  engine.unopened.delete(engineId)
  engine.unread.drop(engineId)
  engine.unsaved.drop(engineId)
  const state = engine.states.get(engineId)
  await state?.opening?.catch(() => undefined)
  await state?.fitting
  await state?.merging
  await state?.linking
  await state?.retiring
  if (state !== undefined && state.users > 0)
    await new Promise<void>((resolve) => {
      state.onUnused = resolve
    })
  if (engine.states.delete(engineId)) native.close(engineId)
  await rm(engine.indices.directory({ engineId }), { recursive: true, force: true })
  await forgetMarks(engine.store, engineId)
}
