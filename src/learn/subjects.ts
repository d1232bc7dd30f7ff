import { setImmediate as breathe } from 'node:timers/promises'
import { serviceError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import type { FeedbackBatch } from './facts.ts'
import { oneSpelling } from './feedback/feedback-ids.ts'
import type { Events } from './history/events.ts'
import type { Log } from './log.ts'
import type { Loop } from './loop.ts'

/** What went with somebody. */
export interface Forgotten {
  subject: string
  removed: { sessions: number; impressions: number; feedback: number; events: number }
  rebuilt: boolean
}

/** People, as learning knows them: sessions and users. */
export interface Subjects {
  /**
   * Removes what a session or a user did from the log, and learns anew from what is left. Throws SUBJECT_NOT_FOUND
   * when nothing is known of it. The same subject again waits for the first.
   */
  forget: (subject: string) => Promise<Forgotten>
}

interface SubjectParts {
  store: Store
  log: Log
  loop: Pick<Loop, 'caughtUp' | 'rebuild'>
  events: Pick<Events, 'recordWithin'>
  clock: () => number
  /** Takes a unit out of what is counted by unit and not learned anew. */
  forgetUnit?: (unit: string) => Promise<unknown>
  /** Forgetting that a crash cut short, and that could not be finished at the start either. */
  onFailure: (cause: unknown) => void
}

/** Where it is kept who is being forgotten, until that is done. */
const FORGETTING = 'forgetting'
/** Rows that one transaction looks at, so that others come in between. */
const SLICE_ROWS = 64

export function openSubjects(parts: SubjectParts): Subjects {
  const flights = new Map<string, Promise<Forgotten>>()
  function fly(subject: string, isKnown: boolean): Promise<Forgotten> {
    const known = flights.get(subject)
    if (known !== undefined) return known
    const flight = forget(parts, subject, isKnown).finally(() => flights.delete(subject))
    flights.set(subject, flight)
    return flight
  }
  for (const subject of underWay(parts.store)) fly(subject, true).catch(parts.onFailure)
  return { forget: (subject) => fly(oneSpelling(subject), false) }
}

function underWay({ tables }: Store): string[] {
  return (tables.meta.get(FORGETTING) as string[] | undefined) ?? []
}

async function forget(parts: SubjectParts, subject: string, isKnown: boolean): Promise<Forgotten> {
  const { store, log, loop } = parts
  // What it did until now is in the log, and taken.
  await loop.caughtUp()
  const sessions = await sessionsOf(store, subject)
  const doomed = await find(log, new Set([subject, ...sessions]))
  const totals = sessions.filter((id) => store.tables.sessionTotals.has(id))
  const removed = {
    sessions: totals.length,
    impressions: doomed.impressions.length,
    feedback: doomed.feedback.reduce((sum, { entries }) => sum + entries, 0),
    events: doomed.events.length,
  }
  const isEmpty = Object.values(removed).every((count) => count === 0)
  if (isEmpty && sessions.length === 0 && !isKnown)
    throw serviceError('SUBJECT_NOT_FOUND', 'Nothing is known of this session or user.')
  await announce(parts, subject, removed)
  const { journal, impressions, sessionTotals, meta } = store.tables
  await removeAll(store, doomed.impressions, (id) => impressions.remove(id))
  const entries = [...doomed.feedback.map(({ sequence }) => sequence), ...doomed.events]
  await removeAll(store, entries, (sequence) => journal.remove(sequence))
  await removeAll(store, totals, (id) => sessionTotals.remove(id))
  await parts.forgetUnit?.(subject)
  await loop.rebuild()
  const others = () => underWay(store).filter((name) => name !== subject)
  await store.release(() => meta.put(FORGETTING, others()))
  return { subject, removed, rebuilt: true }
}

/** From here on it will be finished, whatever happens. */
async function announce(
  { store, log, events, clock }: SubjectParts,
  subject: string,
  removed: Forgotten['removed'],
): Promise<void> {
  await log.append(() => {
    store.tables.meta.put(FORGETTING, [...new Set([...underWay(store), subject])])
    events.recordWithin({
      type: 'SUBJECT_FORGOTTEN',
      status: 'COMPLETED',
      source: 'subjects',
      data: removed,
    })
    return { entry: { timeMs: clock(), type: 'forget', data: removed }, value: undefined }
  })
}

/** The session itself, or the sessions of the user. */
async function sessionsOf({ tables }: Store, subject: string): Promise<string[]> {
  const found: string[] = []
  let start = ''
  for (;;) {
    const rows = [...tables.sessions.range({ start, limit: SLICE_ROWS })]
    for (const { key, value } of rows)
      if (key === subject || value.userId === subject) found.push(key)
    const last = rows.at(-1)
    if (last === undefined || rows.length < SLICE_ROWS) return found
    start = `${last.key}~`
    await breathe()
  }
}

interface Doomed {
  impressions: string[]
  feedback: { sequence: number; entries: number }[]
  events: number[]
}

/** Where the log speaks of any of these. */
async function find({ journal, shown }: Log, names: Set<string>): Promise<Doomed> {
  const doomed: Doomed = { impressions: [], feedback: [], events: [] }
  const isNamed = (name: string | undefined) => name !== undefined && names.has(name)
  let after = 0
  for (;;) {
    const rows = journal.read({ after, limit: SLICE_ROWS })
    for (const { sequence, entry } of rows) {
      after = sequence
      if (entry.type === 'searches')
        for (const queryId of entry.data as string[]) {
          const impression = shown(queryId)
          if (isNamed(impression?.unit) || isNamed(impression?.sessionId))
            doomed.impressions.push(queryId)
        }
      else if (entry.type === 'feedback') {
        const { unit, entries } = entry.data as FeedbackBatch
        if (isNamed(unit) || isNamed(entry.sessionId))
          doomed.feedback.push({ sequence, entries: entries.length })
      } else if (isNamed(entry.sessionId)) doomed.events.push(sequence)
    }
    if (rows.length < SLICE_ROWS) return doomed
    await breathe()
  }
}

async function removeAll<Key>(
  store: Store,
  keys: Key[],
  remove: (key: Key) => void,
): Promise<void> {
  for (let from = 0; from < keys.length; from += SLICE_ROWS)
    await store.release(() => {
      for (const key of keys.slice(from, from + SLICE_ROWS)) remove(key)
    })
}
