import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { native } from '../../native.ts'
import type { IndexMappings, IndexRecord, IndexSettings } from '../../schema/indices.ts'
import { indicesDirectory } from '../../store/folder.ts'
import type { Store } from '../../store/store.ts'
import type { Pool } from '../../threads/pool.ts'
import { compileDefinition, type Definition, mustTakeTexts, type Under } from './definition.ts'
import { compileDeclared, definitionOf } from './earlier-settings.ts'
import { refuseUnserved, underModel } from './embedder.ts'
import { isSameDefinition, mergeMappings, refuseOtherTypes } from './extension.ts'
import { mustHaveFew } from './few-fields.ts'
import { refuseOneTooMany } from './index-limit.ts'
import { nameTaken, refuseMisnamed } from './index-name.ts'
import { refuseMappedTwice } from './mapped-twice.ts'
import { refuseUnopenable } from './openable.ts'
import { removeStrays } from './strays.ts'
import { unknownIndex, unlistedBut, unmade } from './unknown-index.ts'

/** One index as the process knows it. The engine adds what is open; this is what was declared. */
export interface IndexEntry {
  record: IndexRecord
  definition: Definition
  /** What a client has declared since; the engine builds it from the records, then it takes this one's place. */
  next?: Declared
  /** The first generation of its files, where they took the place of others: those showed other lists. */
  replacedAt?: number
  /** What its documents have under names, as far as searches have asked for them; mapped ones stand in the definition. */
  seen?: Map<string, Under>
  /** Deleted: what still holds the entry must find nothing and write nothing. */
  dropped?: true
}

/** A declaration that is durable and stands for what documents may be from now on. */
export type Declared = Pick<IndexEntry, 'record' | 'definition'>

/** What the client declared last, whether or not searches use it already. */
export function latest(entry: IndexEntry): Declared {
  return entry.next ?? entry
}

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
    mayTake: (next: Definition) => Promise<void>,
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

interface Registry {
  store: Store
  config: Config
  pool: Pick<Pool, 'run'>
  entries: Map<string, IndexEntry>
  /** Being made durable: its name is taken already. */
  creating: Map<string, Promise<IndexEntry>>
  /** The change of each index's mapping that was asked for last; one comes after the other. */
  extending: WeakMap<IndexEntry, Promise<unknown>>
  wholeFrom: number
}

/** Reads every declared index from the store. Rejects with a StartError where one can't be read. */
export async function openIndices(
  store: Store,
  config: Config,
  pool: Pick<Pool, 'run'>,
): Promise<Indices> {
  const registry: Registry = { store, config, pool, ...emptyRegistry() }
  const { entries, creating } = registry
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
      return declare(registry, name, { settings, mappings })
    },
    extend: (entry, mappings, mayTake) => {
      const before = registry.extending.get(entry) ?? Promise.resolve()
      const done = before.then(() => extend(registry, entry, mappings, mayTake))
      registry.extending.set(
        entry,
        done.catch(() => undefined),
      )
      return done
    },
    get: (name, path) => {
      const entry = entries.get(name)
      if (entry === undefined) throw unknownIndex(path, unlistedBut(name, entries.keys()))
      return entry
    },
    find: (name) => entries.get(name),
    underWay: (name) => creating.get(name),
    byId: (id) => [...entries.values()].find(({ record }) => record.id === id),
    defaults: () => define(registry, { settings: {}, mappings: {} }),
    ensure: async (name) => {
      // Awaiting nothing would let another document of the same turn begin to make it, too.
      const known = entries.get(name) ?? creating.get(name)
      if (known !== undefined) return known
      if (!config.autoCreateIndex) throw unknownIndex('index', unmade(name, config.defaultIndex))
      refuseMisnamed(name, 'index')
      return declare(registry, name, { settings: {}, mappings: {} })
    },
    all: () => [...entries.values()],
    remove: async (entry) => {
      entries.delete(entry.record.name)
      entry.dropped = true
      leaveBehind(registry)
      const dropped: IndexRecord = { ...latest(entry).record, dropped: true }
      await store.release(() => store.tables.indices.put(dropped.id, dropped))
    },
    wholeFrom: () => registry.wholeFrom,
    leaveBehind: () => leaveBehind(registry),
    directory: ({ engineId }) => join(root, String(engineId)),
  }
}

function emptyRegistry(): Omit<Registry, 'store' | 'config' | 'pool'> {
  // A generation of before the start is gone anyway.
  return { entries: new Map(), creating: new Map(), extending: new WeakMap(), wholeFrom: 0 }
}

function leaveBehind(registry: Registry): void {
  registry.wholeFrom = native.nextGeneration()
}

interface Declaration {
  settings: IndexSettings
  mappings: IndexMappings
}

function define({ config }: Registry, { settings, mappings }: Declaration): Definition {
  return compileDefinition(settings, mappings, config)
}

async function declare(
  registry: Registry,
  name: string,
  { settings, mappings }: Declaration,
): Promise<IndexEntry> {
  const { store, entries, creating } = registry
  refuseTaken(registry, name)
  // The embedder in force now is written down: a later change of the setting must not change this index.
  const { embedder } = mustTakeTexts(mustHaveFew(define(registry, { settings, mappings })))
  refuseUnserved(embedder, registry.config)
  const pinned: IndexSettings = {
    ...settings,
    embedder: { ...settings.embedder, ...underModel(embedder, registry.config) },
  }
  const definition = define(registry, { settings: pinned, mappings })
  refuseMappedTwice(definition)
  const checking = refuseUnopenable(registry.pool, definition)
  if (checking !== undefined) {
    await checking
    // Somebody else may have taken the name, or the last place, meanwhile.
    refuseTaken(registry, name)
  }
  const made = store
    .write(() => {
      const id = nextNumberWithin(store)
      const engineId = nextNumberWithin(store)
      const createdMs = Date.now()
      const record: IndexRecord = { id, engineId, name, createdMs, settings: pinned, mappings }
      store.tables.indices.put(id, record)
      return record
    })
    .then((record) => {
      const entry = { record, definition }
      entries.set(name, entry)
      return entry
    })
    .finally(() => creating.delete(name))
  creating.set(name, made)
  return made
}

function refuseTaken(registry: Registry, name: string): void {
  if (registry.entries.has(name) || registry.creating.has(name)) throw nameTaken()
  refuseOneTooMany(registry, registry.config)
}

async function extend(
  registry: Registry,
  entry: IndexEntry,
  added: IndexMappings,
  mayTake: (next: Definition) => Promise<void>,
): Promise<Declared | undefined> {
  const { store } = registry
  const before = latest(entry)
  const { settings } = before.record
  const mappings = mergeMappings(before.record.mappings, added)
  const compile = (read: IndexSettings) => define(registry, { settings: read, mappings })
  const definition = mustHaveFew(compileDeclared(settings, compile), before.definition)
  refuseMappedTwice(definition)
  await refuseUnopenable(registry.pool, definition)
  refuseOtherTypes(before.definition, definition)
  if (isSameDefinition(before.definition, definition)) return undefined
  // Fields that cut nothing into ngrams need no look at what is stored.
  if (definition.grams.length > before.definition.grams.length) await mayTake(definition)
  const record = await store.write(() => {
    if (entry.dropped === true) throw unknownIndex('name')
    const next: IndexRecord = { ...before.record, mappings, engineId: nextNumberWithin(store) }
    store.tables.indices.put(next.id, next)
    return next
  })
  entry.next = { record, definition }
  return entry.next
}

/** Numbers of indices and of their folders; never used twice. Call within a write. */
function nextNumberWithin(store: Store): number {
  const last = store.tables.meta.get('lastNumber')
  const next = (typeof last === 'number' ? last : 0) + 1
  store.tables.meta.put('lastNumber', next)
  return next
}
