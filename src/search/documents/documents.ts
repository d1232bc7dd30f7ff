import { openBreath } from '../../breath.ts'
import type { Config } from '../../config.ts'
import { ServiceError, StartError } from '../../errors.ts'
import { isOfUnopened } from '../engine/unopened.ts'
import { latest } from '../indices/index-entry.ts'
import { nameProblem } from '../indices/index-name.ts'
import type { Indices } from '../indices/indices.ts'
import { decodeHead, sourceJson } from '../record.ts'
import { type Conditions, isOneOf, unmet } from './conditions.ts'
import {
  isGone,
  refuseLate,
  type WriteOptions,
  type WriteParts,
  type Written,
  writeDocuments,
  writeInGroups,
  writeToNamed,
} from './document-writes.ts'
import { locate, mustLocate } from './locate.ts'
import type { WriteOp } from './operation.ts'
import {
  bulkOp,
  type CreateItem,
  entryFor,
  putOp,
  type SentItem,
  takenBy,
  under,
  unreadOf,
} from './sent-ops.ts'
import { unfoundValues } from './unfound-values.ts'
import { notInIndex } from './unknown-document.ts'
import { unreadBeside } from './unread-names.ts'

type Source = Record<string, unknown>

/** A document as it is answered. */
export interface ReadDocument {
  version: number
  /**
   * JSON in UTF-8, with the source as it is stored: to parse a large one and write it again would hold everybody up.
   */
  json: Uint8Array
}

/** What is stored has a version that the reader has already. */
export interface NotModified {
  notModified: number
}

export interface Documents {
  create: (item: CreateItem, options: WriteOptions) => Promise<Written>
  /** PUT and PATCH: sent fields replace, unsent ones stay, null removes; an unknown id is created. */
  merge: (target: DocumentTarget, source: Source, options: WriteOptions) => Promise<Written>
  remove: (target: DocumentTarget, options: WriteOptions) => Promise<Written>
  /** Each item by itself: what was written, or what was wrong with it. */
  bulk: (
    items: readonly SentItem[],
    defaultIndex: string | undefined,
    options: WriteOptions,
  ) => Promise<(Written | ServiceError)[]>
  /** Throws VERSION_MISMATCH where the version is not the wanted one. */
  get: (target: DocumentTarget) => Promise<ReadDocument | NotModified>
}

/** A document by id; without an index it is looked for in all of them. */
export interface DocumentTarget extends Conditions {
  id: string
  index: string | undefined
}

interface DocumentsParts extends WriteParts {
  indices: Indices
  config: Pick<Config, 'defaultIndex'>
}

/** Throws a StartError when no index can have the name of the default one. */
export function openDocuments(parts: DocumentsParts): Documents {
  const { store, indices, engine, config } = parts
  const problem = nameProblem(config.defaultIndex)
  if (problem !== undefined) throw new StartError(`DEFAULT_INDEX ${problem}.`, { lasts: true })

  async function one(op: WriteOp, options: WriteOptions): Promise<Written> {
    const [outcome] = await writeDocuments([op], options, parts)
    if (outcome === undefined || outcome instanceof ServiceError) throw outcome
    return outcome
  }

  return {
    create: async (item, options) => {
      const { index, document } = item
      const { ifVersion, unlessVersion, ...sent } = item
      const conditions = { ifVersion, unlessVersion }
      const own = onlyNameless([item], options)
      const entryOf = () => {
        if (indices.find(index) === undefined) refuseUnmet(item)
        return entryFor(indices, index, item)
      }
      return await writeToNamed(entryOf, async (entry) => {
        const outcome = await one(under(conditions, putOp(entry, item)), own)
        const { definition } = latest(entry)
        const unfound = unfoundValues(document, definition, 'document.')
        return withWarnings(outcome, [...unreadBeside(sent, definition), ...unfound])
      })
    },
    merge: async ({ id, index, ...conditions }, source, options) => {
      const sent = { id, document: source, isWhole: true }
      const entryOf = async () => {
        const known =
          index === undefined ? locate(parts, id, undefined)?.entry : indices.find(index)
        if (known === undefined) refuseUnmet(conditions)
        return known ?? (await entryFor(indices, index ?? config.defaultIndex, sent, ''))
      }
      return await writeToNamed(entryOf, async (entry) => {
        const { definition } = latest(entry)
        const op: WriteOp = { kind: 'merge', entry, ...takenBy(definition, sent, '') }
        const outcome = await one(under(conditions, op), options)
        return withWarnings(outcome, unfoundValues(op.source, definition, ''))
      })
    },
    remove: async ({ id, index, ...conditions }, options) => {
      const { entry } = mustLocate(parts, id, index)
      return one(under(conditions, { kind: 'delete', entry, id, source: {} }), options)
    },
    bulk: (items, defaultIndex, options) => writeBulk(items, defaultIndex, options, parts),
    get: async ({ id, index, ifVersion, unlessVersion = [] }) => {
      const { entry, ord } = mustLocate(parts, id, index)
      const stored = store.tables.records.peek([entry.record.id, ord])
      if (stored === undefined) throw notInIndex()
      const record = decodeHead(stored)
      const { version } = record
      refuseUnmet({ ifVersion }, version)
      if (isOneOf(unlessVersion, version)) return { notModified: version }
      const source = Buffer.from(sourceJson(stored))
      // The record is here; a vector that can't be looked for is none.
      await engine.ready(entry)?.catch((cause: unknown) => {
        if (!isOfUnopened(cause)) throw cause
      })
      const head = JSON.stringify({
        id: record.id,
        index: entry.record.name,
        version,
        vectorized: engine.hasVector(entry, ord),
        created: new Date(record.createdMs).toISOString(),
        updated: new Date(record.updatedMs).toISOString(),
      })
      const begun = Buffer.from(`${head.slice(0, -1)},"source":`)
      return { version, json: Buffer.concat([begun, source, Buffer.from('}')]) }
    },
  }
}

async function writeBulk(
  items: readonly SentItem[],
  defaultIndex: string | undefined,
  options: WriteOptions,
  parts: DocumentsParts,
): Promise<(Written | ServiceError)[]> {
  const ops: (WriteOp | ServiceError)[] = []
  const breathe = openBreath()
  for (const sent of items) {
    refuseLate(options)
    ops.push(await bulkOp(sent, defaultIndex, parts))
    await breathe()
  }
  const good = ops.filter((op): op is WriteOp => !(op instanceof ServiceError))
  const own = onlyNameless(
    items.map(({ item }) => item),
    options,
  )
  const outcomes = good.length === 0 ? [] : await writeInGroups(good, own, parts)
  let next = 0
  const replies: (Written | ServiceError)[] = []
  const gone: SentItem[] = []
  for (const [at, op] of ops.entries()) {
    await breathe()
    const item = items[at] as SentItem
    const outcome = op instanceof ServiceError ? op : (outcomes[next++] as Written | ServiceError)
    if (outcome instanceof ServiceError) {
      replies.push(outcome)
      if (isGone(op, outcome)) gone.push(item)
    } else replies.push(withWarnings(outcome, unreadOf(item, op as WriteOp, defaultIndex)))
  }
  if (gone.length === 0) return replies
  const { turn: _, ...again } = own
  const anew = await writeBulk(gone, defaultIndex, again, parts).catch((cause: unknown) => {
    // The others are written.
    if (cause instanceof ServiceError) return gone.map(() => cause)
    throw cause
  })
  const rest = anew.values()
  return replies.map((reply, at) =>
    isGone(ops[at], reply) ? (rest.next().value as Written | ServiceError) : reply,
  )
}

/** What is written twice under an id of its own is there once: only documents without one are worth a note. */
function onlyNameless(
  items: readonly ({ id?: string | undefined } | ServiceError)[],
  options: WriteOptions,
): WriteOptions {
  const isNameless = (item: { id?: string | undefined } | ServiceError) =>
    !(item instanceof ServiceError) && item.id === undefined
  return items.some(isNameless) ? options : { ...options, noteDone: undefined }
}

/** Throws what is unmet; without a version where there is no document. */
function refuseUnmet(conditions: Conditions, version?: number): void {
  const refusal = unmet(conditions, version)
  if (refusal !== undefined) throw refusal
}

function withWarnings(written: Written, warnings: string[]): Written {
  return warnings.length === 0 ? written : { ...written, warnings }
}
