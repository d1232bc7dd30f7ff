import { setImmediate as breathe } from 'node:timers/promises'
import { serviceError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { type DoomedRows, findDoomed, nothingDoomed, removeDoomed, SLICE_ROWS } from './doomed.ts'
import { oneSpelling } from './feedback/feedback-ids.ts'
import { allForgetting, endForgetting, findForgetting, noteForgetting } from './forgetting.ts'
import type { Events } from './history/events.ts'
import { unnameEvents } from './history/unname.ts'
import type { Log } from './log.ts'
import type { Loop } from './loop.ts'
import { timesOfQueries } from './patterns/times.ts'
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
   * learns anew from what is left, or unlearns what they taught when too little is left for that. One after the other: a
   * user and one of their sessions taught the same, which must go once. The same subject again waits for the first.
   * Throws SUBJECT_NOT_FOUND when nothing is known of it.
   */
  forget: (subject: string) => Promise<Forgotten>
}

interface SubjectParts {
  store: Store
  log: Log
  loop: Pick<Loop, 'caughtUp' | 'position' | 'rebuild' | 'unlearn'>
  events: Pick<Events, 'recordWithin'>
  sessions: Pick<Sessions, 'hide' | 'show' | 'remove'>
  clock: () => number
  /** Takes a unit out of what is counted by unit and not learned anew. */
  forgetUnit?: (unit: string) => Promise<number>
  /** Takes back what was proposed for queries that they asked. */
  withdraw?: (queryHashes: Pick<ReadonlySet<string>, 'has'>) => Promise<void>
  /** Forgets what sessions told that is kept in memory alone. */
  forgetTold?: (sessionIds: readonly string[]) => void
  /** Forgetting that a crash cut short, and that could not be finished at the start either. */
  onFailure: (cause: unknown) => void
}

/** What was asked is no longer known once it is off the log; what others say of a query is proposed again. */
const ANY_QUERY = { has: () => true }

export function openSubjects(parts: SubjectParts): Subjects {
  const flights = new Map<string, Promise<Forgotten>>()
  let last: Promise<unknown> = Promise.resolve()
  function fly(subject: string): Promise<Forgotten> {
    const known = flights.get(subject)
    if (known !== undefined) return known
    const flight = last.then(() => forget(parts, subject)).finally(() => flights.delete(subject))
    flights.set(subject, flight)
    last = flight.catch(() => undefined)
    return flight
  }
  for (const { subject } of allForgetting(parts.store)) fly(subject).catch(parts.onFailure)
  return { forget: async (sent) => fly(await spellingOf(parts.store, sent)) }
}

/** A user's name stays as it was sent, even if it looks like an id of ours, which has one spelling. */
async function spellingOf(store: Store, sent: string): Promise<string> {
  const own = oneSpelling(sent)
  if (own === sent) return own
  return (await sessionsOf(store, sent)).length > 0 ? sent : own
}

async function forget(parts: SubjectParts, subject: string): Promise<Forgotten> {
  const { store, log, loop, sessions } = parts
  const sessionIds = await sessionsOf(store, subject)
  // What still comes in their name is nobody's.
  sessions.hide(sessionIds)
  try {
    await loop.caughtUp()
    const doomed = nothingDoomed(new Set([subject, ...sessionIds]))
    await findDoomed(log, doomed, loop.position())
    const removed = {
      sessions: sessionIds.length,
      impressions: doomed.impressions.length,
      feedback: doomed.feedback.reduce((sum, { entries }) => sum + entries, 0),
      events: doomed.events.length,
    }
    const isEmpty = Object.values(removed).every((count) => count === 0)
    const begun = findForgetting(store, subject)
    if (isEmpty && begun === undefined) {
      // Others may have reported of a unit that never searched.
      const reported = (await parts.forgetUnit?.(subject)) ?? 0
      if (reported > 0) return { subject, removed, rebuilt: false }
      throw serviceError('SUBJECT_NOT_FOUND', 'Nothing is known of this session or user.')
    }
    if (begun === undefined) await begin(parts, subject, doomed, removed)
    else if (begun.unlearnedTo !== undefined) await unlearn(parts, subject, doomed)
    const rebuilt = findForgetting(store, subject)?.unlearnedTo === undefined
    await removeRows(parts, doomed)
    await parts.forgetUnit?.(subject)
    const unlearnedTo = await removeLate(parts, subject, doomed)
    if (rebuilt) {
      await loop.rebuild()
      await store.release(() => noteForgetting(store, { subject, unlearnedTo }))
    }
    const asked = new Set(timesOfQueries(doomed.facts).keys())
    await parts.withdraw?.(begun === undefined ? asked : ANY_QUERY)
    // To learn anew takes a while, in which clients may go on in their name.
    await removeLate(parts, subject, { ...doomed, sequence: unlearnedTo })
    // Last: a start that goes on with this finds the rest by them.
    await sessions.remove(sessionIds)
    await store.release(() => endForgetting(store, subject))
    return { subject, removed, rebuilt }
  } catch (cause) {
    sessions.show(sessionIds)
    throw cause
  }
}

async function removeRows(
  { store, log, forgetTold }: SubjectParts,
  doomed: DoomedRows,
): Promise<void> {
  // By searches that are still there: sessions that are known no more are found by them alone.
  await unnameEvents(store, doomed.names)
  await removeDoomed(store, log, doomed)
  forgetTold?.([...doomed.names])
}

/**
 * What came into the log behind what was found: it was under way when their sessions were hidden, or came since. Returns
 * up to which entry the log holds nothing of them.
 */
async function removeLate(
  parts: SubjectParts,
  subject: string,
  { names, sequence }: DoomedRows,
): Promise<number> {
  const { store, log, loop } = parts
  await loop.caughtUp()
  const late = nothingDoomed(names, sequence)
  await findDoomed(log, late, loop.position())
  if (late.impressions.length + late.feedback.length + late.events.length === 0)
    return late.sequence
  if (findForgetting(store, subject)?.unlearnedTo !== undefined) await unlearn(parts, subject, late)
  await removeRows(parts, late)
  return late.sequence
}

/**
 * From here on it will be finished, whatever happens. Whether all is learned anew is decided where retention can't come
 * in between, and keeps it waiting from there on.
 */
async function begin(
  parts: SubjectParts,
  subject: string,
  doomed: DoomedRows,
  removed: Forgotten['removed'],
): Promise<void> {
  const { store, log, events, clock } = parts
  const announceWithin = () => {
    events.recordWithin({
      type: 'SUBJECT_FORGOTTEN',
      status: 'COMPLETED',
      source: 'subjects',
      data: removed,
    })
    log.appendWithin({ timeMs: clock(), type: 'forget', data: removed })
  }
  const isBegun = await store.write(() => {
    if (log.isCut()) return false
    noteForgetting(store, { subject })
    announceWithin()
    return true
  })
  if (!isBegun) await unlearn(parts, subject, doomed, announceWithin)
}

/** Takes out what they taught since that was done last; how far it is done stands in the same transaction. */
async function unlearn(
  { store, log, loop }: SubjectParts,
  subject: string,
  doomed: DoomedRows,
  within = () => {},
): Promise<void> {
  const after = findForgetting(store, subject)?.unlearnedTo ?? 0
  const find = async (until: number) => {
    await findDoomed(log, doomed, until)
    return { ...doomed, facts: doomed.facts.filter(({ sequence }) => sequence > after) }
  }
  await loop.unlearn(find, () => {
    noteForgetting(store, { subject, unlearnedTo: doomed.sequence })
    within()
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
