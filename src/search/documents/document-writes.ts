import { ServiceError, serviceError } from '../../errors.ts'
import type { NoteDone } from '../../schema/answer.ts'
import type { Engine } from '../engine/engine.ts'
import { isOfUnopened } from '../engine/unopened.ts'
import { againIfDeleted, isOfDeleted } from '../indices/again-if-deleted.ts'
import { type IndexEntry, latest } from '../indices/index-entry.ts'
import type { WriteOutcome } from './decide.ts'
import { type EmbedParts, embedOps } from './embed-ops.ts'
import { gramsAtMost, groupsByGrams } from './grams.ts'
import type { WriteOp } from './operation.ts'
import { prepareLarge } from './prepared.ts'
import type { Writer } from './writer.ts'

/** What a write answers; times are ISO 8601. */
export interface Written {
  id: string
  index: string
  vectorized: boolean
  version: number
  created: string
  updated: string
  result: WriteOutcome['result']
  /** What was sent in vain. */
  warnings?: string[]
}

/** How long a write waits: until it is searchable, or only until it is durable. */
export interface WriteOptions {
  refresh: boolean
  /** Called for documents that get an id here: written again, they would be there twice. */
  noteDone?: NoteDone | undefined
  /** Set when another write of the same request must be decided first. */
  turn?: Turn
  /**
   * Says that the client was, or will be, told that all has failed: what is not on its way to the
   * records by then is not written.
   */
  isLate?: (() => boolean) | undefined
}

/** Throws once the client is told that its request failed, as when it took too long: it may send it again. */
export function refuseLate({ isLate }: Pick<WriteOptions, 'isLate'>): void {
  if (isLate?.() === true)
    throw serviceError(
      'TIMED_OUT',
      'The request has failed, or took too long; this part of it is not written.',
    )
}

/** A place in a row of writes. */
export interface Turn {
  come: Promise<unknown>
  /** Called when this write can no longer be overtaken. */
  pass: () => void
}

export interface WriteParts extends EmbedParts {
  engine: Engine
  writer: Writer
}

type Outcome = WriteOutcome | ServiceError

/** Writes each operation by itself, in order: first the records, then the indices, then the answer. */
export async function writeDocuments(
  ops: WriteOp[],
  options: WriteOptions,
  parts: WriteParts,
): Promise<(Written | ServiceError)[]> {
  const { refresh, turn, noteDone } = options
  const unopened = await openAll(parts.engine, ops, options)
  if (unopened.size > 0) return writeOpened(ops, unopened, { options, parts })
  await embedOps(ops, parts)
  await prepareLarge(ops, parts.store)
  await turn?.come
  refuseLate(options)
  const writing = parts.writer.write(ops, noteDone)
  turn?.pass()
  const outcomes = await writing
  const vectorized = await publish(parts.engine, ops, outcomes, refresh)
  return outcomes.map((outcome, at) => {
    const op = ops[at]
    if (outcome instanceof ServiceError || op === undefined) return outcome as ServiceError
    return written(op.entry, outcome, vectorized[at] === 1)
  })
}

/**
 * As `writeDocuments`, for any number of operations: all at once, except documents of so many ngrams that they should
 * not be in memory together; these go in groups. When a later group is refused, that is the error of each of its
 * writes, because earlier groups are stored already.
 */
export async function writeInGroups(
  ops: WriteOp[],
  options: WriteOptions,
  parts: WriteParts,
): Promise<(Written | ServiceError)[]> {
  const gramsOf = ({ entry, source }: WriteOp) =>
    gramsAtMost(source, latest(entry).definition.grams)
  const [first = [], ...others] = groupsByGrams(ops, gramsOf)
  if (others.length === 0) return writeDocuments(first, options, parts)
  const { turn, ...own } = options
  await turn?.come
  const outcomes = await writeDocuments(first, own, parts)
  for (const group of others)
    outcomes.push(
      ...(await writeDocuments(group, own, parts).catch((cause: unknown) => {
        if (!(cause instanceof ServiceError)) throw cause
        return group.map(() => cause)
      })),
    )
  turn?.pass()
  return outcomes
}

/** Why an index can't be written to: its files can't be opened. */
type Unopened = Map<IndexEntry, ServiceError>

/**
 * Opened before the records are written: opened after them, an index would replay what is on its way already. Answers
 * those that can't be opened.
 */
async function openAll(engine: Engine, ops: WriteOp[], options: WriteOptions): Promise<Unopened> {
  const unopened: Unopened = new Map()
  for (const entry of new Set(ops.map((op) => op.entry))) {
    refuseLate(options)
    // What was deleted meanwhile is refused write by write.
    if (entry.dropped === true) continue
    const opening = engine.ready(entry)
    if (opening === undefined) continue
    await opening.catch((cause: unknown) => {
      if (!isOfUnopened(cause)) throw cause
      unopened.set(entry, cause)
    })
  }
  return unopened
}

/** Writes to indices that can't be opened fail by themselves; where there are no others, all have failed. */
async function writeOpened(
  ops: WriteOp[],
  unopened: Unopened,
  { options, parts }: { options: WriteOptions; parts: WriteParts },
): Promise<(Written | ServiceError)[]> {
  const possible = ops.filter(({ entry }) => !unopened.has(entry))
  const [cause] = unopened.values()
  if (possible.length === 0) throw cause
  const outcomes = (await writeDocuments(possible, options, parts)).values()
  return ops.map(({ entry }) => unopened.get(entry) ?? (outcomes.next().value as Written))
}

/** Hands the durable changes to their indices; answers 1 for each that can be found by vector. */
async function publish(
  engine: Engine,
  ops: WriteOp[],
  outcomes: Outcome[],
  refresh: boolean,
): Promise<Uint8Array> {
  const vectorized = new Uint8Array(ops.length)
  const places = new Map<IndexEntry, number[]>()
  outcomes.forEach((outcome, at) => {
    const entry = ops[at]?.entry
    if (outcome instanceof ServiceError || entry === undefined) return
    // An unchanged one still waits for the write before it, which may be on its way.
    const own = places.get(entry) ?? []
    if (outcome.change !== undefined) own.push(at)
    places.set(entry, own)
  })
  const published = [...places].map(async ([entry, own]) => {
    const changes = own.flatMap((at) => (outcomes[at] as WriteOutcome).change ?? [])
    // Nothing may wait for them with the documents in its hands: thousands would outlive their answers.
    if (!refresh) return engine.publishSoon(entry, changes)
    const flags = await engine.publish(entry, changes)
    own.forEach((at, n) => {
      vectorized[at] = flags[n] ?? 0
    })
  })
  await Promise.all(published)
  outcomes.forEach((outcome, at) => {
    const entry = ops[at]?.entry
    if (outcome instanceof ServiceError || entry === undefined || outcome.change) return
    vectorized[at] = engine.hasVector(entry, outcome.ord) ? 1 : 0
  })
  return vectorized
}

function written(entry: IndexEntry, outcome: WriteOutcome, vectorized: boolean): Written {
  const { record, result } = outcome
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

/**
 * Writes to the index that has a name by now; to the next one, where that is deleted meanwhile: of two requests, one that
 * deletes an index and one that makes it by a document, no order explains that there is none.
 */
export function writeToNamed<T>(
  entryOf: () => Promise<IndexEntry>,
  write: (entry: IndexEntry) => Promise<T>,
): Promise<T> {
  return againIfDeleted(
    async () => [await entryOf()] as const,
    ([entry]) => write(entry),
  )
}

/** Whether an item's index was there when its write began, and is deleted: it is then written to the next of that name. */
export function isGone(
  op: WriteOp | ServiceError | undefined,
  reply: Written | ServiceError,
): boolean {
  return op !== undefined && 'entry' in op && isOfDeleted(reply, [op.entry])
}
