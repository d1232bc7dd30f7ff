import { native } from '../../native.ts'
import { openSemaphore } from '../../semaphore.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import { indexedAs } from '../record.ts'
import { type Batch, batchAfter, isLarge } from './batch.ts'
import { close, giveUp, giveUpOpening } from './closing.ts'
import { checkpoint, openUnsaved, releaseWriters, roomForWriter } from './durability.ts'
import type { EngineParts, EngineState } from './engine-state.ts'
import { type IndexFigures, readIndexFigures } from './figures.ts'
import { vectorizedNow } from './located.ts'
import { openable } from './openable.ts'
import { forget, openAgain, ready, recover, using, warnOfCut } from './opening.ts'
import { openPublisher, type Publisher } from './publisher.ts'
import { rebuildSoon } from './rebuild.ts'
import { fitInTime, isFitting, isSettled, tendRested } from './rest.ts'
import { openUnread } from './unopened.ts'

/**
 * The engine behind the indices: which are open, what they contain, when they become durable. Searches ask the core
 * themselves, in threads, while `using` keeps their indices open: `query/core-answer.ts`.
 */
export interface Engine {
  /** Undefined when the index is open and complete; else settles when it is. */
  ready: (entry: IndexEntry) => Promise<void> | undefined
  /** Runs `work` while all these indices are open and complete; none of them is closed before it settles. */
  using: <T>(entries: IndexEntry[], work: () => Promise<T>) => Promise<T>
  /**
   * Those of the indices whose files can be opened, for whoever asks for all there are; all, where none can be. Settles when
   * they are open, unless another search has had one of them closed by then.
   */
  openable: (entries: IndexEntry[]) => IndexEntry[] | Promise<IndexEntry[]>
  publish: Publisher['publish']
  publishSoon: Publisher['publishSoon']
  /** Opens every index, replaying or rebuilding what needs it. */
  recover: () => Promise<void>
  figures: (entry: IndexEntry) => IndexFigures
  /**
   * What an open index has under each name, mapped or not: 1 where a document has a value by it, 2 for objects alone,
   * 3 where no mapping has it and no value is a number, 0 for nothing.
   */
  underNames: (entry: IndexEntry, names: string[]) => Uint8Array
  /** Names that documents of an open index have fields by; with very many fields, some of them. */
  fieldNames: (entry: IndexEntry) => string[]
  isOpen: (entry: IndexEntry) => boolean
  /** Whether a document, by its number, can be found by its vector now; that of an index that is not open can't. */
  hasVector: (entry: IndexEntry, ord: number) => boolean
  /** A new vector space is being learned, or is due as soon as the index is at rest. */
  isFitting: (entry: IndexEntry) => boolean
  /**
   * Builds the files of `entry.next` from the records in the background, then switches to them.
   * Searches and writes go on with the old files until then. Resolves when that is done, or takes long: what is written
   * next is mostly found by what was declared.
   */
  rebuild: (entry: IndexEntry) => Promise<void>
  /** Closes the index and deletes its files. */
  drop: (entry: IndexEntry) => Promise<void>
  /** Nothing is left to do for the index at rest: space learned, segments merged, graph grown. */
  isSettled: (entry: IndexEntry) => boolean
  /** Makes everything durable that start-up would otherwise replay. */
  checkpoint: () => Promise<void>
  /**
   * Looks after indices at rest: learns vector spaces anew where they have grown, merges segments. Tries again to open those
   * whose files could not be.
   */
  tend: () => void
  /** The indices that are open now, each once; the figures of each can be read. */
  opened: () => IndexEntry[]
  /** Names of the indices whose files can't be opened. */
  unopened: () => string[]
  /** The open ones by their numbers; those of openings ascend. */
  openings: () => { indexId: number; engineId: number; opening: number }[]
  /** Settles soon: no index is opened from here on, and those that are being opened are given up. */
  giveUpOpening: () => Promise<void>
  close: () => Promise<void>
}

/** They are read on the main thread, for somebody who has mistyped one. */
const FIELD_NAMES_MAX = 256

export function openEngine(parts: EngineParts): Engine {
  const states: EngineState['states'] = new Map()
  const engine: EngineState = {
    ...parts,
    states,
    unsaved: openUnsaved({ ...parts, states }),
    unopened: new Map(),
    unread: openUnread(parts),
    uses: 0,
    closing: false,
    rebuilding: new Map(),
    openingToWrite: openSemaphore(parts.config.openWritersMax),
    isBusy: (entry) => publisher.isBusy(entry),
  }
  const publisher = openPublisher((entry, batch) => applyBatch(engine, entry, batch))
  const stateOf = ({ record }: IndexEntry) => engine.states.get(record.engineId)
  const isOpen = (entry: IndexEntry) => {
    const state = stateOf(entry)
    return state !== undefined && state.opening === undefined
  }
  return {
    ready: (entry) => ready(engine, entry),
    using: (entries, work) => using(engine, entries, work),
    openable: (entries) => openable(engine, entries),
    publish: publisher.publish,
    publishSoon: publisher.publishSoon,
    recover: () => recover(engine),
    figures: readIndexFigures,
    underNames: ({ record }, names) => native.underNames(record.engineId, names),
    fieldNames: ({ record }) => native.fieldNames(record.engineId, FIELD_NAMES_MAX),
    isOpen,
    hasVector: (entry, ord) =>
      isOpen(entry) && vectorizedNow(entry.record.engineId, Float64Array.of(ord))[0] === 1,
    isFitting: (entry) => isFitting(engine, stateOf(entry)),
    isSettled: (entry) => isSettled(engine, stateOf(entry)),
    rebuild: (entry) => rebuildSoon(engine, publisher, entry),
    drop: async (entry) => {
      await engine.rebuilding.get(entry.record.id)
      await publisher.settled(entry)
      await forget(engine, entry.record.engineId)
    },
    checkpoint: () => checkpoint(engine, () => !engine.closing),
    tend: () => {
      openAgain(engine)
      tendRested(engine)
    },
    opened: () => openedNow(engine),
    unopened: () => [...engine.unopened.values()].map(({ entry }) => entry.record.name),
    openings: () => openings(engine),
    giveUpOpening: () => giveUpOpening(engine),
    close: () => close(engine, publisher),
  }
}

/**
 * Leaves out files that are being built for an index, those that were replaced and are still being read, and those of an
 * index that was deleted: the index then goes by the number of other files, which may be closed.
 */
function openedNow({ states, indices }: EngineState): IndexEntry[] {
  const opened: IndexEntry[] = []
  for (const [engineId, { entry, opening }] of states) {
    const isCurrent =
      indices.find(entry.record.name) === entry && entry.record.engineId === engineId
    if (isCurrent && opening === undefined) opened.push(entry)
  }
  return opened
}

function openings({ states }: EngineState): ReturnType<Engine['openings']> {
  const open = [...states.values()].filter(({ opening }) => opening === undefined)
  return open.map(({ entry: { record }, openedAt }) => {
    return { indexId: record.id, engineId: record.engineId, opening: openedAt }
  })
}

/** One that is not open yet has the write in its records: to open it takes a writer. */
async function openToWrite(engine: EngineState, entry: IndexEntry): Promise<void> {
  if (engine.states.has(entry.record.engineId)) await ready(engine, entry)
  else
    await engine.openingToWrite(async () => {
      await roomForWriter(engine)
      await ready(engine, entry)
    })
}

async function applyBatch(
  engine: EngineState,
  entry: IndexEntry,
  batch: Batch,
): Promise<Uint8Array> {
  await openToWrite(engine, entry)
  if (batch.ords.length === 0 && batch.deletes.length === 0) return new Uint8Array()
  const { engineId, name } = entry.record
  try {
    const state = engine.states.get(engineId)
    // Right after a switch the index has caught up with writes whose turn comes only now.
    const fresh = batchAfter(batch, state?.published ?? 0)
    const { dataDir } = engine.config
    const report = await engine.pool.run(isLarge(batch) ? 'bulk' : 'write', {
      dataDir,
      indexId: entry.record.id,
      engineId,
      indexedAs: indexedAs(entry.definition),
      ...fresh,
    })
    if (state !== undefined) {
      state.published = Math.max(state.published, batch.sequence)
      state.writer = true
      releaseWriters(engine)
      if (report.fitWanted) fitInTime(engine, state)
    }
    warnOfCut(engine, name, report.cut)
    if (fresh !== batch) return vectorizedNow(engineId, batch.ords)
    return report.vectorized
  } catch (err) {
    if (engine.closing) {
      giveUp(engine, engineId)
      throw err
    }
    // The records have it: opened again, the index catches up from them.
    engine.log.error({ index: name, err }, 'publishing failed; opening the index again')
    engine.states.delete(engineId)
    native.close(engineId)
    await ready(engine, entry)
    return vectorizedNow(engineId, batch.ords)
  }
}
