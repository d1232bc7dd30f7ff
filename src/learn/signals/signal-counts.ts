import type { Store } from '../../store/store.ts'
import type { Consumer } from '../facts.ts'
import type { Log } from '../loop/log.ts'
import { isSignal, type JournalSignals } from './signal-sources.ts'

/** How many of the journal's signals were taken, and how many wait, without reading it each time. */
export interface JournalCounts {
  pending: () => number
  completed: () => number
  /** A fold that is never done anew. */
  consumer: Consumer
}

/** Part that writes signals into the journal. */
export interface SignalIntake {
  /** How many are on the disk, counted from any beginning. */
  submitted: () => number
}

interface CountParts {
  store: Store
  log: Log
  journal: JournalSignals
  /** Sequence of the last journal entry that was taken. */
  position: () => number
  /** Where signals come from besides searches. */
  intakes: readonly SignalIntake[]
}

/** Where the number is kept. */
const TAKEN = 'signalsTaken'

export function openJournalCounts(parts: CountParts): JournalCounts {
  const { log, journal, position, intakes } = parts
  const { meta } = parts.store.tables
  let slice = 0
  let taken = 0
  /** What `came - taken` is when nothing waits. */
  let base: number | undefined
  const came = (): number =>
    intakes.reduce((sum, { submitted }) => sum + submitted(), log.figures().written)
  const isSettled = (): boolean => position() >= log.journal.last()
  const completed = (): number => meta.get(TAKEN) ?? 0

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
        if (isSignal(fact)) slice += 1
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
