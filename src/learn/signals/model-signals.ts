import type { LearningEvent } from '../../schema/event.ts'
import type { Store } from '../../store/store.ts'
import type { LogEntry } from '../entries.ts'
import type { Log } from '../loop/log.ts'

/** What happens to models, put in line with everything else that learning takes. */
export interface ModelSignals {
  /** Inside the transaction that stores an event: one of a model gets its place in the journal. */
  noteWithin: (event: LearningEvent, sequence: number) => void
  /** Such events, ever. */
  submitted: () => number
}

/** Where their number is kept. */
const NOTED = 'modelSignals'

export function openModelSignals({ tables }: Store, log: Pick<Log, 'appendWithin'>): ModelSignals {
  const submitted = (): number => tables.meta.get(NOTED) ?? 0
  return {
    noteWithin: ({ id, source, timestamp }, sequence) => {
      if (source !== 'models') return
      const data = { signalId: id, event: sequence }
      const entry: LogEntry = { timeMs: Date.parse(timestamp), type: 'model', data }
      log.appendWithin(entry)
      tables.meta.put(NOTED, submitted() + 1)
    },
    submitted,
  }
}
