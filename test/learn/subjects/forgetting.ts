import { openRetention } from '../../../src/learn/health/retention.ts'
import { openEvents } from '../../../src/learn/history/events.ts'
import { decodeImpression } from '../../../src/learn/impressions/impression.ts'
import { unpackRemembered } from '../../../src/learn/memory/click-memory-rows.ts'
import { openSubjects, type Subjects } from '../../../src/learn/subjects/subjects.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { DAY_MS, type Learner, MINUTE_MS } from '../learner.ts'

/** Forgetting for a learner, in which some steps may be others than its own. */
export function openForgetting(
  learner: Learner,
  changes: Partial<Parameters<typeof openSubjects>[0]> = {},
): Subjects {
  const clock = () => learner.clock.nowMs
  const events = openEvents(learner.store, clock)
  return openSubjects({
    ...learner,
    clock,
    events,
    forgetUnit: async () => 0,
    forgetTold: () => {},
    withdraw: async () => {},
    onFailure: () => {},
    ...changes,
  })
}

/** One round in which the oldest searches go, until there are so many. */
export async function retain(
  { store, log, loop, clock }: Learner,
  impressionsMax: number,
): Promise<void> {
  const onFailure = (err: unknown) => {
    throw err
  }
  const config = { retentionMs: 365 * DAY_MS, impressionsMax, journalBytesMax: 1e9 }
  const options = {
    store,
    log,
    config,
    kept: loop.kept,
    sweeps: {},
    onFailure,
    onEnd: () => {},
    onRemoved: () => {},
  }
  await openRetention(options)(clock.nowMs)
}

/** What the click memory holds of each query, in whatever order it came. */
export function remembered({ tables }: Store): unknown[] {
  return Array.from(tables.clickMemory.range(), ({ key, value }) => [
    key,
    [...unpackRemembered(value)].sort(),
  ])
}

/** A small crowd with habits, the same at each run; returns sessions by user. */
export async function liveInCrowd({
  session,
  search,
  tell,
  clock,
  feedback,
}: Learner): Promise<string[][]> {
  const users = ['ann', 'bob', 'eve']
  const sessions: string[][] = users.map(() => [])
  for (let step = 0; step < 60; step++) {
    const who = (step * 7) % users.length
    if (step % 5 === 0)
      for (const [at, user] of users.entries()) sessions[at]?.push(await session(user))
    const sessionId = sessions[who]?.at(-1) ?? ''
    const documents = ['a', 'b', 'c', 'd', 'e'].slice(step % 3)
    const queryId = search(step % 9 === 0 ? undefined : sessionId, documents, {
      queryHash: `q${step % 4}`,
    })
    const resultId = documents[(step * 3) % documents.length] ?? ''
    await tell(sessionId, queryId, resultId, {
      userAction: ['click', 'share', 'view', 'purchase', 'dismiss'][step % 5],
      customMetadata: { viewed: step % 11 !== 0 },
      timestamp: clock.nowMs - (step % 4) * MINUTE_MS,
    })
    clock.nowMs += 3 * MINUTE_MS
  }
  const spam = { queryId: search(sessions[2]?.at(-1), ['a'], { queryHash: 'q1' }), rating: 1 }
  const entry = { ...spam, metadata: { resultId: 'a', userAction: 'click' } }
  await feedback.submit({ sessionId: sessions[2]?.at(-1) ?? '', feedback: Array(60).fill(entry) })
  return sessions
}

/** Another store with the same log, but for what a predicate names. */
export async function copyLog(from: Store, isLeftOut: (name: string | undefined) => boolean) {
  const store = temporaryStore()
  const { journal, impressions, meta, sessions } = from.tables
  await store.write(() => {
    for (const { key, value } of impressions.range()) {
      const { impression: head } = decodeImpression(value)
      if (!isLeftOut(head.unit) && !isLeftOut(head.sessionId))
        store.tables.impressions.put(key, value)
    }
    for (const { key, value } of journal.range()) {
      const { unit } = (value.data ?? {}) as { unit?: string }
      if (!isLeftOut(unit) && !isLeftOut(value.sessionId)) store.tables.journal.put(key, value)
    }
    for (const { key, value } of sessions.range()) store.tables.sessions.put(key, value)
    store.tables.meta.put('journal', meta.get('journal'))
  })
  return store
}
