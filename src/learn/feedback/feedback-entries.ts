import { openBreath } from '../../breath.ts'
import { invalid } from '../../errors.ts'
import { oneSpelling } from '../../ids.ts'
import { DOCUMENT_ID_BYTES_MAX } from '../../schema/document-id.ts'
import type { Feedback } from '../../schema/feedback.ts'
import type { FeedbackEntry, FeedbackFact, Impression } from '../facts.ts'
import { atLength } from '../loop/at-length.ts'
import { DAY_MS } from '../wire/duration.ts'
import { readHappened } from '../wire/moment.ts'
import { ACTIONS, actionOf } from './actions.ts'

/** An entry as it was understood, before it is known whether it counts. */
export type ReadEntry = Omit<FeedbackEntry, 'signalId' | 'status'>

export type SentEntry = Feedback['feedback'][number]

const LATE_MS = 30 * DAY_MS

/** Throws VALIDATION_FAILED with the place of a moment that is none or lies ahead, or of an id that no result can have. */
export function readEntries(sent: readonly SentEntry[], nowMs: number): ReadEntry[] {
  return sent.map((entry, at) => readEntry(entry, nowMs, `feedback[${at}].metadata`))
}

function readEntry({ queryId, rating, metadata = {} }: SentEntry, nowMs: number, path: string) {
  const { userAction, engagementType, timestamp, resultId, queryHash, ...rest } = metadata
  const { position, dwellTime } = rest.customMetadata ?? {}
  const entry: ReadEntry = {
    queryId: oneSpelling(queryId),
    action: actionOf(userAction, engagementType),
    rating: rating > 1 ? rating / 5 : rating,
    timeMs: timestamp === undefined ? nowMs : readHappened(timestamp, nowMs, `${path}.timestamp`),
  }
  if (resultId !== undefined) entry.resultId = readResultId(resultId, `${path}.resultId`)
  if (userAction !== undefined) entry.userAction = userAction
  if (engagementType !== undefined) entry.engagementType = engagementType
  if (position !== undefined) entry.position = position
  if (dwellTime !== undefined) entry.dwellMs = dwellTime
  if (queryHash !== undefined) entry.queryHash = queryHash
  if (Object.keys(rest).length > 0) entry.metadata = rest
  return entry
}

/** The entries with long metadata as JSON text, so that whoever reads an entry need not read that with it. */
export async function shortened(read: readonly ReadEntry[]): Promise<ReadEntry[]> {
  const breathe = openBreath()
  const short: ReadEntry[] = []
  for (const entry of read) {
    const writing = entry.metadata === undefined ? undefined : atLength(entry.metadata)
    if (writing === undefined) short.push(entry)
    else short.push(shortOf(entry, await writing))
    const pause = breathe()
    if (pause !== undefined) await pause
  }
  return short
}

function shortOf({ metadata, ...rest }: ReadEntry, long: string): ReadEntry {
  const isNotViewed = metadata !== undefined && wasNotViewed({ metadata })
  return isNotViewed ? { ...rest, long, metadata: NOT_VIEWED } : { ...rest, long }
}

function readResultId(id: string, path: string): string {
  if (Buffer.byteLength(id) <= DOCUMENT_ID_BYTES_MAX) return id
  throw invalid(path, `must be at most ${DOCUMENT_ID_BYTES_MAX} bytes, as ids of documents are`)
}

/** Whether what is said to have happened lies too far back to be learned from. */
export function isLate(happenedMs: number, receivedMs: number): boolean {
  return happenedMs < receivedMs - LATE_MS
}

/** Whether an entry that counts says that the hit was opened. */
export function hasOpened({ status, action }: FeedbackEntry): boolean {
  return status === 'learned' && ACTIONS.get(action)?.opens === true
}

/** Whether nobody can have opened what an entry speaks of: its search did not show such a hit there, or none at all. */
export function isOfUnshown({ entry, hit, impression }: Spoken): boolean {
  if (hit !== undefined) return false
  return namesHit(entry) || impression?.page.hits.length === 0
}

interface Spoken {
  entry: Named
  hit: number | undefined
  impression: Impression | undefined
}

type Named = Pick<FeedbackEntry, 'resultId' | 'position'>

export function namesHit({ resultId, position }: Named): boolean {
  return resultId !== undefined || position !== undefined
}

/**
 * Whether it speaks of what somebody else was shown: whoever holds a queryId may, and it says nothing of what that one
 * did. Sessions of one user are one; a list that nobody is known to have seen is nobody else's.
 */
export function isOthers({
  unit,
  impression,
}: Pick<FeedbackFact, 'unit'> & { impression: Pick<Impression, 'unit'> | undefined }): boolean {
  return impression?.unit !== undefined && impression.unit !== unit
}

/** Whether who searched says that a hit was opened, named or not: what every `ctr` counts, but that of tests. */
export function isOwnClick(fact: FeedbackFact): boolean {
  return hasOpened(fact.entry) && !isOfUnshown(fact) && !isOthers(fact)
}

const NOT_VIEWED = { viewed: false }

/** Whether the client says that the result was never in sight. */
export function wasNotViewed({ metadata }: Pick<FeedbackEntry, 'metadata'>): boolean {
  if (metadata === undefined) return false
  const more = metadata.customMetadata as Record<string, unknown> | undefined
  return (
    metadata.viewed === false ||
    metadata.view === false ||
    more?.viewed === false ||
    more?.view === false
  )
}
