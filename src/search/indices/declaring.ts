import type { Config } from '../../config.ts'
import type { IndexMappings, IndexRecord, IndexSettings } from '../../schema/indices.ts'
import type { Store } from '../../store/store.ts'
import type { Pool } from '../../threads/pool.ts'
import { compileDefinition, type Definition, mustTakeTexts } from './definition.ts'
import { compileDeclared } from './earlier-settings.ts'
import { refuseUnserved, underModel } from './embedder.ts'
import { isSameDefinition, mergeMappings, refuseOtherTypes } from './extension.ts'
import { mustHaveFew } from './few-fields.ts'
import { type Declared, type IndexEntry, latest } from './index-entry.ts'
import { refuseOneTooMany } from './index-limit.ts'
import { nameTaken } from './index-name.ts'
import { refuseMappedTwice } from './mapped-twice.ts'
import { refuseUnopenable } from './openable.ts'
import { unknownIndex } from './unknown-index.ts'

/* What a client declares becomes an index, or more of one: checked, written down, and only then on the list. */

/** The indices that there are, and are about to be. */
export interface Registry {
  store: Store
  config: Config
  pool: Pick<Pool, 'run'>
  entries: Map<string, IndexEntry>
  /** Being made durable: its name is taken already. */
  creating: Map<string, Promise<IndexEntry>>
  /** The change of each index's mapping that was asked for last; one comes after the other. */
  extending: WeakMap<IndexEntry, Promise<unknown>>
}

/** Throws where stored documents don't go with what is declared next. */
export type MayTake = (next: Definition) => Promise<void>

interface Declaration {
  settings: IndexSettings
  mappings: IndexMappings
}

/** Declares an index, as `Indices` has it, under a name that one can have. */
export async function declareIndex(
  registry: Registry,
  name: string,
  { settings, mappings }: Declaration,
): Promise<IndexEntry> {
  const { store, config, pool, entries, creating } = registry
  refuseTaken(registry, name)
  // The embedder in force now is written down: a later change of the setting must not change this index.
  const { embedder } = mustTakeTexts(mustHaveFew(compileDefinition(settings, mappings, config)))
  refuseUnserved(embedder, config)
  const pinned: IndexSettings = {
    ...settings,
    embedder: { ...settings.embedder, ...underModel(embedder, config) },
  }
  const definition = compileDefinition(pinned, mappings, config)
  refuseMappedTwice(definition)
  const checking = refuseUnopenable(pool, definition)
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

/** Adds fields to an index, as `Indices` has it. */
export function extendIndex(
  registry: Registry,
  entry: IndexEntry,
  mappings: IndexMappings,
  mayTake: MayTake,
): Promise<Declared | undefined> {
  const before = registry.extending.get(entry) ?? Promise.resolve()
  const done = before.then(() => extend(registry, entry, mappings, mayTake))
  registry.extending.set(
    entry,
    done.catch(() => undefined),
  )
  return done
}

async function extend(
  { store, config, pool }: Registry,
  entry: IndexEntry,
  added: IndexMappings,
  mayTake: MayTake,
): Promise<Declared | undefined> {
  const before = latest(entry)
  const { settings } = before.record
  const mappings = mergeMappings(before.record.mappings, added)
  const compile = (read: IndexSettings) => compileDefinition(read, mappings, config)
  const definition = mustHaveFew(compileDeclared(settings, compile), before.definition)
  refuseMappedTwice(definition)
  await refuseUnopenable(pool, definition)
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
