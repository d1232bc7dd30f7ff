import { setImmediate as breathe } from 'node:timers/promises'
import { serviceError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import type { FeedbackBatch } from './facts.ts'
import { oneSpelling } from './feedback/feedback-ids.ts'
import type { Events } from './history/events.ts'
import { unnameEvents } from './history/unname.ts'
import type { Log } from './log.ts'
import type { Loop } from './loop.ts'
import type { Sessions } from './sessions/sessions.ts'

/** What went with somebody. */
export interface Forgotten {
  subject: string
  removed: { sessions: number; impressions: number; feedback: number; events: number }
  rebuilt: boolean
}

/** People, as learning knows them: sessions and users. */
export interface Subjects {
  /**
   * Removes a session, or a user's sessions, with what they did from the log, takes their names out of the history, and
   * learns anew from what is left. Throws SUBJECT_NOT_FOUND when nothing is known of it. The same subject again waits
   * for the first.
   */
  forget: (subject: string) => Promise<Forgotten>
}

interface SubjectParts {
  store: Store
  log: Log
  loop: Pick<Loop, 'caughtUp' | 'rebuild'>
  events: Pick<Events, 'recordWithin'>
  sessions: Pick<Sessions, 'hide' | 'show' | 'remove'>
  clock: () => number
  /** Takes a unit out of what is counted by unit and not learned anew. */
  forgetUnit?: (unit: string) => Promise<number>
  /** Forgets what sessions told that is kept in memory alone. */
  forgetTold?: (sessionIds: readonly string[]) => void
  /** Forgetting that a crash cut short, and that could not be finished at the start either. */
  onFailure: (cause: unknown) => void
}

/** Where it is kept who is being forgotten, until that is done. */
const FORGETTING = 'forgetting'
/** Rows that one transaction looks at, so that others come in between. */
const SLICE_ROWS = 64

export function openSubjects(parts: SubjectParts): Subjects {
  const flights = new Map<string, Promise<Forgotten>>()
  function fly(subject: string): Promise<Forgotten> {
    const known = flights.get(subject)
    if (known !== undefined) return known
    const flight = forget(parts, subject).finally(() => flights.delete(subject))
    flights.set(subject, flight)
    return flight
  }
  for (const subject of underWay(parts.store)) fly(subject).catch(parts.onFailure)
  return { forget: async (sent) => fly(await spellingOf(parts.store, sent)) }
}

/** A user's name stays as it was sent, even if it looks like an id of ours, which has one spelling. */
async function spellingOf(store: Store, sent: string): Promise<string> {
  const own = oneSpelling(sent)
  if (own === sent) return own
  return (await sessionsOf(store, sent)).length > 0 ? sent : own
}

function underWay({ tables }: Store): string[] {
  return (tables.meta.get(FORGETTING) as string[] | undefined) ?? []
}

async function forget(parts: SubjectParts, subject: string): Promise<Forgotten> {
  const { store, sessions } = parts
  const sessionIds = await sessionsOf(store, subject)
  // What still comes in their name is nobody's.
  sessions.hide(sessionIds)
  try {
    const doomed = await takeStock(parts, [subject, ...sessionIds])
    const removed = {
      sessions: sessionIds.length,
      impressions: doomed.impressions.length,
      feedback: doomed.feedback.reduce((sum, { entries }) => sum + entries, 0),
      events: doomed.events.length,
    }
    const isEmpty = Object.values(removed).every((count) => count === 0)
    if (isEmpty && !underWay(store).includes(subject)) {
      // Others may have reported of a unit that never searched.
      const reported = (await parts.forgetUnit?.(subject)) ?? 0
      if (reported > 0) return { subject, removed, rebuilt: false }
      throw serviceError('SUBJECT_NOT_FOUND', 'Nothing is known of this session or user.')
    }
    await announce(parts, subject, removed)
    await removeAll(parts, subject, sessionIds, doomed)
    return { subject, removed, rebuilt: true }
  } catch (cause) {
    sessions.show(sessionIds)
    throw cause
  }
}

/** What the log says of any of these; all of it is taken by then. */
async function takeStock({ log, loop }: SubjectParts, names: string[]): Promise<Doomed> {
  await loop.caughtUp()
  return find(log, new Set(names))
}

/** The sessions go last but for what is learned anew: a start that goes on with this finds the rest by them. */
async function removeAll(
  parts: SubjectParts,
  subject: string,
  sessionIds: string[],
  doomed: Doomed,
): Promise<void> {
  const { store, loop, sessions } = parts
  const { journal, impressions, meta } = store.tables
  await removeRows(store, doomed.impressions, (ids) => impressions.removeAll(ids))
  const entries = [...doomed.feedback.map(({ sequence }) => sequence), ...doomed.events]
  await removeRows(store, entries, (sequences) => journal.removeAll(sequences))
  await unnameEvents(store, new Set([subject, ...sessionIds]))
  await parts.forgetUnit?.(subject)
  parts.forgetTold?.([subject, ...sessionIds])
  await sessions.remove(sessionIds)
  await loop.rebuild()
  const others = underWay(store).filter((name) => name !== subject)
  await store.release(() => meta.put(FORGETTING, others))
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

async function removeRows<Key>(
  store: Store,
  keys: Key[],
  remove: (keys: Key[]) => void,
): Promise<void> {
  for (let from = 0; from < keys.length; from += SLICE_ROWS)
    await store.release(() => remove(keys.slice(from, from + SLICE_ROWS)))
}
