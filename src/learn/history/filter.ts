import { createHash } from 'node:crypto'
import { invalid, unknownCursor } from '../../errors.ts'
import { oneSpelling } from '../../ids.ts'
import type { EventQuery } from '../../schema/event.ts'
import { type IsWanted, ifSent, listFilter } from '../wire/list-filter.ts'
import { readMoment } from '../wire/moment.ts'
import { wordsOf } from '../wire/words.ts'
import type { EventRow } from './rows.ts'

/** Which events a query asks for. */
export interface Filter {
  matches: IsWanted<EventRow['event']>
  /** Whether every event between the dates matches. */
  isByDateAlone: boolean
  /** Whether there are any dates. */
  isDated: boolean
  /** Epoch ms, both included; infinite where none was sent. */
  startMs: number
  endMs: number
}

/** Throws VALIDATION_FAILED for a time that is none. */
export function readEventFilter(query: EventQuery): Filter {
  const startMs =
    query.startDate === undefined ? -Infinity : readMoment(query.startDate, 'startDate')
  const endMs =
    query.endDate === undefined ? Infinity : readMoment(query.endDate, 'endDate', 'ends')
  if (endMs < startMs) throw invalid('endDate', 'must not be before startDate')
  const isDated = startMs > -Infinity || endMs < Infinity
  const isWanted = filterOf(query)
  return {
    startMs,
    endMs,
    isByDateAlone: isWanted === undefined,
    isDated,
    matches: (event) =>
      (!isDated || isBetween(event.timestamp, startMs, endMs)) && isWanted?.(event) !== false,
  }
}

/** What is asked for beside the dates. */
function filterOf({ type, status, sessionId, modelId, adaptationId }: EventQuery) {
  return listFilter<EventRow['event'], EventQuery, 'startDate' | 'endDate' | 'order'>({
    type: ifSent(setOf(type), (event, types) => types.has(event.type.toUpperCase())),
    status: ifSent(setOf(status), (event, statuses) => statuses.has(event.status.toUpperCase())),
    sessionId: ifSent(
      inOneSpelling(sessionId),
      (event, id) => event.sessionId !== null && oneSpelling(event.sessionId) === id,
    ),
    modelId: ifSent(modelId, (event, id) => event.modelId === id),
    adaptationId: ifSent(inOneSpelling(adaptationId), (event, id) => event.adaptationId === id),
  })
}

function inOneSpelling(id: string | undefined): string | undefined {
  return id === undefined ? undefined : oneSpelling(id)
}

function isBetween(timestamp: string, startMs: number, endMs: number): boolean {
  const atMs = Date.parse(timestamp)
  return atMs >= startMs && atMs <= endMs
}

function setOf(sent: string[] | undefined): Set<string> | undefined {
  const words = wordsOf(sent)
  return words === undefined ? undefined : new Set(words)
}

/** Names a query without its page: a cursor goes on only with the query that it came from. */
export function identify(query: EventQuery, step: number): string {
  const { cursor: _, limit: __, order: ___, ...filter } = query
  const text = JSON.stringify([step, Object.entries(filter).sort()])
  return createHash('sha256').update(text).digest('base64url').slice(0, 10)
}

export function writeCursor(sequence: number, identity: string): string {
  return Buffer.from(`${sequence}.${identity}`).toString('base64url')
}

/** Throws INVALID_CURSOR. */
export function readCursor(cursor: string, identity: string): number {
  const [, sequence, hash] =
    /^(\d{1,15})\.([\w-]{10})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (sequence === undefined) throw unknownCursor()
  if (hash !== identity) throw invalid('cursor', 'belongs to another query', 'INVALID_CURSOR')
  return Number(sequence)
}
