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
  /** Whoever is named with them: the units and sessions of what they did and spoke of. */
  kin: Set<string>
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
  const kin = new Set<string>()
  return { names, kin, facts: [], sequence, impressions: [], feedback: [], events: [] }
}

/**
 * Adds what the log says, up to an entry, of any who are named: sessions by their id, users by their name. A user's
 * sessions that are known no more are found by their searches, and are among the names from there on. One look does for
 * several who are to be forgotten; what is of two of them goes with the first.
 */
export async function findDoomed(
  log: Log,
  founds: readonly DoomedRows[],
  until: number,
): Promise<void> {
  const after = Math.min(...founds.map(({ sequence }) => sequence))
  await lookThrough(log, { after, until }, (row) => {
    const entry = asLogEntry(row.entry)
    let rest: Entry | undefined = { sequence: row.sequence, entry, who: whoIn(entry, log) }
    for (const found of founds) {
      if (rest === undefined || found.sequence >= row.sequence) continue
      found.sequence = row.sequence
      rest = take(rest, log, found)
    }
  })
  for (const found of founds) found.sequence = Math.max(found.sequence, until)
}

/** Adds what the log says up to an entry; returns what of it stands behind another one, as learning is told of it. */
export async function findTaught(
  log: Log,
  found: DoomedRows,
  { after, until }: { after: number; until: number },
): Promise<Doomed> {
  await findDoomed(log, [found], until)
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

/** An entry of the log, and for searches who made each of them. */
interface Entry {
  sequence: number
  entry: LogEntry
  who: ReadonlyMap<string, ReturnType<Log['who']>>
}

function whoIn(entry: LogEntry, log: Log): Entry['who'] {
  const queryIds = entry.type === 'searches' ? entry.data : []
  return new Map(queryIds.map((queryId) => [queryId, log.who(queryId)]))
}

/** Notes what of an entry is theirs, and what that says to learning; returns what is left of it. */
function take(row: Entry, log: Log, found: DoomedRows): Entry | undefined {
  const { sequence, entry } = row
  if (entry.type === 'searches') return takeSearches({ ...row, entry }, log, found)
  if (entry.type === 'feedback') {
    const { unit, entries } = entry.data
    if (!isNamed(found, unit) && !isNamed(found, entry.sessionId)) return row
    found.feedback.push({ sequence, entries: entries.length })
    const facts = [...factsIn({ sequence, entry }, log)]
    found.facts.push(...facts)
    relate(found, unit, entry.sessionId, ...facts.flatMap(namedBy))
    return undefined
  }
  const user = userOf(entry)
  if (!isNamed(found, entry.sessionId) && !isNamed(found, user)) return row
  found.events.push(sequence)
  relate(found, entry.sessionId, user)
  return undefined
}

function takeSearches(
  { sequence, entry, who }: Entry & { entry: { type: 'searches' } },
  log: Log,
  found: DoomedRows,
): Entry {
  const others: string[] = []
  const theirs: string[] = []
  for (const queryId of entry.data) {
    const { unit, sessionId } = who.get(queryId) ?? {}
    if (isNamed(found, unit) && sessionId !== undefined) found.names.add(sessionId)
    if (!isNamed(found, unit) && !isNamed(found, sessionId)) {
      others.push(queryId)
      continue
    }
    theirs.push(queryId)
    relate(found, unit, sessionId)
  }
  found.impressions.push(...theirs.map((queryId) => ({ sequence, queryId })))
  found.facts.push(...factsIn({ sequence, entry: { ...entry, data: theirs } }, log))
  return { sequence, entry: { ...entry, data: others }, who }
}

function isNamed({ names }: DoomedRows, name: string | undefined): boolean {
  return name !== undefined && names.has(name)
}

function namedBy(fact: Fact): (string | undefined)[] {
  return fact.kind === 'feedback' ? [fact.impression?.unit, fact.impression?.sessionId] : []
}

function relate({ kin }: DoomedRows, ...names: (string | undefined)[]): void {
  for (const name of names) if (name !== undefined) kin.add(name)
}

/** Whom an entry names by itself. */
function userOf({ type, data }: LogEntry): string | undefined {
  return type === 'analytics' ? userIn(asObject(data) ?? {}) : undefined
}

function factsIn(row: JournalRow, log: Log): Iterable<Fact> {
  return factsOf(row, log, new Map<string, Impression | undefined>())
}

/** Of each of them the session itself, or the sessions of the user. */
export async function sessionsOf(
  { tables }: Store,
  subjects: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map(Array.from(subjects, (subject): [string, string[]] => [subject, []]))
  let start = ''
  for (;;) {
    const rows = [...tables.sessions.range({ start, limit: SLICE_ROWS })]
    for (const { key, value } of rows) {
      found.get(key)?.push(key)
      if (value.userId !== undefined && value.userId !== key) found.get(value.userId)?.push(key)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < SLICE_ROWS) return found
    start = `${last.key}~`
    await pause()
  }
}
