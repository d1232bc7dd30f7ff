import { isDeepStrictEqual } from 'node:util'
import type {
  IndexCreated,
  IndexInfo,
  IndexMappings,
  IndexSettings,
  UnopenedIndex,
} from '../schema/indices.ts'
import type { RefuseTooManyGrams } from './documents/stored-grams.ts'
import type { Engine } from './engine/engine.ts'
import { isOfUnopened } from './engine/unopened.ts'
import { refuseContradictions } from './indices/contradictions.ts'
import type { Definition } from './indices/definition.ts'
import { unheldVectors } from './indices/embedder.ts'
import { type Declared, type IndexEntry, latest } from './indices/index-entry.ts'
import { nameTaken } from './indices/index-name.ts'
import type { Indices } from './indices/indices.ts'
import { refuseMistypedFields } from './indices/mistyped-fields.ts'
import { refuseMistypedParts } from './indices/mistyped-parts.ts'
import { refuseNamedOften } from './indices/named-often.ts'
import { refuseUnknownParts } from './indices/own-parts.ts'
import { shownDeclaration } from './indices/shown.ts'
import { refuseMalformedSynonyms } from './indices/synonyms.ts'
import { undeclaredIn } from './indices/undeclared.ts'

interface Declaration {
  settings?: IndexSettings | undefined
  mappings?: IndexMappings | undefined
}

/** Indices as clients see them: declared, listed, measured, deleted. */
export interface Catalog {
  create: (name: string, declaration: Declaration) => Promise<IndexCreated>
  /** Creates, or adds fields to an index that exists; without a change it is a conflict. */
  put: (name: string, declaration: Declaration) => Promise<IndexCreated>
  /** One whose files can't be opened takes none of the others from the list. */
  list: () => Promise<(IndexInfo | UnopenedIndex)[]>
  get: (name: string) => Promise<IndexInfo>
  remove: (name: string) => Promise<{ name: string; deleted: boolean }>
}

export function openCatalog(
  indices: Indices,
  engine: Engine,
  forgetRecords: (indexId: number) => Promise<void>,
  refuseTooManyGrams: RefuseTooManyGrams,
): Catalog {
  async function create(name: string, declaration: Declaration): Promise<IndexCreated> {
    const { settings = {}, mappings = {} } = declaration
    await refuseWrongSettings(settings)
    refuseMistypedFields(mappings.properties)
    const made = await indices.create(name, settings, mappings)
    const unheld = unheldVectors(settings, made.definition.embedder)
    return declared(made, asKept(settings, made), [...undeclaredIn(declaration), ...unheld])
  }

  function summary(entry: IndexEntry): Promise<IndexInfo> {
    // As one of many it might be closed again before it is read.
    return engine.using([entry], async () => {
      const { documents, bytes, generation, vectors, space } = engine.figures(entry)
      const { kind, id, dimensions } = space
      return {
        name: entry.record.name,
        created: new Date(entry.record.createdMs).toISOString(),
        documents,
        bytes,
        generation,
        settled: engine.isSettled(entry),
        vectorSpace: { kind, version: id, dimensions, vectors, fitting: engine.isFitting(entry) },
        ...shownDeclaration(latest(entry).record),
      }
    })
  }

  return {
    create,
    put: async (name, declaration) => {
      const underWay = indices.underWay(name)
      const entry = underWay === undefined ? indices.find(name) : await underWay
      if (entry === undefined) return create(name, declaration)
      const { properties = {}, dynamic } = declaration.mappings ?? {}
      if (Object.keys(properties).length === 0 && dynamic === undefined)
        throw nameTaken(CHANGED_ALONE)
      refuseMistypedFields(properties)
      const next = await indices.extend(entry, declaration.mappings ?? {}, (definition) =>
        refuseTooManyGrams(entry, definition),
      )
      if (next === undefined) throw nameTaken('; it has all of these mappings')
      await engine.rebuild(entry)
      const { settings } = next.record
      const kept = isOther(declaration.settings, settings) ? [KEPT] : []
      return declared(next, settings, [...undeclaredIn(declaration), ...kept])
    },
    list: async () => {
      const summaries: (IndexInfo | UnopenedIndex)[] = []
      for (const entry of indices.all()) {
        const made = await summary(entry).catch((cause: unknown) => {
          if (entry.dropped !== true) return withoutFigures(entry, cause)
        })
        // One that is deleted while others are opened is in no list.
        if (made !== undefined && entry.dropped !== true) summaries.push(made)
      }
      return summaries
    },
    get: async (name) => {
      const entry = indices.get(name, 'name')
      const now = latest(entry)
      const fields = effectiveFields(now.definition)
      return { ...(await summary(entry)), ...declared(now, now.record.settings), fields }
    },
    remove: async (name) => {
      const entry = indices.get(name, 'name')
      await indices.remove(entry)
      await engine.drop(entry)
      // Searches that were under way have seen it until now.
      indices.leaveBehind()
      await forgetRecords(entry.record.id)
      return { name, deleted: true }
    },
  }
}

/** What an index that is there may say, and a new one may not. */
async function refuseWrongSettings(settings: IndexSettings): Promise<void> {
  refuseMistypedParts(settings)
  refuseUnknownParts(settings)
  refuseContradictions(settings)
  await refuseMalformedSynonyms(settings)
  await refuseNamedOften(settings)
}

/** Settings as they were sent, but for words of closed lists, which may have come in any case. */
function asKept(settings: IndexSettings, { record }: IndexEntry): IndexSettings {
  const { embedder } = record.settings
  const isKept = settings.embedder !== undefined && embedder !== undefined
  return isKept ? { ...settings, embedder } : settings
}

function withoutFigures({ record }: IndexEntry, cause: unknown): UnopenedIndex {
  if (!isOfUnopened(cause)) throw cause
  const created = new Date(record.createdMs).toISOString()
  return { name: record.name, created, error: cause.message }
}

const CHANGED_ALONE =
  '; what can be changed are mappings.properties, to which fields are added, and mappings.dynamic'

const KEPT =
  'settings: an index keeps those that it was created with; create another one to change them.'

/** Whether settings that were sent say something else than those that an index has. */
function isOther(sent: IndexSettings = {}, own: IndexSettings): boolean {
  return Object.entries(sent).some(
    ([name, value]) => !isDeepStrictEqual(value, own[name as keyof IndexSettings]),
  )
}

function declared(
  { record, definition }: Declared,
  settings: IndexSettings,
  more: readonly string[] = [],
): IndexCreated {
  const warnings = [...definition.warnings, ...more]
  return {
    name: record.name,
    ...shownDeclaration({ settings, mappings: record.mappings }),
    created: new Date(record.createdMs).toISOString(),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

/** What is searched, filtered and sorted by, as the mapping and the defaults under it say. */
function effectiveFields({
  fields,
  objects,
  embedder,
}: Definition): NonNullable<IndexInfo['fields']> {
  const isGiven = embedder.kind === 'given'
  const named = fields.map(
    ({ name, type, analyzer, weight = 1, searched = false, vectorized = false }) => {
      const field = {
        type,
        searched,
        vectorized: vectorized && !isGiven,
        ...(analyzer === undefined ? {} : { analyzer }),
        ...(weight === 1 ? {} : { weight }),
      }
      return [name, field] as const
    },
  )
  const holders = objects.map(({ name }) => [name, { type: 'object' }] as const)
  const { field, dimensions } = embedder
  const vectors =
    field === undefined ? [] : ([[field, { type: 'dense_vector', dimensions }]] as const)
  return Object.fromEntries([...named, ...holders, ...vectors])
}
