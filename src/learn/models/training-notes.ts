import type { LastTraining } from '../../schema/model-record.ts'
import type { Store } from '../../store/store.ts'
import type { Events } from '../history/events.ts'

const LAST = 'modelTraining'

export interface TrainingNotes {
  store: Store
  events: Pick<Events, 'recordWithin'>
  clock: () => number
}

/** How the last training went, as it was noted: `RUNNING` also for one that was cut short. */
export function lastNoted({ store }: Pick<TrainingNotes, 'store'>): LastTraining | undefined {
  return store.tables.meta.get(LAST)
}

/** Notes how far a training is, with its event. */
export function noteTraining(
  { store, events }: TrainingNotes,
  training: LastTraining,
  { type, data }: { type: string; data: object },
): Promise<unknown> {
  const { modelId, status, trainingId: correlationId } = training
  return store.write(() => {
    store.tables.meta.put(LAST, training)
    const priority = status === 'FAILED' ? ('HIGH' as const) : ('NORMAL' as const)
    const told = { type, status, priority, modelId, correlationId }
    events.recordWithin({ ...told, source: 'models', data: { ...data } })
  })
}

/**
 * Ends a training that the end of the service cut short. Its beginning stands in the history: who
 * follows that waits for its end.
 */
export async function endCutTraining(notes: TrainingNotes): Promise<void> {
  const known = lastNoted(notes)
  if (known?.status !== 'RUNNING') return
  const data = { error: 'The service ended while the model was trained; train it again.' }
  const cuts = (known.cuts ?? 0) + 1
  const ended: LastTraining = { ...known, status: 'FAILED', cuts, endedMs: notes.clock() }
  await noteTraining(notes, ended, { type: 'TRAINING_FAILED', data })
}

/**
 * From how many searches with a gain on others are new to the next training. One that was cut short learned from none: it is
 * begun again at once, but not a second time, for it may be what ended the service.
 */
export function countedBy(last: LastTraining | undefined): number {
  if (last === undefined) return 0
  return last.cuts === 1 ? (last.before ?? last.clicked) : last.clicked
}
