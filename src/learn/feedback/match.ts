import { hash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { isId } from '../../ids.ts'
import type { Impression } from '../facts.ts'
import { hitOf } from '../loop/join.ts'
import type { Log } from '../loop/log.ts'
import { isOthers, namesUnshown, type ReadEntry } from './feedback-entries.ts'

/** An entry, and under what it is marked as told; without a mark it speaks of no search that is known. */
export interface Told {
  entry: ReadEntry
  mark: string | undefined
  /** It speaks of a result that its search did not show. */
  isUnshown: boolean
  /** It speaks of what somebody else was shown. */
  isOthers: boolean
}

/** Who tells. */
interface Teller {
  sessionId: string
  unit: string
}

/** Time for which the entries of one request may hold the main thread before it is its turn again. */
const SLICE_MS = 0.5

function lost(entry: ReadEntry): Told {
  return { entry, mark: undefined, isUnshown: false, isOthers: false }
}

export function unmatched(read: ReadEntry[]): Told[] {
  return read.map(lost)
}

/** Looks up, before the transaction, what need not be looked up inside: nothing else runs while that does. */
export async function match(
  read: ReadEntry[],
  who: Teller,
  { log, lull }: { log: Log; lull: () => Promise<void> },
): Promise<Told[]> {
  // Reading an impression costs more than all else here, and most requests speak of few.
  const shown = new Map<string, Impression | undefined>()
  const find = (queryId: string): Impression | undefined => {
    if (!shown.has(queryId)) shown.set(queryId, isId(queryId) ? log.shown(queryId) : undefined)
    return shown.get(queryId)
  }
  const told: Told[] = []
  let startedMs = performance.now()
  for (const sent of read) {
    told.push(tell(who, sent, find(sent.queryId)))
    if (performance.now() - startedMs < SLICE_MS) continue
    await new Promise(setImmediate)
    await lull()
    startedMs = performance.now()
  }
  return told
}

function tell(
  { sessionId, unit }: Teller,
  sent: ReadEntry,
  impression: Impression | undefined,
): Told {
  if (impression === undefined) return lost(sent)
  const entry = resolveResult(impression, sent)
  const isUnshown = namesUnshown({ entry, hit: hitOf(impression, entry) })
  const mark = markOf(sessionId, entry)
  return { entry, mark, isUnshown, isOthers: isOthers({ unit, impression }) }
}

/** An entry that names a position and no result means what stood there. */
function resolveResult({ page, from }: Impression, entry: ReadEntry): ReadEntry {
  const { resultId, position } = entry
  if (resultId !== undefined || position === undefined) return entry
  const shown = page.hits[position - 1 - from]
  return shown === undefined ? entry : { ...entry, resultId: shown.id }
}

/** The same for all entries of a session that say the same. */
function markOf(sessionId: string, { queryId, resultId = '', action }: ReadEntry): string {
  const text = `${sessionId}\n${queryId}\n${action}\n${resultId}`
  return hash('sha1', text, 'base64url').slice(0, 22)
}
