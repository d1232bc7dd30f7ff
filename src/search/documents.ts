import { v7 as uuid } from 'uuid'
import type { Config } from '../config.ts'
import { invalid, ServiceError, serviceError } from '../errors.ts'
import { native } from '../native.ts'
import type { BulkItem, CallerVector } from '../schema/document.ts'
import type { Store } from '../store/store.ts'
import type { Engine } from './engine.ts'
import type { IndexEntry, Indices } from './indices.ts'
import { decodeRecord } from './record.ts'
import { sourceProblem } from './source.ts'
import { checkDimensions, readVector } from './vector.ts'
import { vectorText, type WriteOp, type WriteOutcome, type Writer } from './writer.ts'

type Source = Record<string, unknown>

/** What a write answers; times are ISO 8601. */
export interface Written {
  id: string
  index: string
  vectorized: boolean
  version: number
  created: string
  updated: string
  result: WriteOutcome['result']
}

export interface ReadDocument {
  id: string
  index: string
  version: number
  vectorized: boolean
  created: string
  updated: string
  source: Source
}

/** How long a write waits: until it is searchable, or only until it is durable. */
export interface WriteOptions {
  refresh: boolean
}

export interface Documents {
  create: (item: CreateItem, options: WriteOptions) => Promise<Written>
  /** PUT and PATCH: sent fields replace, unsent ones stay, null removes; an unknown id is created. */
  merge: (target: Target, source: Source, options: WriteOptions) => Promise<Written>
  remove: (target: Target, options: WriteOptions) => Promise<Written>
  /** Each item by itself: a Written, or what was wrong with it. */
  bulk: (
    items: (BulkItem | ServiceError)[],
    defaultIndex: string | undefined,
    options: WriteOptions,
  ) => Promise<(Written | ServiceError)[]>
  get: (id: string, index: string | undefined) => Promise<ReadDocument>
}

export interface CreateItem {
  index: string
  id?: string | undefined
  document: Source
  vector?: CallerVector | undefined
}

/** A document by id; without an index it is looked for in all of them. */
export interface Target {
  id: string
  index: string | undefined
  ifVersion?: number | undefined
}

/** Vectors of texts from an endpoint, row by row; undefined for one that could not be made. */
export type EmbedDocuments = (texts: string[]) => Promise<(Float32Array | undefined)[]>

interface DocumentsParts {
  store: Store
  indices: Indices
  engine: Engine
  writer: Writer
  config: Pick<Config, 'defaultIndex'>
  embed: EmbedDocuments
}

export function openDocuments(parts: DocumentsParts): Documents {
  const { store, indices, engine, writer, config } = parts

  async function write(
    ops: WriteOp[],
    { refresh }: WriteOptions,
  ): Promise<(Written | ServiceError)[]> {
    await embedOps(ops, parts)
    const outcomes = await writer.write(ops)
    const vectorized = await publish(ops, outcomes, refresh)
    return outcomes.map((outcome, at) => {
      const op = ops[at]
      if (outcome instanceof ServiceError || op === undefined) return outcome as ServiceError
      return written(op.entry, outcome, vectorized[at] === 1)
    })
  }

  async function publish(
    ops: WriteOp[],
    outcomes: (WriteOutcome | ServiceError)[],
    refresh: boolean,
  ): Promise<Uint8Array> {
    const vectorized = new Uint8Array(ops.length)
    const byEntry = new Map<IndexEntry, number[]>()
    outcomes.forEach((outcome, at) => {
      const entry = ops[at]?.entry
      if (outcome instanceof ServiceError || entry === undefined) return
      if (outcome.change === undefined) vectorized[at] = hasVector(entry, outcome.ord) ? 1 : 0
      else byEntry.set(entry, [...(byEntry.get(entry) ?? []), at])
    })
    const published = [...byEntry].map(async ([entry, places]) => {
      const changes = places.flatMap((at) => (outcomes[at] as WriteOutcome).change ?? [])
      const flags = await engine.publish(entry, changes, !refresh)
      places.forEach((at, n) => {
        vectorized[at] = flags[n] ?? 0
      })
    })
    if (refresh) await Promise.all(published)
    // Durable already; what goes wrong on the way into the index is logged and repaired there.
    else for (const one of published) one.catch(() => undefined)
    return vectorized
  }

  function hasVector(entry: IndexEntry, ord: number): boolean {
    if (!engine.isOpen(entry)) return false
    const [bits = 0] = native.located(entry.record.engineId, Float64Array.of(ord))
    return (bits & 2) !== 0
  }

  function locate(
    id: string,
    index: string | undefined,
  ): { entry: IndexEntry; ord: number } | undefined {
    const entries = index === undefined ? indices.all() : [indices.get(index)]
    const found = entries.flatMap((entry) => {
      const ord = store.tables.documents.get([entry.record.id, id])
      return ord === undefined ? [] : [{ entry, ord }]
    })
    if (found.length > 1)
      throw serviceError('AMBIGUOUS_ID', 'Several indices hold this id: name one with ?index=.')
    return found[0]
  }

  async function one(op: WriteOp, options: WriteOptions): Promise<Written> {
    const [outcome] = await write([op], options)
    if (outcome === undefined || outcome instanceof ServiceError) throw outcome
    return outcome
  }

  return {
    create: async (item, options) => {
      const entry = await indices.ensure(item.index)
      return one(putOp(entry, item), options)
    },
    merge: async ({ id, index, ifVersion }, source, options) => {
      const known = index === undefined ? locate(id, undefined)?.entry : indices.find(index)
      const entry = known ?? (await indices.ensure(index ?? config.defaultIndex))
      checkSource(source, entry)
      const op: WriteOp = { kind: 'merge', entry, id: checkId(id), source }
      return one(ifVersion === undefined ? op : { ...op, ifVersion }, options)
    },
    remove: async ({ id, index, ifVersion }, options) => {
      const found = locate(id, index)
      if (found === undefined)
        throw serviceError('DOCUMENT_NOT_FOUND', 'There is no such document.')
      const op: WriteOp = { kind: 'delete', entry: found.entry, id, source: {} }
      return one(ifVersion === undefined ? op : { ...op, ifVersion }, options)
    },
    bulk: async (items, defaultIndex, options) => {
      const ops = await Promise.all(items.map((item) => bulkOp(item, defaultIndex, parts)))
      const good = ops.filter((op): op is WriteOp => !(op instanceof ServiceError))
      const outcomes = good.length === 0 ? [] : await write(good, options)
      let next = 0
      return ops.map((op) => (op instanceof ServiceError ? op : (outcomes[next++] as Written)))
    },
    get: async (id, index) => {
      const found = locate(id, index)
      const bytes = found && store.tables.records.peek([found.entry.record.id, found.ord])
      if (found === undefined || bytes === undefined)
        throw serviceError('DOCUMENT_NOT_FOUND', 'There is no such document.')
      await engine.ready(found.entry)
      const record = decodeRecord(bytes)
      return {
        id: record.id,
        index: found.entry.record.name,
        version: record.version,
        vectorized: hasVector(found.entry, found.ord),
        created: new Date(record.createdMs).toISOString(),
        updated: new Date(record.updatedMs).toISOString(),
        source: JSON.parse(record.source) as Source,
      }
    },
  }
}

function written(
  entry: IndexEntry,
  { record, result }: WriteOutcome,
  vectorized: boolean,
): Written {
  return {
    id: record.id,
    index: entry.record.name,
    vectorized: vectorized && result !== 'deleted',
    version: record.version,
    created: new Date(record.createdMs).toISOString(),
    updated: new Date(record.updatedMs).toISOString(),
    result,
  }
}

function putOp(entry: IndexEntry, { id, document, vector }: Omit<CreateItem, 'index'>): WriteOp {
  checkSource(document, entry)
  const op: WriteOp = {
    kind: 'put',
    entry,
    id: id === undefined ? uuid() : checkId(id),
    source: document,
  }
  if (vector === undefined) return op
  const values = readVector(vector, 'vector')
  if (entry.definition.embedder.kind === 'learned')
    throw invalid(
      'vector',
      'is given, but this index makes its own vectors; create it with settings.embedder.kind "given"',
    )
  checkDimensions(values, entry.definition.embedder.dimensions, 'vector')
  return { ...op, vector: values }
}

async function bulkOp(
  item: BulkItem | ServiceError,
  defaultIndex: string | undefined,
  { indices, config }: DocumentsParts,
): Promise<WriteOp | ServiceError> {
  if (item instanceof ServiceError) return item
  const { id, document, vector } = item
  try {
    const name = item.index ?? defaultIndex ?? config.defaultIndex
    if (item.op?.toLowerCase() === 'delete') {
      if (id === undefined) throw invalid('id', 'is required to delete')
      return { kind: 'delete', entry: indices.get(name), id, source: {} }
    }
    if (document === undefined) throw invalid('document', 'is required')
    return putOp(await indices.ensure(name), { id, document, vector })
  } catch (cause) {
    if (cause instanceof ServiceError) return cause
    throw cause
  }
}

function checkSource(source: Source, entry: IndexEntry): void {
  const problem = sourceProblem(source, entry.definition)
  if (problem !== undefined) throw problem
}

function checkId(id: string): string {
  const bytes = Buffer.byteLength(id)
  if (bytes < 1 || bytes > 512) throw invalid('id', 'must be 1 to 512 bytes of UTF-8')
  return id
}

/** Texts of indices whose vectors come from an endpoint are sent there before the write is decided. */
async function embedOps(ops: WriteOp[], { store, embed }: DocumentsParts): Promise<void> {
  const wanted = ops.filter(
    ({ entry, vector, kind }) =>
      kind !== 'delete' && vector === undefined && entry.definition.embedder.kind === 'http',
  )
  if (wanted.length === 0) return
  const texts = wanted.map((op) => vectorText(op.entry, mergedSource(store, op)))
  const vectors = await embed(texts)
  wanted.forEach((op, at) => {
    const vector = vectors[at]
    if (vector !== undefined) Object.assign(op, { vector, vectorOf: texts[at] })
  })
}

function mergedSource(store: Store, { kind, entry, id, source }: WriteOp): Source {
  if (kind === 'put') return source
  const ord = store.tables.documents.get([entry.record.id, id])
  const bytes = ord === undefined ? undefined : store.tables.records.peek([entry.record.id, ord])
  return bytes === undefined
    ? source
    : { ...(JSON.parse(decodeRecord(bytes).source) as Source), ...source }
}
