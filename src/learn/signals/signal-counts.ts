import type { Store } from '../../store/store.ts'
import type { Consumer } from '../facts.ts'
import type { FeedbackIntake } from '../feedback/feedback.ts'
import type { Log } from '../log.ts'
import type { JournalSignals } from './signal-sources.ts'

/** How many of the journal's signals were taken, and how many wait, without reading it each time. */
export interface JournalCounts {
  pending: () => number
  completed: () => number
  /** A fold that is never done anew. */
  consumer: Consumer
}

interface CountParts {
  store: Store
  log: Log
  journal: JournalSignals
  /** Sequence of the last journal entry that was taken. */
  position: () => number
  feedback: Pick<FeedbackIntake, 'submitted'>
}

/** Where the number is kept. */
const TAKEN = 'signalsTaken'

export function openJournalCounts(parts: CountParts): JournalCounts {
  const { log, journal, position, feedback } = parts
  const { meta } = parts.store.tables
  let slice = 0
  let taken = 0
  /** What `came - taken` is when nothing waits. */
  let base: number | undefined
  const came = (): number => log.figures().written + feedback.submitted()
  const isSettled = (): boolean => position() >= log.journal.last()
  const completed = (): number => (meta.get(TAKEN) as number | undefined) ?? 0

  function settle(): number {
    if (isSettled()) base = came() - taken
    // At the start: what was left over.
    base ??= came() - taken - journal.countAfter(position())
    return base
  }
  return {
    pending: () => {
      const settled = settle()
      return log.figures().waiting + Math.max(0, came() - taken - settled)
    },
    completed,
    consumer: {
      name: 'signals',
      load: () => {
        slice = 0
      },
      take: (fact) => {
        if (slice === 0) settle()
        if (fact.kind !== 'analytics') slice += 1
      },
      save: () => {
        if (slice > 0) meta.put(TAKEN, completed() + slice)
      },
      publish: () => {
        taken += slice
        slice = 0
      },
    },
  }
}
