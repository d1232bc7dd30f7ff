import { setImmediate as pause } from 'node:timers/promises'
import { openBreath } from '../../breath.ts'
import { asObject } from '../../object.ts'
import type { JournalRow } from '../../store/journal.ts'
import type { Store } from '../../store/store.ts'
import { asLogEntry, type LogEntry } from '../entries.ts'
import {
  type Beside,
  type Doomed,
  type Fact,
  type FeedbackFact,
  type Impression,
  listOf,
} from '../facts.ts'
import { factsOf } from '../loop/join.ts'
import type { Log } from '../loop/log.ts'
import { userIn } from '../reports/event-entry.ts'

/** What the log holds of somebody: what they did, and where that stands. */
export interface DoomedRows extends Doomed {
  names: Set<string>
  facts: Fact[]
  impressions: { sequence: number; queryId: string }[]
  feedback: { sequence: number; entries: number }[]
  events: number[]
}

/** Rows that one transaction looks at, so that others come in between. */
const SLICE_ROWS = 64
/** Time that a look through the log may hold the main thread: an entry names up to 64 searches. */
const STRETCH_MS = 2

/** Nothing yet of what stands behind an entry of the log. */
export function nothingDoomed(names: Set<string>, sequence = 0): DoomedRows {
  return { names, facts: [], sequence, impressions: [], feedback: [], events: [] }
}

/**
 * Adds what the log says, up to an entry, of any who are named: sessions by their id, users by their name. A user's
 * sessions that are known no more are found by their searches, and are among the names from there on.
 */
export async function findDoomed(log: Log, found: DoomedRows, until: number): Promise<void> {
  await lookThrough(log, { after: found.sequence, until }, (row) => {
    found.sequence = row.sequence
    found.facts.push(...take(row, log, found))
  })
  found.sequence = Math.max(found.sequence, until)
}

/** Adds what the log says up to an entry; returns what of it stands behind another one, as learning is told of it. */
export async function findTaught(
  log: Log,
  found: DoomedRows,
  { after, until }: { after: number; until: number },
): Promise<Doomed> {
  await findDoomed(log, found, until)
  const facts = found.facts.filter(({ sequence }) => sequence > after)
  return { ...found, facts, beside: await findBeside(log, found, { facts, after }) }
}

/** Only of one session among several of a user is there such feedback: else the log need not be looked through again. */
async function findBeside(
  log: Log,
  { names, sequence, impressions }: DoomedRows,
  { facts, after }: { facts: readonly Fact[]; after: number },
): Promise<Beside> {
  const made = new Set(impressions.map(({ queryId }) => queryId))
  const fresh = new Set<string>()
  const lists = new Set<string>()
  for (const fact of facts) {
    const { list, isOwn } = spokenOf(fact)
    if (list !== undefined && isOwn && !made.has(list)) lists.add(list)
    if (fact.kind === 'search' && !names.has(fact.impression.unit ?? ''))
      fresh.add(fact.impression.queryId)
  }
  const told: FeedbackFact[] = []
  const orphans: FeedbackFact[] = []
  if (lists.size === 0 && fresh.size === 0) return { lists, told, orphans }
  await lookThrough(log, { after: 0, until: sequence }, (row) => {
    const { type, sessionId = '' } = asLogEntry(row.entry)
    if (type !== 'feedback' || names.has(sessionId)) return
    for (const fact of factsIn(row, log)) {
      const { list } = spokenOf(fact)
      if (fact.kind !== 'feedback' || list === undefined || names.has(fact.unit ?? '')) continue
      const { queryId } = fact.entry
      if (lists.has(list)) told.push(fact)
      else if (fresh.has(queryId) || (made.has(queryId) && row.sequence > after)) orphans.push(fact)
    }
  })
  return { lists, told, orphans }
}

/** The list that feedback speaks of, and whether its user made it. */
function spokenOf(fact: Fact): { list?: string; isOwn?: boolean } {
  if (fact.kind !== 'feedback' || fact.impression?.unit === undefined) return {}
  return { list: listOf(fact.impression).queryId, isOwn: fact.impression.unit === fact.unit }
}

/** Each entry of a part of the log, while others come in between. */
async function lookThrough(
  log: Log,
  { after, until }: { after: number; until: number },
  look: (row: JournalRow) => void,
): Promise<void> {
  const breathe = openBreath(STRETCH_MS)
  let at = after
  while (at < until) {
    const next = log.journal.read({ after: at, limit: SLICE_ROWS, stretchMs: STRETCH_MS })
    const rows = next.filter(({ sequence }) => sequence <= until)
    for (const row of rows) {
      at = row.sequence
      look(row)
      await breathe()
    }
    if (rows.length === 0) at = until
  }
}

/** Notes what of an entry is theirs; returns what that says to learning. */
function take(row: JournalRow, log: Log, found: DoomedRows): Iterable<Fact> {
  const { sequence } = row
  const entry = asLogEntry(row.entry)
  const isNamed = (name: string | undefined) => name !== undefined && found.names.has(name)
  if (entry.type === 'searches') {
    const theirs = entry.data.filter((queryId) => {
      const { unit, sessionId } = log.shown(queryId) ?? {}
      if (isNamed(unit) && sessionId !== undefined) found.names.add(sessionId)
      return isNamed(unit) || isNamed(sessionId)
    })
    found.impressions.push(...theirs.map((queryId) => ({ sequence, queryId })))
    return factsIn({ sequence, entry: { ...entry, data: theirs } }, log)
  }
  if (entry.type === 'feedback') {
    const { unit, entries } = entry.data
    if (!isNamed(unit) && !isNamed(entry.sessionId)) return []
    found.feedback.push({ sequence, entries: entries.length })
    return factsIn(row, log)
  }
  if (isNamed(entry.sessionId) || isNamed(userOf(entry))) found.events.push(sequence)
  return []
}

/** Whom an entry names by itself. */
function userOf({ type, data }: LogEntry): string | undefined {
  return type === 'analytics' ? userIn(asObject(data) ?? {}) : undefined
}

function factsIn(row: JournalRow, log: Log): Iterable<Fact> {
  return factsOf(row, log, new Map<string, Impression | undefined>())
}

/** Removes it from the log. */
export async function removeDoomed(store: Store, log: Log, doomed: DoomedRows): Promise<void> {
  const { journal } = store.tables
  await removeRows(store, doomed.impressions, (rows) => {
    log.removeWithin(rows.map(({ queryId }) => queryId))
    unnameWithin(store, rows)
  })
  const entries = [...doomed.feedback.map(({ sequence }) => sequence), ...doomed.events]
  await removeRows(store, entries, (sequences) => journal.removeAll(sequences))
}

/** Takes searches out of the entries that name them: those of others stand there, too. */
function unnameWithin({ tables: { journal } }: Store, rows: DoomedRows['impressions']): void {
  const theirs = new Set(rows.map(({ queryId }) => queryId))
  for (const sequence of new Set(rows.map((row) => row.sequence))) {
    const stored = journal.get(sequence)
    const entry = stored === undefined ? undefined : asLogEntry(stored)
    if (entry?.type !== 'searches') continue
    const data = entry.data.filter((queryId) => !theirs.has(queryId))
    if (data.length > 0) journal.put(sequence, { ...entry, data })
    else journal.remove(sequence)
  }
}

async function removeRows<Key>(
  store: Store,
  keys: Key[],
  remove: (keys: Key[]) => void,
): Promise<void> {
  for (let from = 0; from < keys.length; from += SLICE_ROWS)
    await store.release(() => remove(keys.slice(from, from + SLICE_ROWS)))
}

/** The session itself, or the sessions of the user. */
export async function sessionsOf({ tables }: Store, subject: string): Promise<string[]> {
  const found: string[] = []
  let start = ''
  for (;;) {
    const rows = [...tables.sessions.range({ start, limit: SLICE_ROWS })]
    for (const { key, value } of rows)
      if (key === subject || value.userId === subject) found.push(key)
    const last = rows.at(-1)
    if (last === undefined || rows.length < SLICE_ROWS) return found
    start = `${last.key}~`
    await pause()
  }
}
