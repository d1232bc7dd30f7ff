import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { native } from '../../native.ts'
import type { IndexMappings, IndexRecord, IndexSettings } from '../../schema/indices.ts'
import { indicesDirectory } from '../../store/folder.ts'
import type { Store } from '../../store/store.ts'
import type { Pool } from '../../threads/pool.ts'
import { declareIndex, extendIndex, type MayTake, type Registry } from './declaring.ts'
import { compileDefinition, type Definition } from './definition.ts'
import { definitionOf } from './earlier-settings.ts'
import { type Declared, type IndexEntry, latest } from './index-entry.ts'
import { refuseMisnamed } from './index-name.ts'
import { removeStrays } from './strays.ts'
import { unknownIndex, unlistedBut, unmade } from './unknown-index.ts'

export interface Indices {
  /** Declares an index; durable when it resolves. Throws INDEX_EXISTS, LIMIT_REACHED, or what is wrong with the declaration. */
  create: (name: string, settings: IndexSettings, mappings: IndexMappings) => Promise<IndexEntry>
  /**
   * Adds fields to an index; durable when it resolves. `entry.next` is then what the engine must build and
   * switch to; answers undefined when nothing is different. Throws MAPPING_CONFLICT on a changed type.
   */
  extend: (
    entry: IndexEntry,
    mappings: IndexMappings,
    mayTake: MayTake,
  ) => Promise<Declared | undefined>
  /** Throws INDEX_NOT_FOUND about the place where the name was sent; default: index. */
  get: (name: string, path?: string) => IndexEntry
  find: (name: string) => IndexEntry | undefined
  /** One that is just being made durable. */
  underWay: (name: string) => Promise<IndexEntry> | undefined
  byId: (id: number) => IndexEntry | undefined
  /** What an index is that was declared with nothing but its name. */
  defaults: () => Definition
  /** The index of a document that names it: created with the defaults when that is allowed. */
  ensure: (name: string) => Promise<IndexEntry>
  all: () => IndexEntry[]
  /** Forgets the index; its records are cleared in the background by the engine. */
  remove: (entry: IndexEntry) => Promise<void>
  /**
   * The first generation that saw no index which is deleted, or can't be opened, by now: with an earlier one, a search of
   * all indices would lack some.
   */
  wholeFrom: () => number
  /** Notes that all generations so far may have seen an index that is deleted, or can't be opened any more. */
  leaveBehind: () => void
  /** Folder of the index's derived files, named by internal number only. */
  directory: (record: Pick<IndexRecord, 'engineId'>) => string
}

/** Reads every declared index from the store. Rejects with a StartError where one can't be read. */
export async function openIndices(
  store: Store,
  config: Config,
  pool: Pick<Pool, 'run'>,
): Promise<Indices> {
  const entries: Registry['entries'] = new Map()
  const creating: Registry['creating'] = new Map()
  const registry = { store, config, pool, entries, creating, extending: new WeakMap() }
  // A generation of before the start is gone anyway.
  let wholeFrom = 0
  const leaveBehind = () => {
    wholeFrom = native.nextGeneration()
  }
  const root = indicesDirectory(config.dataDir)
  for (const { value: record } of store.tables.indices.range())
    if (record.dropped !== true)
      entries.set(record.name, { record, definition: definitionOf(record, config) })
  await removeStrays(
    root,
    new Set([...entries.values()].map(({ record }) => String(record.engineId))),
  )
  return {
    create: async (name, settings, mappings) => {
      refuseMisnamed(name, 'name')
      return declareIndex(registry, name, { settings, mappings })
    },
    extend: (entry, mappings, mayTake) => extendIndex(registry, entry, mappings, mayTake),
    get: (name, path) => {
      const entry = entries.get(name)
      if (entry === undefined) throw unknownIndex(path, unlistedBut(name, entries.keys()))
      return entry
    },
    find: (name) => entries.get(name),
    underWay: (name) => creating.get(name),
    byId: (id) => [...entries.values()].find(({ record }) => record.id === id),
    defaults: () => compileDefinition({}, {}, config),
    ensure: async (name) => {
      // Awaiting nothing would let another document of the same turn begin to make it, too.
      const known = entries.get(name) ?? creating.get(name)
      if (known !== undefined) return known
      if (!config.autoCreateIndex) throw unknownIndex('index', unmade(name, config.defaultIndex))
      refuseMisnamed(name, 'index')
      return declareIndex(registry, name, { settings: {}, mappings: {} })
    },
    all: () => [...entries.values()],
    remove: async (entry) => {
      entries.delete(entry.record.name)
      entry.dropped = true
      leaveBehind()
      const dropped: IndexRecord = { ...latest(entry).record, dropped: true }
      await store.release(() => store.tables.indices.put(dropped.id, dropped))
    },
    wholeFrom: () => wholeFrom,
    leaveBehind,
    directory: ({ engineId }) => join(root, String(engineId)),
  }
}
