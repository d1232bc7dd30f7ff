import { rm } from 'node:fs/promises'
import { native } from '../native.ts'
import type { Core, EngineParts, OpenState } from './core.ts'
import { definitionJson } from './definition.ts'
import { checkpoint, makeDurable } from './durability.ts'
import { fitRested, fitSoon, isFitting } from './fitting.ts'
import type { IndexEntry } from './indices.ts'
import { type Batch, openPublisher, type Publisher } from './publisher.ts'
import type { OpenInput } from './replay.ts'

/** What the core says about one open index; sizes in bytes. */
export interface IndexFigures {
  documents: number
  deleted: number
  segments: number
  vectors: number
  bytes: number
  memoryBytes: number
  generation: number
  sequence: number
  /** The vector space, and how many documents it was learned from. */
  space: { id: number; kind: string; dimensions: number; cut: number; documents: number }
  graph: boolean
  writer: boolean
}

/**
 * The engine behind the indices: which are open, what they contain, when they become durable.
 * This is the seam where another engine would take its place.
 */
export interface Engine {
  /** Undefined when the index is open and complete; else settles when it is. */
  ready: (entry: IndexEntry) => Promise<void> | undefined
  publish: Publisher['publish']
  /** Opens every index, replaying or rebuilding what needs it. */
  recover: () => Promise<void>
  figures: (entry: IndexEntry) => IndexFigures
  isOpen: (entry: IndexEntry) => boolean
  /** A new vector space is being learned, or is due as soon as the index is at rest. */
  isFitting: (entry: IndexEntry) => boolean
  /**
   * Builds the files of `next` from the records in the background, then switches `entry` to them.
   * Searches and writes go on with the old files until then.
   */
  rebuild: (entry: IndexEntry, next: IndexEntry) => void
  /** Closes the index and deletes its files. */
  drop: (entry: IndexEntry) => Promise<void>
  /** Makes everything durable that start-up would otherwise replay. */
  checkpoint: () => Promise<void>
  /** Learns vector spaces anew for indices that have grown since and are at rest now. */
  refit: () => void
  /** The indices that are open now. */
  opened: () => IndexEntry[]
  close: () => Promise<void>
}

export function openEngine(parts: EngineParts): Engine {
  const core: Core = {
    ...parts,
    states: new Map(),
    uses: 0,
    closing: false,
    rebuilding: new Set(),
    isBusy: (entry) => publisher.isBusy(entry),
  }
  const publisher = openPublisher((entry, batch) => applyBatch(core, entry, batch))
  const stateOf = ({ record }: IndexEntry) => core.states.get(record.engineId)
  return {
    ready: (entry) => ready(core, entry),
    publish: publisher.publish,
    recover: () => recover(core),
    figures: ({ record }) => JSON.parse(native.stats(record.engineId)) as IndexFigures,
    isOpen: (entry) => stateOf(entry) !== undefined && stateOf(entry)?.opening === undefined,
    isFitting: (entry) => isFitting(core, stateOf(entry)),
    rebuild: (entry, next) => {
      const { name } = entry.record
      const done = rebuild(core, publisher, entry, next)
        .catch((err: unknown) => core.log.error({ index: name, err }, 'building an index again'))
        .finally(() => core.rebuilding.delete(done))
      core.rebuilding.add(done)
    },
    drop: ({ record }) => forget(core, record.engineId),
    checkpoint: () => checkpoint(core),
    refit: () => fitRested(core),
    opened: () =>
      [...core.states.values()].filter(({ opening }) => !opening).map(({ entry }) => entry),
    close: async () => {
      core.closing = true
      await Promise.all(core.rebuilding)
      await publisher.idle()
      const states = [...core.states.values()]
      await Promise.all(states.map(({ opening }) => opening?.catch(() => undefined)))
      await Promise.all(states.map(({ fitting }) => fitting))
      await checkpoint(core)
      for (const engineId of core.states.keys()) native.close(engineId)
      core.states.clear()
    },
  }
}

function ready(core: Core, entry: IndexEntry): Promise<void> | undefined {
  const state = core.states.get(entry.record.engineId)
  if (state === undefined) return openIndex(core, entry)
  state.usedAt = ++core.uses
  return state.opening
}

function openIndex(core: Core, entry: IndexEntry): Promise<void> {
  const state: OpenState = {
    entry,
    opening: undefined,
    usedAt: ++core.uses,
    published: 0,
    durable: 0,
    writer: true,
    fitting: undefined,
    seen: -1,
  }
  core.states.set(entry.record.engineId, state)
  state.opening = openFiles(core, state).catch((cause: unknown) => {
    core.states.delete(entry.record.engineId)
    throw cause
  })
  return state.opening
}

async function openFiles(core: Core, state: OpenState): Promise<void> {
  const { record } = state.entry
  const opened = await core.pool.run('open', openInput(core, state.entry))
  state.opening = undefined
  state.published = opened.sequence
  state.durable = opened.replayed > 0 ? 0 : opened.sequence
  if (opened.rebuilt !== undefined)
    core.log.warn({ index: record.name, reason: opened.rebuilt }, 'index rebuilt from the records')
  if (opened.refused.length > 0)
    core.log.error(
      { index: record.name, documents: opened.refused.slice(0, 100) },
      'documents could not be indexed; the others are there',
    )
  if (opened.fitWanted) fitSoon(core, state)
  closeLeastUsed(core)
}

/** Keeps the number of open indices under its limit; one with work under way is never closed. */
function closeLeastUsed(core: Core): void {
  const surplus = core.states.size - core.config.openIndicesMax
  if (surplus <= 0) return
  const idle = [...core.states.values()]
    .filter((state) => !state.opening && !state.fitting && !core.isBusy(state.entry))
    .sort((a, b) => a.usedAt - b.usedAt)
  for (const state of idle.slice(0, surplus))
    closeIndex(core, state).catch((err: unknown) => core.log.error({ err }, 'closing an index'))
}

async function closeIndex(core: Core, state: OpenState): Promise<void> {
  await makeDurable(core, state, true)
  if (core.isBusy(state.entry) || state.published > state.durable) return
  core.states.delete(state.entry.record.engineId)
  native.close(state.entry.record.engineId)
}

async function applyBatch(core: Core, entry: IndexEntry, batch: Batch): Promise<Uint8Array> {
  await ready(core, entry)
  const { engineId, name } = entry.record
  try {
    const report = await core.pool.run('write', { engineId, ...batch })
    const state = core.states.get(engineId)
    if (state !== undefined) {
      state.published = Math.max(state.published, batch.sequence)
      state.writer = true
      if (report.fitWanted) fitSoon(core, state)
    }
    return report.vectorized
  } catch (err) {
    // The records have it: opened again, the index catches up from them.
    core.log.error({ index: name, err }, 'publishing failed; opening the index again')
    core.states.delete(engineId)
    native.close(engineId)
    await ready(core, entry)
    return native.located(engineId, batch.ords).map((bits) => bits >> 1)
  }
}

/** Two steps: most of the work beside the running index, then the rest while its writes wait. */
async function rebuild(
  core: Core,
  publisher: Publisher,
  entry: IndexEntry,
  next: IndexEntry,
): Promise<void> {
  const previous = entry.record.engineId
  await ready(core, next)
  await publisher.exclusive(entry, async () => {
    const { engineId } = next.record
    const state = core.states.get(engineId)
    if (state === undefined) throw new Error('The new files were closed before they were used.')
    const { sequence } = await core.pool.run('open', {
      ...openInput(core, next),
      sequence: state.published,
    })
    state.published = sequence
    state.entry = entry
    entry.record = next.record
    entry.definition = next.definition
  })
  await forget(core, previous)
}

function openInput(core: Core, { record, definition }: IndexEntry): OpenInput {
  return {
    dataDir: core.config.dataDir,
    indexId: record.id,
    engineId: record.engineId,
    directory: core.indices.directory(record),
    definition: definitionJson(definition),
  }
}

async function recover(core: Core): Promise<void> {
  for (const entry of core.indices.all().slice(0, core.config.openIndicesMax)) {
    if (core.closing) return
    try {
      await ready(core, entry)
    } catch (err) {
      core.log.error({ index: entry.record.name, err }, 'opening an index')
    }
  }
}

async function forget(core: Core, engineId: number): Promise<void> {
  const state = core.states.get(engineId)
  await state?.opening?.catch(() => undefined)
  await state?.fitting
  if (core.states.delete(engineId)) native.close(engineId)
  await rm(core.indices.directory({ engineId }), { recursive: true, force: true })
}
