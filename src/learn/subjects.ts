import { setImmediate as breathe } from 'node:timers/promises'
import { serviceError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { type DoomedRows, findDoomed, removeDoomed, SLICE_ROWS } from './doomed.ts'
import { oneSpelling } from './feedback/feedback-ids.ts'
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
  loop: Pick<Loop, 'caughtUp' | 'rebuild' | 'unlearn'>
  events: Pick<Events, 'recordWithin'>
  sessions: Pick<Sessions, 'hide' | 'show' | 'remove'>
  clock: () => number
  /** Takes a unit out of what is counted by unit and not learned anew. */
  forgetUnit?: (unit: string) => Promise<number>
  /** Takes back what was proposed for queries that they asked. */
  withdraw?: (queryHashes: ReadonlySet<string>) => Promise<void>
  /** Forgets what sessions told that is kept in memory alone. */
  forgetTold?: (sessionIds: readonly string[]) => void
  /** Forgetting that a crash cut short, and that could not be finished at the start either. */
  onFailure: (cause: unknown) => void
}

/** Where it is kept who is being forgotten, until that is done. */
const FORGETTING = 'forgetting'
/** Those of them whose teaching is taken out already: nothing is learned anew for them. */
const UNLEARNED = 'unlearned'

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
  for (const subject of marked(parts.store, FORGETTING)) fly(subject).catch(parts.onFailure)
  return { forget: async (sent) => fly(await spellingOf(parts.store, sent)) }
}

/** A user's name stays as it was sent, even if it looks like an id of ours, which has one spelling. */
async function spellingOf(store: Store, sent: string): Promise<string> {
  const own = oneSpelling(sent)
  if (own === sent) return own
  return (await sessionsOf(store, sent)).length > 0 ? sent : own
}

type Mark = typeof FORGETTING | typeof UNLEARNED

function marked({ tables }: Store, mark: Mark): string[] {
  return (tables.meta.get(mark) as string[] | undefined) ?? []
}

function isMarked(store: Store, mark: Mark, subject: string): boolean {
  return marked(store, mark).includes(subject)
}

/** Inside a transaction. */
function mark(store: Store, name: Mark, subject: string): void {
  store.tables.meta.put(name, [...new Set([...marked(store, name), subject])])
}

/** Inside a transaction. */
function unmark(store: Store, name: Mark, subject: string): void {
  const others = marked(store, name).filter((each) => each !== subject)
  store.tables.meta.put(name, others)
}

async function forget(parts: SubjectParts, subject: string): Promise<Forgotten> {
  const { store, sessions } = parts
  const sessionIds = await sessionsOf(store, subject)
  // What still comes in their name is nobody's.
  sessions.hide(sessionIds)
  try {
    await parts.loop.caughtUp()
    const doomed = await findDoomed(parts.log, [subject, ...sessionIds])
    const removed = {
      sessions: sessionIds.length,
      impressions: doomed.impressions.length,
      feedback: doomed.feedback.reduce((sum, { entries }) => sum + entries, 0),
      events: doomed.events.length,
    }
    const isEmpty = Object.values(removed).every((count) => count === 0)
    if (isEmpty && !isMarked(store, FORGETTING, subject)) {
      // Others may have reported of a unit that never searched.
      const reported = (await parts.forgetUnit?.(subject)) ?? 0
      if (reported > 0) return { subject, removed, rebuilt: false }
      throw serviceError('SUBJECT_NOT_FOUND', 'Nothing is known of this session or user.')
    }
    if (!isMarked(store, FORGETTING, subject)) await begin(parts, subject, doomed, removed)
    const rebuilt = !isMarked(store, UNLEARNED, subject)
    await removeAll(parts, subject, sessionIds, doomed)
    await removeLate(parts, doomed, rebuilt)
    if (rebuilt) await parts.loop.rebuild()
    await parts.withdraw?.(new Set(timesOfQueries(doomed.facts).keys()))
    await store.release(() => {
      for (const mark of [FORGETTING, UNLEARNED] as const) unmark(store, mark, subject)
    })
    return { subject, removed, rebuilt }
  } catch (cause) {
    sessions.show(sessionIds)
    throw cause
  }
}

/** The sessions go last but for what is learned anew: a start that goes on with this finds the rest by them. */
async function removeAll(
  parts: SubjectParts,
  subject: string,
  sessionIds: string[],
  doomed: DoomedRows,
): Promise<void> {
  const { store, log, sessions } = parts
  // By searches that are still there: sessions that are known no more are found by them alone.
  await unnameEvents(store, doomed.names)
  await removeDoomed(store, log, doomed)
  await parts.forgetUnit?.(subject)
  parts.forgetTold?.([...doomed.names])
  await sessions.remove(sessionIds)
}

/** What was under way when their sessions were hidden came into the log behind what was found. */
async function removeLate(
  { store, log, loop }: SubjectParts,
  { names, sequence }: DoomedRows,
  isLearnedAnew: boolean,
): Promise<void> {
  await loop.caughtUp()
  const late = await findDoomed(log, names, sequence)
  if (late.facts.length > 0 && !isLearnedAnew) await loop.unlearn(late, () => {})
  await removeDoomed(store, log, late)
}

/** From here on it will be finished, whatever happens. What is unlearned is marked with it, and never twice. */
async function begin(
  { store, log, loop, events, clock }: SubjectParts,
  subject: string,
  doomed: DoomedRows,
  removed: Forgotten['removed'],
): Promise<void> {
  const announceWithin = () => {
    mark(store, FORGETTING, subject)
    events.recordWithin({
      type: 'SUBJECT_FORGOTTEN',
      status: 'COMPLETED',
      source: 'subjects',
      data: removed,
    })
    log.appendWithin({ timeMs: clock(), type: 'forget', data: removed })
  }
  if (!log.isCut()) {
    await store.write(announceWithin)
    return
  }
  await loop.unlearn(doomed, () => {
    mark(store, UNLEARNED, subject)
    announceWithin()
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
