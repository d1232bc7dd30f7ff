import { openRetention } from '../../../src/learn/health/retention.ts'
import { openEvents } from '../../../src/learn/history/events.ts'
import { unpackRemembered } from '../../../src/learn/memory/click-memory-rows.ts'
import { openSubjects, type Subjects } from '../../../src/learn/subjects/subjects.ts'
import type { Store } from '../../../src/store/store.ts'
import { DAY_MS, type Learner } from '../learner.ts'

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
  const config = { retentionMs: 365 * DAY_MS, impressionsMax }
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
