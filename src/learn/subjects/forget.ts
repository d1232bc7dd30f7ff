import { unnameEvents } from '../history/unname.ts'
import { noteForgettingWithin } from '../loop/forgetting.ts'
import { findDoomed, sessionsOf } from './doomed.ts'
import {
  countsOf,
  type ForgetRequest,
  finish,
  type Gone,
  newTask,
  removeFound,
  removeLate,
  type SubjectParts,
  type Task,
  takeOut,
} from './steps.ts'

/*
 * Forgetting, step by step. A note in the store says of each that it has begun, and how far it is: what a crash or a
 * failure cuts short goes on at the next start, or when it is asked for again.
 *
 * 1. Their sessions are hidden: what still comes in their name is nobody's, and searches under way leave no row.
 * 2. The log is looked through for what they did.
 * 3. The note is written: from here on it will be finished. Where retention has cut the log, what they taught is taken
 *    out of the learned state in the same transaction; else, in one behind it, what is not learned anew is.
 * 4. Their names leave the history, their rows the log.
 * 5. Where the log is whole, all is learned anew from what is left.
 * 6. What was proposed for their queries is taken back.
 * 7. The sessions go, and the note.
 *
 * What was under way comes late: behind 4 and 6 the log is looked through again.
 *
 * 2 and 5 take as long as the log is long, so several go through them at once, each in its turn through the rest: those
 * who were asked for together, and those who were while these went through 1 to 4. It comes to what one after the other
 * would, because they have nothing to do with each other. A user and one of their sessions have: they taught the same,
 * which must go once, and the second waits until the first is forgotten.
 */

/** Who waits to be forgotten. */
export interface ForgetQueue {
  /** Takes the next ones out of it. */
  next: () => ForgetRequest[]
  /** Puts them back, before all others. */
  again: (asked: readonly ForgetRequest[]) => void
}

/** So often those who came meanwhile may join, before all is learned anew. */
const ROUNDS = 2

/** Forgets those who wait, as many at once as can be; whoever asked hears what became of each. */
export async function forgetTogether(parts: SubjectParts, queue: ForgetQueue): Promise<void> {
  const gone: Gone[] = []
  const later: ForgetRequest[] = []
  const kin = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const asked = queue.next()
    if (asked.length === 0) break
    const apart: Task[] = []
    for (const task of await findAll(parts, asked))
      if (isRelated(task, kin)) later.push(requestOf(task))
      else apart.push(task)
    gone.push(...(await takeOutAll(parts, apart)))
  }
  // They stay hidden until it is their turn.
  queue.again(later)
  const clean = await stepEach(gone, removeLate)
  await stepEach(await relearnWithout(parts, clean), finish)
}

function requestOf({ subject, done, failed }: Task): ForgetRequest {
  return { subject, done, failed }
}

/** Hides them, and looks for what they did. */
async function findAll(parts: SubjectParts, asked: readonly ForgetRequest[]): Promise<Task[]> {
  const { store, sessions, log, loop } = parts
  const tasks: Task[] = []
  try {
    for (const each of asked) tasks.push(newTask(parts, each))
    const found = await sessionsOf(store, new Set(asked.map(({ subject }) => subject)))
    for (const task of tasks) {
      task.sessionIds = found.get(task.subject) ?? []
      for (const sessionId of task.sessionIds) task.doomed.names.add(sessionId)
      sessions.hide(task.sessionIds)
    }
    await loop.caughtUp('remove')
    const doomed = tasks.map((task) => task.doomed)
    await findDoomed(log, doomed, loop.position())
  } catch (cause) {
    fail(tasks, cause)
    // Also those of whom nothing could be read.
    for (const { failed } of asked) failed(cause)
    return []
  }
  for (const task of tasks)
    task.removed = { sessions: task.sessionIds.length, ...countsOf(task.doomed) }
  return tasks
}

/** Whether they have to do with somebody before them: each says who they have to do with. */
function isRelated({ doomed }: Task, kin: Set<string>): boolean {
  const own = [...doomed.names, ...doomed.kin]
  const isKin = own.some((name) => kin.has(name))
  for (const name of own) kin.add(name)
  return isKin
}

async function takeOutAll({ store }: SubjectParts, tasks: readonly Task[]): Promise<Gone[]> {
  const begun = await stepEach(tasks, takeOut)
  if (begun.length === 0) return []
  try {
    await unnameEvents(store, new Set(begun.flatMap(({ doomed }) => [...doomed.names])))
  } catch (cause) {
    fail(begun, cause)
    return []
  }
  return stepEach(begun, removeFound)
}

/** Returns those who can go on: also those who were taken out by themselves. */
async function relearnWithout({ store, loop }: SubjectParts, tasks: Gone[]): Promise<Gone[]> {
  const anew = tasks.filter(({ rebuilt }) => rebuilt)
  if (anew.length === 0) return tasks
  try {
    await loop.rebuild()
    await store.release(() => {
      for (const { subject, doomed } of anew)
        noteForgettingWithin(store, { subject, unlearnedTo: doomed.sequence })
    })
  } catch (cause) {
    fail(anew, cause)
    return tasks.filter(({ rebuilt }) => !rebuilt)
  }
  return tasks
}

/** One step of each, in their order; returns what it made of those with whom it went well. */
async function stepEach<T extends Task, Made>(
  tasks: readonly T[],
  step: (task: T) => Promise<Made | undefined>,
): Promise<Made[]> {
  const made: Made[] = []
  for (const task of tasks)
    try {
      const one = await step(task)
      if (one !== undefined) made.push(one)
    } catch (cause) {
      fail([task], cause)
    }
  return made
}

/** They are known again. */
function fail(tasks: readonly Task[], cause: unknown): void {
  for (const { sessions, sessionIds, failed } of tasks) {
    sessions.show(sessionIds)
    failed(cause)
  }
}
