import { invalid, ServiceError } from '../../errors.ts'
import { oneSpelling } from '../../ids.ts'
import type { Store } from '../../store/store.ts'
import type { LogEntry } from '../entries.ts'
import type { Events } from '../history/events.ts'
import { unnameEvents } from '../history/unname.ts'
import { allForgetting, endForgetting, findForgetting, noteForgetting } from '../loop/forgetting.ts'
import type { Log } from '../loop/log.ts'
import type { Loop } from '../loop/loop.ts'
import { timesOfQueries } from '../patterns/times.ts'
import type { Sessions } from '../sessions/sessions.ts'
import {
  type DoomedRows,
  findDoomed,
  findTaught,
  nothingDoomed,
  removeDoomed,
  sessionsOf,
} from './doomed.ts'

/*
 * Forgetting somebody, step by step. A note in the store says that it has begun, and how far it is: what a crash or a
 * failure cuts short goes on at the next start, or when it is asked for again.
 *
 * 1. Their sessions are hidden: what still comes in their name is nobody's, and searches under way leave no row.
 * 2. The log is looked through for what they did.
 * 3. The note is written: from here on it will be finished. Where retention has cut the log, what they taught is taken
 *    out of the learned state in the same transaction; else, in one behind it, what is not learned anew is.
 * 4. Their rows leave the log, their names the history.
 * 5. Where the log is whole, all is learned anew from what is left.
 * 6. What was proposed for their queries is taken back.
 * 7. The sessions go, and the note.
 *
 * What was under way comes late: behind 4 and 6 the log is looked through again.
 */

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
  forgetUnit: (unit: string) => Promise<number>
  /** Takes back what was proposed for queries that they asked. */
  withdraw: (queryHashes: Pick<ReadonlySet<string>, 'has'>) => Promise<void>
  /** Forgets what sessions told that is kept in memory alone. */
  forgetTold: (sessionIds: readonly string[]) => void
  /** Forgetting that a crash cut short, and that could not be finished at the start either. */
  onFailure: (cause: unknown) => void
}

/** What was asked is no longer known once it is off the log, nor where that is cut; what others say of a query is proposed again. */
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
  return {
    forget: async (sent) => {
      const own = oneSpelling(sent)
      try {
        const forgotten = await fly(own)
        if (own !== sent) await parts.forgetUnit(sent)
        return forgotten
      } catch (cause) {
        // What others name stays as it was sent, even if it looks like an id of ours, which has one spelling.
        if (own === sent || !isUnknown(cause)) throw cause
        return await fly(sent)
      }
    },
  }
}

function isUnknown(cause: unknown): boolean {
  return cause instanceof ServiceError && cause.code === 'SUBJECT_NOT_FOUND'
}

async function forget(parts: SubjectParts, subject: string): Promise<Forgotten> {
  const { store, sessions } = parts
  const sessionIds = await sessionsOf(store, subject)
  sessions.hide(sessionIds)
  try {
    return await forgetHidden({ ...parts, subject, sessionIds })
  } catch (cause) {
    sessions.show(sessionIds)
    throw cause
  }
}

/** One who is being forgotten. */
interface Task extends SubjectParts {
  subject: string
  sessionIds: readonly string[]
}

async function forgetHidden(task: Task): Promise<Forgotten> {
  const { store, loop, sessions, subject, sessionIds } = task
  const doomed = await findNow(task, nothingDoomed(new Set([subject, ...sessionIds])))
  const removed = { sessions: sessionIds.length, ...countsOf(doomed) }
  const isNew = findForgetting(store, subject) === undefined
  const isEmpty = Object.values(removed).every((count) => count === 0)
  if (isNew && isEmpty) return forgetReported(task, removed)
  if (isNew) await begin(task, doomed, removed)
  else await unlearn(task, doomed)
  const rebuilt = willBeRelearned(task)
  await removeRows(task, doomed)
  await task.forgetUnit(subject)
  const unlearnedTo = await removeLate(task, doomed)
  if (rebuilt) {
    await loop.rebuild()
    await store.release(() => noteForgetting(store, { subject, unlearnedTo }))
  }
  const asked = new Set(timesOfQueries(doomed.facts).keys())
  await task.withdraw(isNew && rebuilt ? asked : ANY_QUERY)
  // To learn anew takes a while, in which clients may go on in their name.
  await removeLate(task, { ...doomed, sequence: unlearnedTo })
  // Last: a start that goes on with this finds the rest by them.
  await sessions.remove(sessionIds)
  await store.release(() => endForgetting(store, subject))
  return { subject, removed, rebuilt }
}

/** Adds what has come into the log by now. */
async function findNow({ log, loop }: Task, doomed: DoomedRows): Promise<DoomedRows> {
  await loop.caughtUp('remove')
  await findDoomed(log, doomed, loop.position())
  return doomed
}

function countsOf({ impressions, feedback, events }: DoomedRows) {
  return {
    impressions: impressions.length,
    feedback: feedback.reduce((sum, { entries }) => sum + entries, 0),
    events: events.length,
  }
}

const UNKNOWN = 'names no session or user of whom anything is known'

/** Others may have reported of a unit that never searched. */
async function forgetReported(
  { subject, forgetUnit }: Task,
  removed: Forgotten['removed'],
): Promise<Forgotten> {
  const reported = await forgetUnit(subject)
  if (reported > 0) return { subject, removed, rebuilt: false }
  throw invalid('id', UNKNOWN, 'SUBJECT_NOT_FOUND')
}

/**
 * From here on it will be finished, whatever happens. Whether all is learned anew is decided where retention can't come
 * in between, and keeps it waiting from there on.
 */
async function begin(task: Task, doomed: DoomedRows, removed: Forgotten['removed']): Promise<void> {
  const { store, log, events, clock, subject } = task
  const announceWithin = () => {
    events.recordWithin({
      type: 'SUBJECT_FORGOTTEN',
      status: 'COMPLETED',
      source: 'subjects',
      data: removed,
    })
    log.appendWithin({ timeMs: clock(), type: 'forget', data: removed } satisfies LogEntry)
  }
  const isBegun = await store.release(() => {
    if (log.isCut()) return false
    noteForgetting(store, { subject })
    announceWithin()
    return true
  })
  await unlearn(task, doomed, isBegun ? undefined : announceWithin)
}

/** Whether they go with what is learned anew, or have to be taken out by themselves. */
function willBeRelearned({ store, subject }: Task): boolean {
  return findForgetting(store, subject)?.unlearnedTo === undefined
}

/**
 * Takes out what they taught since that was done last; how far it is done stands in the same transaction. Where all is
 * learned anew, only of what is not.
 */
async function unlearn(
  { store, log, loop, subject }: Task,
  doomed: DoomedRows,
  within = () => {},
): Promise<void> {
  const begun = findForgetting(store, subject)
  const isAnew = begun !== undefined && begun.unlearnedTo === undefined
  const after = (isAnew ? begun.uncountedTo : begun?.unlearnedTo) ?? 0
  const find = (until: number) => findTaught(log, doomed, { after, until })
  const note = () => {
    const { sequence } = doomed
    const done = isAnew ? { uncountedTo: sequence } : { unlearnedTo: sequence }
    noteForgetting(store, { subject, ...done })
    within()
  }
  await loop.unlearn(find, note, isAnew ? 'kept' : 'all')
}

async function removeRows({ store, log, forgetTold }: Task, doomed: DoomedRows): Promise<void> {
  // By searches that are still there: sessions that are known no more are found by them alone.
  await unnameEvents(store, doomed.names)
  await removeDoomed(store, log, doomed)
  forgetTold([...doomed.names])
}

/**
 * What came into the log behind what was found: it was under way when their sessions were hidden, or came since. Returns
 * up to which entry the log holds nothing of them.
 */
async function removeLate(task: Task, { names, sequence }: DoomedRows): Promise<number> {
  const late = await findNow(task, nothingDoomed(names, sequence))
  if (late.impressions.length + late.feedback.length + late.events.length === 0)
    return late.sequence
  await unlearn(task, late)
  await removeRows(task, late)
  return late.sequence
}
