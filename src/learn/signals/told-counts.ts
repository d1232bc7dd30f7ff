import type { SignalCounts, SignalRecord } from '../../schema/signal.ts'
import type { Store } from '../../store/store.ts'

/** How many signals others told of, by status. */
export interface ToldCounts {
  /** Inside a transaction: the row of a signal is another one from now on; undefined: there is none. */
  replaceWithin: (before: SignalRecord | undefined, after: SignalRecord | undefined) => void
  /** Less those that stand in the journal, as they are counted there: COMPLETED may be below 0. */
  all: () => SignalCounts
}

/** Where the numbers are kept. */
const TOLD = 'signalsTold'

const NONE: SignalCounts = { PENDING: 0, PROCESSING: 0, COMPLETED: 0, FAILED: 0, IGNORED: 0 }

/** `position` is the sequence of the last journal entry that was taken. */
export function openToldCounts({ tables: { meta } }: Store, position: () => number): ToldCounts {
  /** Entries of signals that were told of before learning took them. */
  let early: number[] = []
  const read = (): SignalCounts => ({ ...NONE, ...meta.get(TOLD) })
  const waiting = () => early.filter((sequence) => sequence > position())

  function count(counts: SignalCounts, row: SignalRecord, change: 1 | -1): void {
    counts[row.status] += change
    // Once it was taken, the journal counts it as completed.
    if (row.isCountedOnce === true) counts.COMPLETED -= change
  }
  return {
    replaceWithin: (before, after) => {
      const counts = read()
      if (before !== undefined) count(counts, before, -1)
      if (after !== undefined) count(counts, after, 1)
      meta.put(TOLD, counts)
      if (before === undefined && after?.sequence !== undefined) early.push(after.sequence)
      early = waiting()
    },
    all: () => {
      const counts = read()
      const { length } = waiting()
      return { ...counts, PENDING: counts.PENDING - length, COMPLETED: counts.COMPLETED + length }
    },
  }
}
