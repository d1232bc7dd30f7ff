import { setTimeout as pause } from 'node:timers/promises'
import { isObject } from '../object.ts'
import { type Client, connectionFailure, keyAdvice, type ServerAnswer } from './client.ts'
import type { FoundDocument, Unreadable } from './read/record.ts'
import { commandError } from './terminal.ts'

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000
/** A server that takes nothing for this long is given up. */
const GIVE_UP_MS = 120_000
/** So many broken connections in a row are the batch's fault, not the network's. */
const RESETS_MAX = 4

export interface BulkOptions {
  /** Index of documents that name none; the server's default when undefined. */
  index?: string
  signal: AbortSignal
  /** Hears that a batch waits, and why. */
  onWait: (ms: number, why: string) => void
  giveUpMs?: number
}

/** What became of one batch. */
export interface BulkOutcome {
  /** Documents that were stored. */
  accepted: FoundDocument[]
  deleted: number
  /** Deletions of documents that were not there. */
  absent: number
  refused: Unreadable[]
  /** What the server warned of, of documents that it took. */
  warned: Unreadable[]
}

/**
 * Sends one batch and stays with it until every document is settled. Overload (429, 503)
 * and broken connections are waited out, longer each time and never shorter than Retry-After asks;
 * sending twice is harmless because ids are fixed. A batch that is refused as a whole is halved until
 * the document at fault stands alone. Throws when the server refuses the request itself, and when it
 * has taken nothing for `giveUpMs`.
 */
export async function sendBatch(
  client: Client,
  batch: readonly FoundDocument[],
  options: BulkOptions,
): Promise<BulkOutcome> {
  const outcome = nothing()
  let pending: readonly FoundDocument[] = batch
  let patience = openPatience(options)
  while (pending.length > 0) {
    options.signal.throwIfAborted()
    const answer = await attempt(client, pending, options)
    const verdict = verdictOn(answer)
    if (verdict.is === 'fatal') throw fatal(verdict.reply)
    if (verdict.is === 'batch' || (verdict.is === 'reset' && patience.resets() >= RESETS_MAX))
      return added(
        outcome,
        await halved(pending, reasonOf(answer), (half) => sendBatch(client, half, options)),
      )
    if (verdict.is !== 'taken') {
      await patience.wait(answer)
      continue
    }
    const before = pending.length
    pending = settle(pending, verdict.reply, outcome)
    if (pending.length === before) await patience.wait({ ...verdict.reply, error: 'overloaded' })
    else patience = openPatience(options)
  }
  return outcome
}

/** A reply, or the short name of what broke the connection. */
type Answer = ServerAnswer | string

async function attempt(client: Client, batch: readonly FoundDocument[], options: BulkOptions) {
  const query = options.index === undefined ? '' : `?index=${encodeURIComponent(options.index)}`
  const lines = batch.map((found) => `${lineOf(found)}\n`).join('')
  try {
    return await client.postLines(`/cortex/documents/bulk${query}`, lines)
  } catch (error) {
    const code = connectionFailure(error)
    if (code === undefined) throw error
    return code
  }
}

/** A document as one line of the request. */
export function lineOf({ op, id, index, document, vector }: FoundDocument): string {
  return JSON.stringify({ op, index, id, document, vector })
}

/** What an answer means for its batch: it tells of each document, or something is in the way. */
type Verdict =
  | { is: 'taken' | 'fatal'; reply: ServerAnswer }
  /** The server is busy, the connection broke, or a document in the batch is at fault. */
  | { is: 'wait' | 'reset' | 'batch' }

export function verdictOn(answer: Answer): Verdict {
  if (typeof answer === 'string') return { is: answer === 'ECONNREFUSED' ? 'wait' : 'reset' }
  const { success, status, code } = answer
  if (success) return { is: 'taken', reply: answer }
  if ([408, 429, 502, 503, 504].includes(status)) return { is: 'wait' }
  const isOfBatch = status === 413 || code === 'MALFORMED_JSON' || code === 'JSON_TOO_DEEP'
  return isOfBatch ? { is: 'batch' } : { is: 'fatal', reply: answer }
}

function fatal(reply: ServerAnswer): Error {
  const reason = `${reply.error ?? reply.status}${keyAdvice(reply)}`
  return commandError(`The server refuses the documents: ${reason}`)
}

function reasonOf(answer: Answer): string {
  if (typeof answer === 'string') return `the server closes the connection on it (${answer})`
  return answer.error ?? `status ${answer.status}`
}

/** Sends the halves of a batch that was refused as a whole; one document by itself is what was refused. */
async function halved(
  batch: readonly FoundDocument[],
  reason: string,
  send: (half: readonly FoundDocument[]) => Promise<BulkOutcome>,
): Promise<BulkOutcome> {
  const [first] = batch
  if (batch.length === 1 && first !== undefined)
    return { ...nothing(), refused: [{ file: first.file, line: first.line, reason }] }
  const middle = batch.length >> 1
  const outcome = await send(batch.slice(0, middle))
  return added(outcome, await send(batch.slice(middle)))
}

function nothing(): BulkOutcome {
  return { accepted: [], deleted: 0, absent: 0, refused: [], warned: [] }
}

function added(one: BulkOutcome, other: BulkOutcome): BulkOutcome {
  return {
    accepted: [...one.accepted, ...other.accepted],
    deleted: one.deleted + other.deleted,
    absent: one.absent + other.absent,
    refused: [...one.refused, ...other.refused],
    warned: [...one.warned, ...other.warned],
  }
}

/** Counts what became of each document; returns what the server was too busy for. */
function settle(
  batch: readonly FoundDocument[],
  reply: ServerAnswer,
  outcome: BulkOutcome,
): FoundDocument[] {
  const items = Array.isArray(reply.data.items) ? (reply.data.items as unknown[]) : []
  if (items.length !== batch.length)
    throw commandError(`The server answered ${items.length} results for ${batch.length} documents.`)
  const again: FoundDocument[] = []
  for (const [position, found] of batch.entries()) {
    const item = items[position]
    const { status = 0, code, warnings = [] } = isObject(item) ? item : {}
    const { file, line } = found
    for (const reason of Array.isArray(warnings) ? warnings : [])
      outcome.warned.push({ file, line, reason: String(reason) })
    const deletes = found.document === undefined
    if (Number(status) >= 200 && Number(status) < 300) {
      if (deletes) outcome.deleted += 1
      else outcome.accepted.push(found)
    } else if (deletes && code === 'DOCUMENT_NOT_FOUND') outcome.absent += 1
    else if (status === 429 || status === 503) again.push(found)
    // A full disk is no fault of the document: those behind it fare no better, and the load goes on later.
    else if (status === 507) throw commandError(`The server refuses: ${itemError(item)}`)
    else outcome.refused.push({ file, line, reason: refusalOf(item, found) })
  }
  return again
}

function refusalOf(item: unknown, { advice }: FoundDocument): string {
  return advice === undefined ? itemError(item) : `${itemError(item)} ${advice}`
}

function itemError(item: unknown): string {
  if (!isObject(item)) return 'the server gave no result for it'
  const { error } = item
  if (typeof error === 'string') return error
  if (isObject(error)) return String(error.message ?? error.error ?? error.code)
  return `status ${item.status}`
}

/** Waits longer each time, with jitter so that several loaders don't come back together. */
export function openPatience({ signal, onWait, giveUpMs = GIVE_UP_MS }: BulkOptions) {
  const started = performance.now()
  let attempts = 0
  let resets = 0
  return {
    resets: () => resets,
    wait: async (answer: Answer): Promise<void> => {
      const why = typeof answer === 'string' ? answer : (answer.error ?? `status ${answer.status}`)
      resets = typeof answer === 'string' && answer !== 'ECONNREFUSED' ? resets + 1 : 0
      if (performance.now() - started > giveUpMs)
        throw commandError(
          `The server has taken nothing for ${Math.round(giveUpMs / 1000)} s (${why}). ` +
            'When it is well again, run the same command with --resume.',
        )
      const growing = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts)
      attempts += 1
      const asked = typeof answer === 'string' ? 0 : (answer.retryAfterMs ?? 0)
      const ms = Math.max(asked, growing * (0.5 + Math.random() / 2))
      onWait(ms, why)
      await pause(ms, undefined, { signal })
    },
  }
}
