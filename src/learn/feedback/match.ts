import { hash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { isId } from '../../ids.ts'
import type { Impression } from '../facts.ts'
import { hitOf } from '../loop/join.ts'
import type { Log } from '../loop/log.ts'
import { isOfUnshown, isOthers, type ReadEntry } from './feedback-entries.ts'

/** An entry, and under what it is marked as told. */
export interface Told {
  entry: ReadEntry
  mark: string
  /** It speaks of a search that is known, in a session that lasts. */
  isMatched: boolean
  /** It speaks of a result that its search did not show, or of a search that showed none. */
  isUnshown: boolean
  /** It speaks of what somebody else was shown. */
  isOthers: boolean
}

/** Who tells; without a unit its session is unknown or over. */
interface Teller {
  sessionId: string
  unit: string | undefined
}

/** Time for which the entries of one request may hold the main thread before it is its turn again. */
const SLICE_MS = 0.5

/** Looks up, before the transaction, what need not be looked up inside: nothing else runs while that does. */
export async function match(
  read: ReadEntry[],
  who: Teller,
  { log, lull }: { log: Log; lull: () => Promise<void> },
): Promise<Told[]> {
  // Reading an impression costs more than all else here, and most requests speak of few.
  const shown = new Map<string, Impression | undefined>()
  const find = (queryId: string): Impression | undefined => {
    if (who.unit === undefined) return undefined
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
  if (impression === undefined || unit === undefined) {
    const mark = markOf(sessionId, { ...sent, resultId: sent.resultId ?? placeOf(sent) })
    return { entry: sent, mark, isMatched: false, isUnshown: false, isOthers: false }
  }
  const entry = resolveResult(impression, sent)
  const hit = hitOf(impression, entry)
  const isUnshown = isOfUnshown({ entry, hit, impression })
  const mark = markOf(sessionId, entry, apartOf(impression, hit))
  return { entry, mark, isMatched: true, isUnshown, isOthers: isOthers({ unit, impression }) }
}

/** What stands at a position of an unknown search is unknown, too: each position is a result of its own. */
function placeOf({ position }: ReadEntry): string {
  return position === undefined ? '' : `\n${position}`
}

/** An entry that names a position and no result means what stood there. */
function resolveResult({ page, from }: Impression, entry: ReadEntry): ReadEntry {
  const { resultId, position } = entry
  if (resultId !== undefined || position === undefined) return entry
  const shown = page.hits[position - 1 - from]
  return shown === undefined ? entry : { ...entry, resultId: shown.id }
}

/** What tells a hit from another one of its list with the same id, of another index. */
function apartOf({ page: { hits } }: Impression, hit: number | undefined): string {
  const own = hit === undefined ? undefined : hits[hit]
  if (own === undefined) return ''
  const isShared = hits.some((other) => other !== own && other.id === own.id)
  return isShared ? `\n${own.indexId}` : ''
}

/** A mark that all entries of a session share that say the same. */
function markOf(
  sessionId: string,
  { queryId, resultId = '', action }: ReadEntry,
  apart = '',
): string {
  const text = `${sessionId}\n${queryId}\n${action}\n${resultId}${apart}`
  return hash('sha1', text, 'base64url').slice(0, 22)
}
