import { invalid } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import type { LogEntry } from '../entries.ts'
import type { Events } from '../history/events.ts'
import { unnameEvents } from '../history/unname.ts'
import { endForgettingWithin, findForgetting, noteForgettingWithin } from '../loop/forgetting.ts'
import type { Log } from '../loop/log.ts'
import type { Loop } from '../loop/loop.ts'
import { timesOfQueries } from '../patterns/times.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type DoomedRows, findDoomed, findTaught, nothingDoomed } from './doomed.ts'
import { removeDoomed } from './removal.ts'

/** What went with somebody. */
export interface Forgotten {
  subject: string
  removed: { sessions: number; impressions: number; feedback: number; events: number }
  rebuilt: boolean
}

/** Somebody who is to be forgotten, and who hears what became of it. */
export interface ForgetRequest {
  subject: string
  done: (forgotten: Forgotten) => void
  failed: (cause: unknown) => void
}

export interface SubjectParts {
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
}

/** One who is being forgotten. */
export interface Task extends SubjectParts, ForgetRequest {
  sessionIds: readonly string[]
  /** What of theirs is still in the log. */
  doomed: DoomedRows
  removed: Forgotten['removed']
  /** It was not begun before. */
  isNew: boolean
}

/** One whose rows have left the log, and the hashes of queries that they asked. */
export interface Gone extends Task {
  asked: Pick<ReadonlySet<string>, 'has'>
  rebuilt: boolean
}

/**
 * What was asked is no longer known once it is off the log, nor where that is cut; what others say
 * of a query is proposed again.
 */
const ANY_QUERY = { has: () => true }

export function newTask(parts: SubjectParts, asked: ForgetRequest): Task {
  const doomed = nothingDoomed(new Set([asked.subject]))
  const isNew = findForgetting(parts.store, asked.subject) === undefined
  const removed = { sessions: 0, ...countsOf(doomed) }
  return { ...parts, ...asked, sessionIds: [], doomed, removed, isNew }
}

export function countsOf({ impressions, feedback, events }: DoomedRows) {
  return {
    impressions: impressions.length,
    feedback: feedback.reduce((sum, { entries }) => sum + entries, 0),
    events: events.length,
  }
}

/** Gives nothing where nothing is left to do: the answer is given. */
export async function takeOut(task: Task): Promise<Task | undefined> {
  const { removed, isNew, doomed } = task
  if (isNew && Object.values(removed).every((count) => count === 0)) {
    task.done(await forgetReported(task))
    return undefined
  }
  if (isNew) await begin(task)
  else await unlearn(task, doomed)
  return task
}

const UNKNOWN = 'names no session or user of whom anything is known'

/** Others may have reported of a unit that never searched. */
async function forgetReported({ subject, forgetUnit, removed }: Task): Promise<Forgotten> {
  const reported = await forgetUnit(subject)
  if (reported > 0) return { subject, removed, rebuilt: false }
  throw invalid('id', UNKNOWN, 'SUBJECT_NOT_FOUND')
}

/**
 * From here on it will be finished, whatever happens. Whether all is learned anew is decided where retention can't come
 * in between, and keeps it waiting from there on.
 */
async function begin(task: Task): Promise<void> {
  const { store, log, events, clock, subject, doomed, removed } = task
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
    noteForgettingWithin(store, { subject })
    announceWithin()
    return true
  })
  await unlearn(task, doomed, isBegun ? undefined : announceWithin)
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
  const noteWithin = () => {
    const { sequence } = doomed
    const done = isAnew ? { uncountedTo: sequence } : { unlearnedTo: sequence }
    noteForgettingWithin(store, { subject, ...done })
    within()
  }
  await loop.unlearn(find, noteWithin, isAnew ? 'kept' : 'all')
}

/** Their names have left the history before: sessions that are known no more are found by their searches alone. */
export async function removeFound(task: Task): Promise<Gone> {
  const { subject, isNew, doomed } = task
  const { names, facts, sequence } = doomed
  const rebuilt = willBeRelearned(task)
  await removeRows(task, doomed)
  await task.forgetUnit(subject)
  const asked = isNew && rebuilt ? new Set(timesOfQueries(facts).keys()) : ANY_QUERY
  return { ...task, doomed: nothingDoomed(names, sequence), asked, rebuilt }
}

/** Whether they go with what is learned anew, or have to be taken out by themselves. */
function willBeRelearned({ store, subject }: Task): boolean {
  return findForgetting(store, subject)?.unlearnedTo === undefined
}

async function removeRows({ store, log, forgetTold }: Task, doomed: DoomedRows): Promise<void> {
  await removeDoomed(store, log, doomed)
  forgetTold([...doomed.names])
}

/** What came into the log behind what was found: it was under way when their sessions were hidden, or came since. */
export async function removeLate<T extends Task>(task: T): Promise<T> {
  const { store, log, loop, doomed } = task
  const late = nothingDoomed(doomed.names, doomed.sequence)
  await loop.caughtUp('remove')
  await findDoomed(log, [late], loop.position())
  if (late.impressions.length + late.feedback.length + late.events.length > 0) {
    await unlearn(task, late)
    await unnameEvents(store, late.names)
    await removeRows(task, late)
  }
  return { ...task, doomed: nothingDoomed(late.names, late.sequence) }
}

/** When all is learned anew that is to be. */
export async function finish(task: Gone): Promise<void> {
  const { store, sessions, subject, sessionIds, removed, rebuilt } = task
  await task.withdraw(task.asked)
  // To learn anew takes a while, in which clients may go on in their name.
  await removeLate(task)
  // Last: a start that goes on with this finds the rest by them.
  await sessions.remove(sessionIds)
  await store.release(() => endForgettingWithin(store, subject))
  task.done({ subject, removed, rebuilt })
}
